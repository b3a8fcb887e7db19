package io.volute.versioning.cubes;

import io.volute.storage.BlobReader;
import io.volute.storage.BlobWriter;
import io.volute.storage.Cube;
import io.volute.storage.CubeOptions;
import io.volute.storage.CubeOptions.LogSettings;
import io.volute.storage.CubeState;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.CubeUnavailableException.Reason;
import io.volute.storage.Cubes;
import io.volute.storage.PendingBlob;
import io.volute.storage.Transaction;
import io.volute.storage.directory.MarkFile;
import io.volute.storage.index.IndexFactory;
import io.volute.storage.index.MemoryIndexFactory;
import io.volute.storage.index.RocksIndexFactory;
import io.volute.storage.io.FileSystem;
import io.volute.storage.io.OsFileSystem;
import io.volute.storage.io.StoredFile;
import io.volute.testkit.sim.SimFileSystem;
import io.volute.versioning.CubeViews;
import io.volute.versioning.ObjectReader;
import io.volute.versioning.ObjectReader.OpenObject;
import io.volute.versioning.ObjectStore;
import io.volute.versioning.ObjectStores;
import io.volute.versioning.StoreCubes;
import io.volute.versioning.StoreCubes.Elsewhere;
import io.volute.versioning.StoreCubes.Placement;
import io.volute.versioning.StoreFixture;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.TestKeys;
import io.volute.versioning.VersionedStore;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/**
 * A store of several cubes, which signs. Its disk is simulated unless a test has {@link OnDisk}:
 * what happens between cubes does not depend on it, and real ones force each commit.
 */
abstract class CubesFixture {
    /** Puts the cubes of a test on the real disk. */
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.TYPE)
    @interface OnDisk {}

    static final Caller ALICE = new Caller("alice", "key-a", "alice-laptop");
    static final Caller BOB = new Caller("bob", "key-b", "bob-phone");

    private static final LogSettings LOG =
            new LogSettings(
                    1 << 20, 4096, 4096, 1L << 40, 1 << 20, 1 << 20, CubeOptions.OnDamage.REFUSE);

    @TempDir Path directory;

    private final boolean isOnDisk = getClass().isAnnotationPresent(OnDisk.class);

    /** The disk of all cubes. */
    final FileSystem disk = isOnDisk ? new OsFileSystem() : new SimFileSystem();

    private final IndexFactory indexes =
            isOnDisk ? new RocksIndexFactory() : new MemoryIndexFactory();

    /** Each look at the clock is a millisecond later. */
    private final AtomicLong millis = new AtomicLong(1_700_000_000_000L);

    /** Runs at each look at the clock, in the thread that looks. */
    volatile Runnable atClock = () -> {};

    final InstantSource clock =
            () -> {
                atClock.run();
                return Instant.ofEpochMilli(millis.incrementAndGet());
            };

    /** The clock goes on from another time. */
    final void jump(Duration by) {
        long unused = millis.addAndGet(by.toMillis());
    }

    /** The cubes whose files cannot be written or forced, by name. */
    final Set<String> faulty = ConcurrentHashMap.newKeySet();

    /** Failures that opening a cube meets, by its name. */
    final Map<String, IOException> failures = new HashMap<>();

    /** Cubes that another node has, by name. */
    final Set<String> elsewhere = ConcurrentHashMap.newKeySet();

    /** Runs after each force of a file of the system cube, before its caller goes on. */
    volatile Runnable atSystemForce = () -> {};

    /** The cubes that were opened last, by name. */
    final Map<String, Cube> opened = new ConcurrentHashMap<>();

    /** Decides the outcome of each commit. */
    volatile Fate fate = cube -> Outcome.COMMITTED;

    /** Cubes of which a commit had an unknown outcome since they were opened, by name. */
    private final Set<String> broken = ConcurrentHashMap.newKeySet();

    /** The outcome of a commit. */
    enum Outcome {
        COMMITTED,
        /** Nothing is written, and later commits are. */
        REFUSED,
        /** The caller cannot know that nothing was written; the cube is read-only. */
        LOST,
        /** The caller cannot know that it was written; the cube is read-only. */
        WRITTEN
    }

    /** Decides the outcome of a commit. */
    @FunctionalInterface
    interface Fate {
        Outcome of(String cube);
    }

    /** Cubes whose opening waits, by name. */
    final Map<String, CountDownLatch> gates = new ConcurrentHashMap<>();

    Cubes.Shared shared;
    StoreCubes.Files files;
    Cube system;
    StoreCubes cubes;
    VersionedStore store;

    /** The rule of the store; a test may override it. */
    Placement rule() {
        return Placement.DEFAULT;
    }

    /** The owners of cubes that are elsewhere; a test may override it. */
    Elsewhere owners() {
        return Elsewhere.NOBODY;
    }

    /** The views of cubes that are elsewhere; a test may override it. */
    CubeViews views(Disk of) {
        return CubeViews.NONE;
    }

    /** The settings of the log of each cube; a test may override it. */
    LogSettings log() {
        return LOG;
    }

    /** The options of the store on each cube; a test may change them. */
    StoreOptions options(StoreOptions usual) {
        return usual.with(TestKeys.settings());
    }

    @BeforeEach
    void open() throws Exception {
        shared = newShared();
        files = new Disk(shared);
        system = files.open(StoreCubes.SYSTEM);
        cubes =
                ObjectStores.openNode(
                        files,
                        systemView(method -> {}),
                        cube ->
                                options(
                                        StoreOptions.defaults(
                                                cube, clock, new SplittableRandom(3))),
                        rule(),
                        owners());
        cubes.take(StoreCubes.SYSTEM);
        cubes.awaitOpened(Duration.ofMinutes(1));
        store = cubes.store();
    }

    /**
     * Returns the system cube that is open now, for servers that outlast it.
     *
     * @param calls receives the name of each method that is called
     */
    final Cube systemView(Consumer<String> calls) {
        return (Cube)
                Proxy.newProxyInstance(
                        Cube.class.getClassLoader(),
                        new Class<?>[] {Cube.class},
                        (proxy, method, arguments) -> {
                            calls.accept(method.getName());
                            try {
                                return method.invoke(system, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
    }

    /** Returns what the cubes of a process share. */
    Cubes.Shared newShared() {
        return isOnDisk ? new Cubes.Shared(log()) : new Cubes.Shared(indexes);
    }

    @AfterEach
    void close() throws IOException {
        cubes.close();
        system.close();
        shared.close();
    }

    void restart() throws Exception {
        close();
        open();
    }

    Path cube(String name) {
        return directory.resolve("cubes").resolve(name);
    }

    /** Returns the file system of a cube, whose writes fail while the cube is faulty. */
    private FileSystem files(String cube) {
        return failing(
                FileSystem.class,
                disk,
                (method, result) ->
                        result instanceof StoredFile file
                                ? failing(
                                        StoredFile.class,
                                        file,
                                        (inner, value) -> {
                                            if (inner.equals("force")
                                                    && cube.equals(StoreCubes.SYSTEM)) {
                                                atSystemForce.run();
                                            }
                                            boolean writes =
                                                    inner.equals("force")
                                                            || inner.startsWith("write");
                                            if (writes && faulty.contains(cube)) {
                                                throw new IOException("injected into " + cube);
                                            }
                                            return value;
                                        })
                                : result);
    }

    /** Changes the result of a call, or fails it. */
    private interface After {
        Object of(String method, Object result) throws IOException;
    }

    private static <T> T failing(Class<T> type, T target, After after) {
        return type.cast(
                Proxy.newProxyInstance(
                        type.getClassLoader(),
                        new Class<?>[] {type},
                        (proxy, method, arguments) -> {
                            try {
                                return after.of(method.getName(), method.invoke(target, arguments));
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        }));
    }

    /** The cubes in the directory of the test. */
    final class Disk implements StoreCubes.Files {
        private final Cubes.Shared resources;

        /** Opens cubes with the shared resources of a process. */
        Disk(Cubes.Shared resources) {
            this.resources = resources;
        }

        @Override
        public boolean isElsewhere(String name) {
            return elsewhere.contains(name);
        }

        @Override
        public CubeViews views() {
            return CubesFixture.this.views(this);
        }

        @Override
        public Cube open(String name) throws IOException {
            if (name.equals(StoreCubes.SYSTEM)
                    && system != null
                    && system.state() != CubeState.CLOSED) {
                return system;
            }
            if (failures.containsKey(name)) {
                throw failures.get(name);
            }
            if (gates.containsKey(name)) {
                await(gates.get(name));
            }
            Cube cube =
                    Cubes.open(
                                    new CubeOptions(
                                            cube(name),
                                            files(name),
                                            clock,
                                            new SplittableRandom(name.hashCode()),
                                            ObjectStores.families(),
                                            log()),
                                    resources)
                            .cube();
            broken.remove(name);
            Cube fated = fated(name, cube);
            opened.put(name, fated);
            if (name.equals(StoreCubes.SYSTEM)) {
                system = fated;
            }
            return fated;
        }

        @Override
        public Optional<UUID> identity(String name) throws IOException {
            return new MarkFile(disk, cube(name).resolve("cube.mark"))
                    .read()
                    .map(values -> UUID.fromString(values.get("id")));
        }

        @Override
        public void allowSeveralCubes() {}

        @Override
        public void discardIndex(String name) throws IOException {
            Cubes.rebuildIndex(cube(name), indexes);
        }

        @Override
        public String retire(String name, int number) throws IOException {
            Path retired = cube(name + ".deleted-" + number);
            disk.rename(cube(name), retired);
            // An index in memory has not moved with it.
            Cubes.rebuildIndex(cube(name), indexes);
            return retired.toString();
        }
    }

    /** Returns a cube whose commits have the outcomes of {@link #fate}. */
    private Cube fated(String name, Cube cube) {
        return (Cube)
                Proxy.newProxyInstance(
                        Cube.class.getClassLoader(),
                        new Class<?>[] {Cube.class},
                        (proxy, method, arguments) -> {
                            if (method.getName().equals("commit")) {
                                return commit(name, cube, (Transaction) arguments[0]);
                            }
                            if (method.getName().equals("state")
                                    && broken.contains(name)
                                    && cube.state() != CubeState.CLOSED) {
                                return CubeState.READ_ONLY;
                            }
                            try {
                                return method.invoke(cube, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
    }

    private CompletableFuture<Long> commit(String name, Cube cube, Transaction transaction) {
        if (broken.contains(name)) {
            return failed(Reason.READ_ONLY);
        }
        return switch (fate.of(name)) {
            case COMMITTED -> cube.commit(transaction);
            case REFUSED -> failed(Reason.FULL);
            case LOST -> {
                broken.add(name);
                yield failed(Reason.READ_ONLY);
            }
            case WRITTEN -> {
                broken.add(name);
                yield cube.commit(transaction).thenCompose(sequence -> failed(Reason.READ_ONLY));
            }
        };
    }

    private static CompletableFuture<Long> failed(Reason reason) {
        return CompletableFuture.failedFuture(new CubeUnavailableException(reason, "injected"));
    }

    private static void await(CountDownLatch gate) throws IOException {
        try {
            gate.await();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    static BucketName name(String bucket) {
        return new BucketName(bucket);
    }

    static ObjectKey key(String key) {
        return new ObjectKey(key);
    }

    BucketInfo bucket(String bucket, String cube) throws IOException {
        return store.createBucket(ALICE, name(bucket), false, Map.of(), Optional.of(cube));
    }

    ObjectVersion put(Caller caller, String bucket, String key, String text) throws IOException {
        return store.put(
                caller,
                name(bucket),
                key(key),
                body(bucket, key, text),
                StoreFixture.attributes(text),
                WriteCondition.NONE);
    }

    PendingBlob body(String bucket, String key, String text) throws IOException {
        byte[] bytes = StoreFixture.utf8(text);
        try (BlobWriter writer =
                store.newBody(name(bucket), key(key), OptionalLong.of(bytes.length))) {
            writer.write(ByteBuffer.wrap(bytes));
            return writer.finish();
        }
    }

    String get(Caller caller, String bucket, String key) throws IOException {
        return get(store, caller, bucket, key);
    }

    static String get(ObjectReader from, Caller caller, String bucket, String key)
            throws IOException {
        OpenObject object = from.open(caller, name(bucket), key(key), VersionSelector.LATEST);
        try (BlobReader reader = object.reader()) {
            return StoreFixture.content(reader);
        }
    }

    ObjectVersion copy(Caller caller, String bucket, String key, String target, String targetKey)
            throws IOException {
        return store.copy(
                        caller,
                        new ObjectStore.Source(name(bucket), key(key), VersionSelector.LATEST),
                        name(target),
                        key(targetKey),
                        source -> {},
                        source -> source.attributes(),
                        WriteCondition.NONE)
                .target();
    }

    /** Waits until the cube that is being opened is open, or has failed. */
    StoreCubes.CubeInfo awaitOpened(String name) throws InterruptedException {
        cubes.awaitOpened(Duration.ofMinutes(1));
        return info(name);
    }

    StoreCubes.CubeInfo info(String name) {
        return cubes.list().stream()
                .filter(cube -> cube.name().equals(name))
                .findFirst()
                .orElseThrow();
    }
}
