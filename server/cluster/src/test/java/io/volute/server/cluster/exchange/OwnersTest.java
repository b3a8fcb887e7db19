package io.volute.server.cluster.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.storage.BlobReader;
import io.volute.storage.BlobWriter;
import io.volute.storage.Cube;
import io.volute.storage.CubeOptions;
import io.volute.storage.CubeOptions.LogSettings;
import io.volute.storage.Cubes;
import io.volute.storage.Transaction;
import io.volute.storage.io.OsFileSystem;
import io.volute.versioning.History.Direction;
import io.volute.versioning.History.Node;
import io.volute.versioning.History.Step;
import io.volute.versioning.ObjectReader.OpenObject;
import io.volute.versioning.ObjectStores;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.catalog.Catalog;
import io.volute.versioning.event.Federation;
import io.volute.versioning.event.Membership;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Many clients at once that read at one owner and write at another. */
@Timeout(120)
class OwnersTest {
    private static final int CLIENTS = 8;
    private static final int ROUNDS = 15;
    private static final LogSettings LOG =
            new LogSettings(
                    1 << 20, 4096, 4096, 1L << 40, 1 << 20, 1 << 20, CubeOptions.OnDamage.REFUSE);

    @TempDir Path directory;

    /** An owner of one cube. */
    private final class Owner implements AutoCloseable {
        private final Cubes.Shared shared = new Cubes.Shared(LOG);
        private final InstantSource clock;
        private final Cube cube;
        private final BucketName bucket;
        private final Federation federation;
        private final Catalog catalog;
        private final OwnerExchange exchange;
        private final ExchangeCounts counts = new ExchangeCounts();

        /** The other owner; set before the first request. */
        private Owner other;

        Owner(int number, Duration skew) throws Exception {
            AtomicLong millis = new AtomicLong(1_700_000_000_000L);
            clock = () -> Instant.ofEpochMilli(millis.incrementAndGet()).plus(skew);
            cube =
                    Cubes.open(
                                    new CubeOptions(
                                            directory.resolve("cube-" + number),
                                            new OsFileSystem(),
                                            clock,
                                            new SplittableRandom(number),
                                            ObjectStores.families(),
                                            LOG),
                                    shared)
                            .cube();
            bucket = new BucketName("bucket-" + number);
            federation = new Federation(new UUID(7, number));
            federation.reads().setShared(true);
            catalog = catalog(number, federation);
            exchange =
                    new OwnerExchange(
                            federation.reads(),
                            new OwnerExchange.Sequences() {
                                @Override
                                public long last() {
                                    return shared.lastSequence();
                                }

                                @Override
                                public void passed(long sequence) {
                                    shared.passed(sequence);
                                }
                            },
                            () -> List.of(new To(other)),
                            Duration.ofMinutes(1),
                            counts,
                            System::nanoTime);
        }

        Catalog catalog(int number, Federation of) throws Exception {
            Catalog opened =
                    new Catalog(
                            StoreOptions.defaults(cube, clock, new SplittableRandom(3)),
                            new Membership(number, of));
            opened.resume();
            return opened;
        }

        void put(Caller caller, String key) throws Exception {
            exchange.await();
            byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
            try (BlobWriter writer =
                    catalog.newBody(bucket, new ObjectKey(key), OptionalLong.of(bytes.length))) {
                writer.write(ByteBuffer.wrap(bytes));
                assertThat(
                                catalog.put(
                                        caller,
                                        bucket,
                                        new ObjectKey(key),
                                        writer.finish(),
                                        ObjectAttributes.ofEtag("etag"),
                                        WriteCondition.NONE))
                        .isNotNull();
            }
        }

        void get(Caller caller, String key) throws Exception {
            OpenObject object =
                    catalog.open(caller, bucket, new ObjectKey(key), VersionSelector.LATEST);
            try (BlobReader reader = object.reader()) {
                // The first bytes that are read count as the read.
                ByteBuffer content = ByteBuffer.allocateDirect(reader.bufferBytes(0));
                reader.read(0, reader.bytes(), content);
                assertThat(content.remaining()).isEqualTo((int) reader.bytes());
            }
        }

        @Override
        public void close() throws Exception {
            cube.close();
            shared.close();
        }
    }

    /** Answers in the same process. */
    private record To(Owner owner) implements Peers.Peer {
        @Override
        public String name() {
            return "other";
        }

        @Override
        public long election() {
            return 1;
        }

        @Override
        public byte[] ask(byte[] content, Duration limit) {
            return owner.exchange.answer(content);
        }
    }

    private List<Owner> owners;

    @BeforeEach
    void open() throws Exception {
        // The clocks differ by an hour, so only the exchange orders the commits.
        owners = List.of(new Owner(0, Duration.ofHours(1)), new Owner(1, Duration.ZERO));
        owners.get(0).other = owners.get(1);
        owners.get(1).other = owners.get(0);
    }

    @AfterEach
    void close() throws Exception {
        for (Owner each : owners) {
            each.close();
        }
    }

    private static Caller client(int number) {
        return new Caller("user", "key-" + number, "client-" + number);
    }

    /** A client. */
    private interface Client {
        void run(int number) throws Exception;
    }

    private static void together(Client client) throws Exception {
        CountDownLatch ready = new CountDownLatch(CLIENTS);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                int number = i;
                all.add(
                        threads.submit(
                                () -> {
                                    ready.countDown();
                                    ready.await();
                                    client.run(number);
                                    return null;
                                }));
            }
            for (Future<?> each : all) {
                assertThat(each.get()).isNull();
            }
        }
    }

    @Test
    @Tag("slow")
    void eachWriteHasTheReadsAtTheOtherOwnerAsCauses() throws Exception {
        for (Owner each : owners) {
            assertThat(each.catalog.createBucket(client(0), each.bucket)).isNotNull();
        }
        together(
                number -> {
                    owners.get(number % 2).put(client(number), number + "-0");
                    for (int round = 1; round < ROUNDS; round++) {
                        Owner here = owners.get((number + round) % 2);
                        String last = number + "-" + (round - 1);
                        String next = number + "-" + round;
                        // Each step is of a client of its own, so its one read is the only cause.
                        Caller reader = client(CLIENTS + number * ROUNDS + round);
                        here.other.get(reader, last);
                        here.put(reader, next);
                    }
                });
        Federation gathered = new Federation(new UUID(8, 8));
        List<Catalog> catalogs = new ArrayList<>();
        for (int i = 0; i < owners.size(); i++) {
            owners.get(i).catalog.close();
            catalogs.add(owners.get(i).catalog(i, gathered));
        }
        for (int number = 0; number < CLIENTS; number++) {
            List<String> before = new ArrayList<>();
            for (int round = 0; round < ROUNDS; round++) {
                int at = (number + round) % 2;
                String key = number + "-" + round;
                List<String> found = new ArrayList<>();
                for (Step step :
                        catalogs.get(at)
                                .history()
                                .trace(
                                        Direction.BACK,
                                        owners.get(at).bucket,
                                        new ObjectKey(key),
                                        Optional.empty(),
                                        Optional.empty(),
                                        1000)
                                .entries()) {
                    if (step.node() instanceof Node.OfObject object) {
                        found.add(object.place().key().value());
                    }
                }
                assertThat(found).as(key).containsExactlyInAnyOrderElementsOf(before);
                before.add(key);
            }
        }
        for (Catalog each : catalogs) {
            each.close();
        }
        for (Owner each : owners) {
            assertThat(each.counts.skipped().sum()).isZero();
            assertThat(each.counts.calls().sum()).isBetween(1L, (long) CLIENTS * ROUNDS);
        }
    }

    @Test
    @Tag("slow")
    void aCommitIsGreaterThanThoseThatWereVisibleAtTheOtherOwner() throws Exception {
        together(
                number -> {
                    for (int round = 0; round < ROUNDS * 4; round++) {
                        Owner here = owners.get((number + round) % 2);
                        long visible = here.other.cube.lastSequence();
                        here.exchange.await();
                        byte[] key = {(byte) number, (byte) round};
                        long sequence =
                                here.cube
                                        .commit(
                                                new Transaction()
                                                        .put(
                                                                ObjectStores.families().getFirst(),
                                                                key,
                                                                new byte[1],
                                                                new byte[0],
                                                                List.of()))
                                        .join();
                        assertThat(sequence).isGreaterThan(visible);
                    }
                });
        for (Owner each : owners) {
            each.catalog.close();
        }
    }
}
