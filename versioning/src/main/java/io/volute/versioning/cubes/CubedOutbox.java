package io.volute.versioning.cubes;

import io.volute.versioning.Outbox;
import io.volute.versioning.StoreCubes.Opened;
import io.volute.versioning.value.BucketName;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The outboxes of all open cubes. The messages about a key are in the cube of its bucket, so their
 * order is kept. A cube that does not serve keeps its messages until it does. Thread-safe.
 */
final class CubedOutbox implements Outbox {
    private final CubeRegistry cubes;
    private final CubeBuckets buckets;
    private final Map<String, Runnable> actions = new ConcurrentHashMap<>();

    CubedOutbox(CubeRegistry cubes, CubeBuckets buckets) {
        this.cubes = cubes;
        this.buckets = buckets;
    }

    @Override
    public List<Message> next(String consumer, Map<String, Long> behind, int max)
            throws IOException {
        List<Message> messages = new ArrayList<>();
        Optional<IOException> failure = Optional.empty();
        for (Opened cube : cubes.opened()) {
            Outbox outbox = cube.store().outbox();
            // The cube may have been opened since the action was set.
            outbox.onMessage(consumer, actions.getOrDefault(consumer, () -> {}));
            try {
                Map<String, Long> own =
                        Optional.ofNullable(behind.get(cube.name()))
                                .map(number -> Map.of("", number))
                                .orElse(Map.of());
                for (Message each : outbox.next(consumer, own, max - messages.size())) {
                    messages.add(each.in(cube.name()));
                }
            } catch (IOException e) {
                // The others go on.
                failure = Optional.of(e);
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
