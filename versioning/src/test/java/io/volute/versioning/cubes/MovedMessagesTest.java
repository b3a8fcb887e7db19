package io.volute.versioning.cubes;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.versioning.ChangeRouter;
import io.volute.versioning.Outbox.Message;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.KeyChange;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A consumer gets the messages of a key in the order of its changes, also when the bucket moves, is
 * split or merged between them and the consumer is slow. {@code -Dvolute.seed=N} repeats a run.
 */
class MovedMessagesTest extends MovesFixture {
    private static final String CONSUMER = "mail";
    private static final List<String> KEYS = List.of("a", "b", "s", "t");
    private static final long SEED = Long.getLong("volute.seed", 1);
    private static final int STEPS = 60;

    /** Buckets whose commits wait after they have their message. */
    private final Map<String, CountDownLatch> held = new ConcurrentHashMap<>();

    private final CountDownLatch isHeld = new CountDownLatch(1);

    private final ChangeRouter router =
            new ChangeRouter() {
                @Override
                public boolean isWatched(BucketInfo bucket) {
                    return true;
                }

                @Override
                public Routed route(KeyChange change) {
                    CountDownLatch gate = held.get(change.bucket().name().value());
                    if (gate != null) {
                        isHeld.countDown();
                        await(gate);
                    }
                    String key = change.version().key().value();
                    byte[] content =
                            ByteBuffer.allocate(Long.BYTES + key.length())
                                    .putLong(change.version().number())
                                    .put(key.getBytes(StandardCharsets.US_ASCII))
                                    .array();
                    return new Routed(
                            List.of(new ChangeRouter.Message(CONSUMER, content)), () -> {});
                }

                @Override
                public long messagesMax(String consumer) {
                    return Long.MAX_VALUE;
                }
            };

    private static void await(CountDownLatch gate) {
        try {
            gate.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    StoreOptions options(StoreOptions usual) {
        return super.options(usual).with(router);
    }

    /** The last version of each key that the consumer has, and the number of all. */
    private final Map<String, Long> last = new TreeMap<>();

    private int received;

    /** Takes some messages, but none of a key that fails. */
    private void consume(int max, Set<String> failing) throws IOException {
        Map<String, Long> behind = new HashMap<>();
        List<Message> messages = store.outbox().next(CONSUMER, behind, max);
        while (!messages.isEmpty()) {
            List<Message> done = new ArrayList<>();
            for (Message each : messages) {
                behind.merge(each.cube(), each.number(), Math::max);
                ByteBuffer content = ByteBuffer.wrap(each.content().orElseThrow());
                long version = content.getLong();
                String key = StandardCharsets.US_ASCII.decode(content).toString();
                if (!failing.contains(key)) {
                    Long before = last.put(key, version);
                    assertThat(before == null || before < version)
                            .as("seed %d: version %d of %s behind %s", SEED, version, key, before)
                            .isTrue();
                    received++;
                    done.add(each);
                }
            }
            store.outbox().remove(CONSUMER, done);
            messages = store.outbox().next(CONSUMER, behind, max);
        }
    }

    private void fill() throws Exception {
        for (String cube : List.of("one", "two", "three")) {
            cubes.create(cube);
        }
        bucket(BUCKET, "two");
        store.setVersioning(ALICE, name(BUCKET), VersioningState.ENABLED);
    }

    private void move(SplittableRandom random) throws Exception {
        if (cubes.moves().parts(name(BUCKET)).size() > 1) {
            cubes.moves().merge(name(BUCKET), key("m"));
            return;
        }
        List<String> others = new ArrayList<>(List.of("one", "two", "three"));
        others.remove(cubes.cubeOf(name(BUCKET)).orElseThrow());
        String other = others.get(random.nextInt(others.size()));
        if (random.nextBoolean()) {
            cubes.moves().start(name(BUCKET), other);
        } else {
            cubes.moves().split(name(BUCKET), key("m"), other);
        }
    }

    @Test
    void messagesKeepTheirOrderThroughMoves() throws Exception {
        System.out.println("MovedMessagesTest: -Dvolute.seed=" + SEED);
        fill();
        SplittableRandom random = new SplittableRandom(SEED);
        int written = 0;
        for (int step = 0; step < STEPS; step++) {
            switch (random.nextInt(8)) {
                case 0 -> {
                    move(random);
                    awaitMoves();
                }
                case 1 -> {
                    Set<String> failing = new HashSet<>(KEYS);
                    failing.remove(KEYS.get(random.nextInt(KEYS.size())));
                    consume(1 + random.nextInt(20), failing);
                }
                case 2 -> {
                    if (random.nextInt(4) == 0) {
                        restart();
                    }
                }
                default -> {
                    String key = KEYS.get(random.nextInt(KEYS.size()));
                    written += put(ALICE, BUCKET, key, "step " + step).latest() ? 1 : 0;
                }
            }
        }
        consume(1 + random.nextInt(20), Set.of());
        assertThat(received).isEqualTo(written);
        assertThat(store.outbox().queue(CONSUMER).messages()).isZero();
    }

    /**
     * A commit of another bucket in the source, which has its number and has not ended, hides
     * messages with greater numbers. The move waits for it.
     */
    @Test
    void aRunningCommitHidesNoOlderMessage() throws Exception {
        fill();
        bucket("slow", "two");
        CountDownLatch gate = new CountDownLatch(1);
        held.put("slow", gate);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> slow = threads.submit(() -> put(BOB, "slow", "x", "slow"));
            await(isHeld);
            Future<?> second;
            try {
                put(ALICE, BUCKET, "a", "first");
                cubes.moves().start(name(BUCKET), "one");
                while (!cubes.moves().list().isEmpty() && !isAwaitingCommits()) {
                    Thread.onSpinWait();
                }
                assertThat(cubes.cubeOf(name(BUCKET))).contains("two");
                second = threads.submit(this::deleteA);
                consume(10, Set.of());
            } finally {
                gate.countDown();
            }
            assertThat(slow.get()).isNotNull();
            assertThat(second.get()).isNotNull();
            awaitMoves();
        }
        consume(10, Set.of());
        assertThat(received).isEqualTo(3);
    }

    private Object deleteA() throws IOException {
        return store.delete(
                ALICE, name(BUCKET), key("a"), VersionSelector.LATEST, WriteCondition.NONE);
    }

    private static boolean isAwaitingCommits() {
        return Thread.getAllStackTraces().values().stream()
                .flatMap(Arrays::stream)
                .anyMatch(each -> each.getMethodName().equals("awaitRunning"));
    }

    /** One cube's messages fill the answer; those of the others are there for the next one. */
    @Test
    @Tag("slow")
    void aFullAnswerLosesNoMessageOfAnotherCube() throws Exception {
        fill();
        bucket("other", "one");
        for (int i = 0; i < 3; i++) {
            put(ALICE, BUCKET, "a", "text " + i);
            put(ALICE, "other", "o", "text " + i);
        }
        for (int left = 6; left > 0; left--) {
            List<Message> one = store.outbox().next(CONSUMER, 1);
            assertThat(one).hasSize(1);
            store.outbox().remove(CONSUMER, one);
        }
        assertThat(store.outbox().next(CONSUMER, 1)).isEmpty();
    }
}
