package io.volute.versioning.cubes;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.storage.BlobReader;
import io.volute.storage.BlobWriter;
import io.volute.storage.Cube;
import io.volute.storage.CubeOptions;
import io.volute.storage.CubeOptions.LogSettings;
import io.volute.storage.Cubes;
import io.volute.storage.io.OsFileSystem;
import io.volute.versioning.History.Direction;
import io.volute.versioning.History.Node;
import io.volute.versioning.History.Page;
import io.volute.versioning.History.Step;
import io.volute.versioning.ObjectReader.OpenObject;
import io.volute.versioning.ObjectStores;
import io.volute.versioning.SharedReads;
import io.volute.versioning.SharedReads.Position;
import io.volute.versioning.SharedReads.Progress;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreFixture;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.StoreOptions.HistorySettings;
import io.volute.versioning.catalog.Catalog;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.event.Federation;
import io.volute.versioning.event.Membership;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Clients read and write in cubes of owners that exchange reads and sequences before each write,
 * over a network that loses, delays and repeats answers. The history is that of one process that
 * does the same.
 */
class OwnersModelTest {
    private static final int CUBES = 3;
    private static final List<String> KEYS = List.of("a", "b", "c", "d");
    private static final int STEPS = Integer.getInteger("owners.steps", 120);
    private static final LogSettings LOG =
            new LogSettings(
                    1 << 20, 4096, 4096, 1L << 40, 1 << 20, 1 << 20, CubeOptions.OnDamage.REFUSE);
    private static final List<Caller> CLIENTS =
            List.of(
                    new Caller("alice", "key-a", "laptop"),
                    new Caller("alice", "key-a", "phone"),
                    new Caller("bob", "key-b", "laptop"));

    @TempDir Path directory;

    /** A step of a client. */
    private record Op(int client, int cube, String key, Kind kind) {
        enum Kind {
            READ,
            PUT,
            DELETE
        }
    }

    private static BucketName bucket(int cube) {
        return new BucketName("bucket-" + cube);
    }

    /** A process that has some of the cubes open. */
    private final class Process implements AutoCloseable {
        private final Cubes.Shared shared = new Cubes.Shared(LOG);
        private final Federation federation;
        private final InstantSource clock;
        private final Map<Integer, Cube> cubes = new HashMap<>();
        private final Map<Integer, Catalog> catalogs = new HashMap<>();

        /**
         * Opens cubes.
         *
         * @param skew of its clock
         */
        Process(String name, long number, List<Integer> owned, AtomicLong ticks, Duration skew)
                throws IOException {
            federation = new Federation(new UUID(7, number));
            clock = () -> Instant.ofEpochMilli(ticks.incrementAndGet()).plus(skew);
            for (int each : owned) {
                cubes.put(
                        each,
                        Cubes.open(
                                        new CubeOptions(
                                                directory.resolve(name).resolve("cube-" + each),
                                                new OsFileSystem(),
                                                clock,
                                                new SplittableRandom(each),
                                                ObjectStores.families(),
                                                LOG),
                                        shared)
                                .cube());
                catalogs.put(each, catalog(each, federation));
            }
        }

        Catalog catalog(int number, Federation of) throws IOException {
            StoreOptions options =
                    new StoreOptions(
                            cubes.get(number),
                            clock,
                            new SplittableRandom(3),
                            StoreOptions.Limits.S3,
                            HistorySettings.DEFAULTS.with(Duration.ZERO));
            Catalog catalog = new Catalog(options, new Membership(number, of));
            catalog.resume();
            return catalog;
        }

        SharedReads reads() {
            return federation.reads();
        }

        @Override
        public void close() throws IOException {
            for (Cube each : cubes.values()) {
                each.close();
            }
            shared.close();
        }
    }

    /** Prepares a write in a cube. */
    private interface BeforeWrite {
        void prepare(Op op);
    }

    /** Returns the cubes with the process of each. */
    private static Map<Integer, Process> byCube(List<Process> processes) {
        Map<Integer, Process> all = new HashMap<>();
        processes.forEach(each -> each.catalogs.keySet().forEach(cube -> all.put(cube, each)));
        return all;
    }

    /** Does the steps, and returns the traces of all keys. */
    private List<String> run(
            List<Process> processes, HistoryPolicy policy, List<Op> ops, BeforeWrite before)
            throws IOException {
        Map<Integer, Process> owners = byCube(processes);
        for (int cube = 0; cube < CUBES; cube++) {
            Catalog catalog = owners.get(cube).catalogs.get(cube);
            assertThat(catalog.createBucket(CLIENTS.getFirst(), bucket(cube))).isNotNull();
            catalog.setHistoryPolicy(CLIENTS.getFirst(), bucket(cube), policy);
        }
        long[] seen = new long[CLIENTS.size()];
        for (Op op : ops) {
            Process owner = owners.get(op.cube());
            Cube cube = owner.cubes.get(op.cube());
            if (op.kind() == Op.Kind.READ) {
                read(owner.catalogs.get(op.cube()), op);
            } else {
                before.prepare(op);
                long last = cube.lastSequence();
                write(owner.catalogs.get(op.cube()), op);
                // A delete of a key that does not exist commits nothing.
                if (op.kind() == Op.Kind.PUT || cube.lastSequence() > last) {
                    assertThat(cube.lastSequence()).as("%s", op).isGreaterThan(seen[op.client()]);
                }
            }
            seen[op.client()] = Math.max(seen[op.client()], cube.lastSequence());
        }
        return traces(owners);
    }

    private static void read(Catalog store, Op op) throws IOException {
        try {
            OpenObject object =
                    store.open(
                            CLIENTS.get(op.client()),
                            bucket(op.cube()),
                            new ObjectKey(op.key()),
                            VersionSelector.LATEST);
            try (BlobReader reader = object.reader()) {
                assertThat(StoreFixture.content(reader)).isNotEmpty();
            }
        } catch (StoreException e) {
            assertThat(e.reason()).isEqualTo(StoreException.Reason.NO_SUCH_KEY);
        }
    }

    private static void write(Catalog store, Op op) throws IOException {
        Caller client = CLIENTS.get(op.client());
        BucketName bucket = bucket(op.cube());
        ObjectKey key = new ObjectKey(op.key());
        if (op.kind() == Op.Kind.DELETE) {
            store.delete(client, bucket, key, VersionSelector.LATEST, WriteCondition.NONE);
            return;
        }
        byte[] bytes = StoreFixture.utf8(op.toString());
        try (BlobWriter writer = store.newBody(bucket, key, OptionalLong.of(bytes.length))) {
            writer.write(ByteBuffer.wrap(bytes));
            assertThat(
                            store.put(
                                    client,
                                    bucket,
                                    key,
                                    writer.finish(),
                                    StoreFixture.attributes(op.toString()),
                                    WriteCondition.NONE))
                    .isNotNull();
        }
    }

    /** Gathers the cubes in one process, and returns what is derived from what. */
    private static List<String> traces(Map<Integer, Process> owners) throws IOException {
        Federation gathered = new Federation(new UUID(8, 8));
        Map<Integer, Catalog> catalogs = new HashMap<>();
        for (int cube = 0; cube < CUBES; cube++) {
            owners.get(cube).catalogs.get(cube).close();
            catalogs.put(cube, owners.get(cube).catalog(cube, gathered));
        }
        List<String> found = new ArrayList<>();
        for (int cube = 0; cube < CUBES; cube++) {
            for (String key : KEYS) {
                for (Direction direction : Direction.values()) {
                    found.add(
                            direction
                                    + " "
                                    + cube
                                    + "/"
                                    + key
                                    + ": "
                                    + trace(catalogs.get(cube), direction, bucket(cube), key));
                }
            }
        }
        for (Catalog each : catalogs.values()) {
            each.close();
        }
        return found;
    }

    private static TreeSet<String> trace(
            Catalog catalog, Direction direction, BucketName bucket, String key)
            throws IOException {
        TreeSet<String> found = new TreeSet<>();
        try {
            Page<Step> page =
                    catalog.history()
                            .trace(
                                    direction,
                                    bucket,
                                    new ObjectKey(key),
                                    Optional.empty(),
                                    Optional.empty(),
                                    1000);
            assertThat(page.next()).isEmpty();
            for (Step step : page.entries()) {
                if (step.node() instanceof Node.OfObject object) {
                    found.add(
                            object.place().bucket()
                                    + "/"
                                    + object.place().key().value()
                                    + "/"
                                    + object.place().causalVersion());
                }
            }
        } catch (StoreException e) {
            assertThat(e.reason()).isEqualTo(StoreException.Reason.NO_SUCH_KEY);
            found.add("deleted");
        }
        return found;
    }

    private static List<Op> ops(Random random) {
        List<Op> ops = new ArrayList<>();
        for (int i = 0; i < STEPS; i++) {
            Op.Kind kind =
                    switch (random.nextInt(10)) {
                        case 0 -> Op.Kind.DELETE;
                        case 1, 2, 3, 4 -> Op.Kind.PUT;
                        default -> Op.Kind.READ;
                    };
            ops.add(
                    new Op(
                            random.nextInt(CLIENTS.size()),
                            random.nextInt(CUBES),
                            KEYS.get(random.nextInt(KEYS.size())),
                            kind));
        }
        return ops;
    }

    /** The exchange of owners, over a bad network. */
    private static final class Exchange implements BeforeWrite {
        private final List<Process> processes;
        private final Random random;
        private final Map<Process, Map<Process, Position>> positions = new HashMap<>();

        /** The answers that are under way to each process. */
        private final Map<Process, List<byte[]>> late = new HashMap<>();

        Exchange(List<Process> processes, Random random) {
            this.processes = processes;
            this.random = random;
        }

        @Override
        public void prepare(Op op) {
            Process asker = byCube(processes).get(op.cube());
            List<Process> others = new ArrayList<>(processes);
            others.remove(asker);
            Collections.shuffle(others, random);
            List<byte[]> delayed = late.computeIfAbsent(asker, same -> new ArrayList<>());
            for (Process other : others) {
                if (random.nextInt(3) == 0) {
                    // An answer that the asker does not get, or gets later.
                    delayed.add(other.reads().since(position(asker, other)));
                }
                if (!delayed.isEmpty() && random.nextBoolean()) {
                    int one = random.nextInt(delayed.size());
                    Progress progress = asker.reads().add(delayed.get(one));
                    assertThat(progress.hasMore()).isFalse();
                    if (random.nextBoolean()) {
                        delayed.remove(one);
                    }
                }
                byte[] answer = other.reads().since(position(asker, other));
                Progress progress = asker.reads().add(answer);
                assertThat(progress.hasMore()).isFalse();
                positions.get(asker).put(other, progress.position());
                asker.shared.passed(other.shared.lastSequence());
            }
        }

        private Position position(Process asker, Process other) {
            return positions
                    .computeIfAbsent(asker, same -> new HashMap<>())
                    .getOrDefault(other, Position.START);
        }
    }

    @ParameterizedTest
    @EnumSource(HistoryPolicy.class)
    @Tag("slow")
    void theHistoryIsThatOfOneProcess(HistoryPolicy policy) throws Exception {
        long seed = Long.getLong("owners.seed", System.currentTimeMillis());
        System.out.println("OwnersModelTest: -Downers.seed=" + seed);
        Random random = new Random(seed);
        List<Op> ops = ops(random);
        List<String> expected;
        AtomicLong ticks = new AtomicLong(1_700_000_000_000L);
        try (Process one = new Process("one", 0, List.of(0, 1, 2), ticks, Duration.ZERO)) {
            expected = run(List.of(one), policy, ops, op -> {});
        }
        if (policy != HistoryPolicy.NONE) {
            assertThat(expected).anyMatch(line -> line.matches("BACK 0/.*bucket-[12].*"));
        }
        // The clocks differ, so only the exchange orders the commits.
        try (Process first = process(1, List.of(0), ticks, random);
                Process second = process(2, List.of(1), ticks, random);
                Process third = process(3, List.of(2), ticks, random)) {
            List<Process> owners = List.of(first, second, third);
            owners.forEach(each -> each.reads().setShared(true));
            assertThat(run(owners, policy, ops, new Exchange(owners, random))).isEqualTo(expected);
        }
    }

    private Process process(int number, List<Integer> owned, AtomicLong ticks, Random random)
            throws IOException {
        Duration skew = Duration.ofSeconds(random.nextInt(-3600, 3600));
        return new Process("owner-" + number, number, owned, ticks, skew);
    }
}
