package io.volute.testkit.crash;

import static io.volute.testkit.crash.HistorySession.BUCKET;
import static io.volute.testkit.crash.HistorySession.OWNER;
import static org.assertj.core.api.Assertions.assertThat;

import io.volute.storage.BlobWriter;
import io.volute.storage.Cube;
import io.volute.storage.index.MemoryIndexFactory;
import io.volute.testkit.sim.SimFileSystem;
import io.volute.versioning.ChangeRouter;
import io.volute.versioning.ObjectStores;
import io.volute.versioning.Outbox;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.StoreOptions.HistorySettings;
import io.volute.versioning.VersionedStore;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.ChangeKind;
import io.volute.versioning.value.KeyChange;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/**
 * Runs writes with messages under the crash machine, and a consumer that takes them. After every
 * crash, each acknowledged write has its message: with the consumer, or in the outbox. A write that
 * is there has its message, a write that is not has none, and the messages of a key are in order.
 * Messages that the consumer refuses move to another one and back: each is with one of them.
 */
class OutboxCrash {
    private static final Instant START = Instant.parse("2026-03-01T12:00:00Z");
    private static final String CONSUMER = "consumer";

    /** Keeps the messages that the consumer refused, as a target of replication does. */
    private static final String REFUSED = "refused";

    private static final int OPERATIONS = 60;
    private static final int KEYS = 4;

    /** The message is the key and the number of the write. */
    private static final ChangeRouter ROUTER =
            new ChangeRouter() {
                @Override
                public boolean isWatched(BucketInfo bucket) {
                    return true;
                }

                @Override
                public Routed route(KeyChange change) {
                    ObjectVersion version = change.version();
                    String text = version.key().value() + " " + version.bytes();
                    byte[] content = text.getBytes(StandardCharsets.UTF_8);
                    return change.kind() == ChangeKind.PUT
                            ? new Routed(List.of(new Message(CONSUMER, content)), () -> {})
                            : Routed.NOWHERE;
                }

                @Override
                public long messagesMax(String consumer) {
                    return Long.MAX_VALUE;
                }
            };

    /**
     * The state known outside of the machine: the length of a write's body is its number.
     *
     * @param acknowledged writes
     * @param delivered messages that the consumer has
     */
    private record Known(
            List<String> acknowledged, List<String> delivered, MemoryIndexFactory indexes) {}

    private static VersionedStore open(Cube cube) throws IOException {
        return ObjectStores.open(
                new StoreOptions(
                                cube,
                                () -> START,
                                new SplittableRandom(3),
                                StoreOptions.Limits.S3,
                                HistorySettings.DEFAULTS)
                        .with(ROUTER));
    }

    private static List<String> words(List<Outbox.Message> messages) {
        return messages.stream()
                .map(each -> new String(each.content().orElseThrow(), StandardCharsets.UTF_8))
                .toList();
    }

    private static long number(String word) {
        return Long.parseLong(word.substring(word.indexOf(' ') + 1));
    }

    private static final class Workflow implements CrashWorkflow<Known> {
        private final AtomicReference<Known> known =
                new AtomicReference<>(new Known(List.of(), List.of(), new MemoryIndexFactory()));

        @Override
        public String name() {
            return "outbox";
        }

        @Override
        public void run(SimFileSystem disk, CrashProbe<Known> probe) throws IOException {
            MemoryIndexFactory indexes = new MemoryIndexFactory();
            SplittableRandom random = new SplittableRandom(Long.getLong("volute.seed", 1));
            try (Cube cube = HistoryView.openCube(disk, indexes, () -> START);
                    VersionedStore store = open(cube)) {
                store.createBucket(OWNER, BUCKET);
                probe.watch(
                        () -> {
                            Known now = known.get();
                            return new Known(
                                    now.acknowledged(), now.delivered(), indexes.crashImage());
                        });
                for (int i = 1; i <= OPERATIONS; i++) {
                    String key = "k" + random.nextInt(KEYS);
                    put(store, key, i);
                    String word = key + " " + i;
                    known.updateAndGet(
                            was ->
                                    new Known(
                                            with(was.acknowledged(), List.of(word)),
                                            was.delivered(),
                                            was.indexes()));
                    probe.point("acknowledgement of write " + i);
                    if (random.nextInt(4) == 0) {
                        take(store.outbox(), 1 + random.nextInt(5), probe);
                    }
                    if (random.nextInt(6) == 0) {
                        move(store.outbox(), CONSUMER, REFUSED, 1 + random.nextInt(3), probe);
                    }
                    if (random.nextInt(12) == 0) {
                        move(store.outbox(), REFUSED, CONSUMER, OPERATIONS, probe);
                    }
                }
            }
        }

        private static List<String> with(List<String> some, List<String> more) {
            List<String> all = new ArrayList<>(some);
            all.addAll(more);
            return List.copyOf(all);
        }

        private static void put(VersionedStore store, String key, int bytes) throws IOException {
            try (BlobWriter writer =
                    store.newBody(BUCKET, new ObjectKey("any"), OptionalLong.of(bytes))) {
                writer.write(ByteBuffer.allocate(bytes));
                ObjectVersion made =
                        store.put(
                                OWNER,
                                BUCKET,
                                new ObjectKey(key),
                                writer.finish(),
                                HistoryView.attributes(key + bytes),
                                WriteCondition.NONE);
                assertThat(made.bytes()).isEqualTo(bytes);
            }
        }

        private void take(Outbox outbox, int count, CrashProbe<Known> probe) throws IOException {
            List<Outbox.Message> messages = outbox.next(CONSUMER, count);
            List<String> words = words(messages);
            known.updateAndGet(
                    was ->
                            new Known(
                                    was.acknowledged(),
                                    with(was.delivered(), words),
                                    was.indexes()));
            probe.point("delivery of " + words);
            outbox.remove(CONSUMER, messages);
        }

        private static void move(
                Outbox outbox, String from, String to, int count, CrashProbe<Known> probe)
                throws IOException {
            List<Outbox.Message> messages = outbox.next(from, count);
            outbox.move(from, messages, to);
            probe.point("move of " + words(messages) + " to " + to);
        }

        @Override
        public void check(SimFileSystem disk, Known known, CrashProbe<Known> probe)
                throws IOException {
            MemoryIndexFactory indexes = known.indexes().crashImage();
            probe.watch(
                    () -> new Known(known.acknowledged(), known.delivered(), indexes.crashImage()));
            try (Cube cube = HistoryView.openCube(disk, indexes, () -> START);
                    VersionedStore store = open(cube)) {
                List<String> waiting = words(store.outbox().next(CONSUMER, OPERATIONS));
                List<String> refused = words(store.outbox().next(REFUSED, OPERATIONS));
                assertThat(refused).as("moved, not copied").noneMatch(waiting::contains);
                assertThat(store.outbox().queue(REFUSED).messages()).isEqualTo(refused.size());
                TreeSet<String> messages = new TreeSet<>(known.delivered());
                messages.addAll(waiting);
                messages.addAll(refused);
                assertThat(messages).containsAll(known.acknowledged());
                assertThat(store.outbox().queue(CONSUMER).messages()).isEqualTo(waiting.size());
                for (int i = 0; i < KEYS; i++) {
                    String key = "k" + i;
                    List<Long> ofKey =
                            waiting.stream()
                                    .filter(word -> word.startsWith(key + " "))
                                    .map(OutboxCrash::number)
                                    .toList();
                    assertThat(ofKey).isSorted();
                    long newest =
                            store.head(OWNER, BUCKET, new ObjectKey(key), VersionSelector.LATEST)
                                    .map(ObjectVersion::bytes)
                                    .orElse(0L);
                    long last =
                            messages.stream()
                                    .filter(word -> word.startsWith(key + " "))
                                    .mapToLong(OutboxCrash::number)
                                    .max()
                                    .orElse(0);
                    assertThat(last).as("message of the newest state of " + key).isEqualTo(newest);
                }
            }
            assertThat(disk.openFiles()).isZero();
        }
    }

    @Test
    void crashesAtEveryEvent() throws IOException {
        CrashReport report = new CrashLoop(CrashLoop.Settings.usual()).run(new Workflow());
        System.out.println(report);
        assertThat(report.checked()).isPositive();
    }
}
