package io.volute.versioning.cubes;

import io.volute.versioning.Outbox;
import io.volute.versioning.StoreCubes.Opened;
import io.volute.versioning.value.BucketName;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The outboxes of all open cubes. The messages about a key are in the cube that its bucket had at
 * the time of the change. A cube that does not serve keeps its messages until it does. Thread-safe.
 */
final class CubedOutbox implements Outbox {
    private final CubeRegistry cubes;
    private final CubeBuckets buckets;
    private final Map<String, Runnable> actions = new ConcurrentHashMap<>();

    CubedOutbox(CubeRegistry cubes, CubeBuckets buckets) {
        this.cubes = cubes;
        this.buckets = buckets;
    }

    /** The messages of one cube, read a few at a time. */
    private final class Feed {
        private final Opened cube;
        private final String consumer;
        private final int atOnce;
        private final Deque<Message> read = new ArrayDeque<>();
        private Map<String, Long> behind;

        Feed(Opened cube, String consumer, Map<String, Long> behind, int atOnce) {
            this.cube = cube;
            this.consumer = consumer;
            this.atOnce = atOnce;
            this.behind =
                    Optional.ofNullable(behind.get(cube.name()))
                            .map(number -> Map.of("", number))
                            .orElse(Map.of());
            // The cube may have been opened since the action was set.
            outbox().onMessage(consumer, actions.getOrDefault(consumer, () -> {}));
        }

        private Outbox outbox() {
            return cube.store().outbox();
        }

        /** Returns whether there is a next message. */
        boolean fill() throws IOException {
            if (read.isEmpty()) {
                for (Message each : outbox().next(consumer, behind, atOnce)) {
                    read.add(each.in(cube.name()));
                    behind = Map.of("", each.number());
                }
            }
            return !read.isEmpty();
        }

        long number() {
            return read.element().number();
        }
    }

    /**
     * Returns the next messages of all cubes in the order of their numbers. The numbers of a cube
     * pass those of each cube from which it gets a bucket, so the messages about a key keep their
     * order, also through moves. A cube with small numbers comes before one with great numbers.
     */
    @Override
    public List<Message> next(String consumer, Map<String, Long> behind, int max)
            throws IOException {
        while (true) {
            // A cube that was read before a hand-over may have had older messages behind the read.
            long handOvers = buckets.routing().handOvers();
            List<Message> messages = merged(consumer, behind, max);
            if (buckets.routing().handOvers() == handOvers) {
                return messages;
            }
        }
    }

    private List<Message> merged(String consumer, Map<String, Long> behind, int max)
            throws IOException {
        List<Opened> opened = cubes.opened();
        int atOnce = Math.clamp(max / Math.max(1, opened.size()), Math.min(8, max), max);
        PriorityQueue<Feed> feeds = new PriorityQueue<>(Comparator.comparingLong(Feed::number));
        Optional<IOException> failure = Optional.empty();
        for (Opened cube : opened) {
            Feed feed = new Feed(cube, consumer, behind, atOnce);
            try {
                if (feed.fill()) {
                    feeds.add(feed);
                }
            } catch (IOException e) {
                // The others go on.
                failure = Optional.of(e);
            }
        }
        List<Message> messages = new ArrayList<>();
        while (messages.size() < max && !feeds.isEmpty()) {
            Feed feed = feeds.remove();
            messages.add(feed.read.remove());
            try {
                if (feed.fill()) {
                    feeds.add(feed);
                }
            } catch (IOException e) {
                // Later messages of the others would overtake what it has.
                return messages;
            }
        }
        if (messages.isEmpty() && failure.isPresent()) {
            throw failure.get();
        }
        return messages;
    }

    @Override
    public void visit(String consumer, Predicate<Message> visitor) throws IOException {
        AtomicBoolean goesOn = new AtomicBoolean(true);
        for (Opened cube : cubes.opened()) {
            if (goesOn.get()) {
                cube.store()
                        .outbox()
                        .visit(
                                consumer,
                                each -> {
                                    goesOn.set(visitor.test(each.in(cube.name())));
                                    return goesOn.get();
                                });
            }
        }
    }

    @Override
    public void remove(String consumer, List<Message> done) throws IOException {
        each(done, (cube, own) -> cube.store().outbox().remove(consumer, own));
    }

    /** Something that is done to the messages of one cube. */
    @FunctionalInterface
    private interface Step {
        void on(Opened cube, List<Message> own) throws IOException;
    }

    /** Does a step in each cube, also behind one that takes no writes; then fails as the first. */
    private void each(List<Message> messages, Step step) throws IOException {
        Optional<IOException> failure = Optional.empty();
        for (Opened cube : cubes.opened()) {
            List<Message> own =
                    messages.stream().filter(each -> each.cube().equals(cube.name())).toList();
            try {
                step.on(cube, own);
            } catch (IOException e) {
                failure = failure.isPresent() ? failure : Optional.of(e);
            }
        }
        if (failure.isPresent()) {
            throw failure.get();
        }
    }

    @Override
    public void move(String consumer, List<Message> some, String other) throws IOException {
        each(some, (cube, own) -> cube.store().outbox().move(consumer, own, other));
    }

    @Override
    public boolean has(BucketName bucket, String consumer, long number) {
        // A bucket that moved has messages in the cube where they were written.
        return cubes.opened().stream()
                .anyMatch(cube -> cube.store().outbox().has(bucket, consumer, number));
    }

    @Override
    public Message add(String consumer, Function<Instant, byte[]> content) throws IOException {
        CubeSlot slot = cubes.first();
        return slot.catalog().outbox().add(consumer, content).in(slot.name());
    }

    @Override
    public void addAll(BucketName bucket, String consumer, List<byte[]> contents)
            throws IOException {
        boolean unused =
                buckets.routing()
                        .call(
                                bucket,
                                catalog -> {
                                    catalog.outbox().addAll(bucket, consumer, contents);
                                    return true;
                                });
    }

    @Override
    public void onMessage(String consumer, Runnable action) {
        actions.put(consumer, action);
        cubes.opened().forEach(cube -> cube.store().outbox().onMessage(consumer, action));
    }

    @Override
    public Set<String> consumers() {
        Set<String> all = new TreeSet<>();
        cubes.opened().forEach(cube -> all.addAll(cube.store().outbox().consumers()));
        return all;
    }

    @Override
    public Queue queue(String consumer) {
        List<Queue> all =
                cubes.opened().stream().map(cube -> cube.store().outbox().queue(consumer)).toList();
        return new Queue(
                all.stream().mapToLong(Queue::messages).sum(),
                all.stream().flatMap(each -> each.oldest().stream()).min(Comparator.naturalOrder()),
                all.stream().mapToLong(Queue::omitted).sum());
    }
}
