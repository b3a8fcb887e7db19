package io.volute.testkit.model;

import io.volute.storage.Cube;
import io.volute.storage.CubeOptions;
import io.volute.storage.CubeOptions.LogSettings;
import io.volute.storage.CubeOptions.OnDamage;
import io.volute.storage.Cubes;
import io.volute.storage.index.MemoryIndexFactory;
import io.volute.testkit.crash.SimProvenance;
import io.volute.testkit.sim.PersistencePolicy;
import io.volute.testkit.sim.SimFileSystem;
import io.volute.versioning.ObjectStore;
import io.volute.versioning.ObjectStores;
import io.volute.versioning.Provenance;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.StoreOptions.HistorySettings;
import io.volute.versioning.VersionedStore;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.value.Caller;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * The real object store on a simulated disk; closing it is a crash, or a clean end. New buckets
 * have one history policy or another, and calls come from several actors: what S3's clients see is
 * the same under all.
 */
final class SimStore implements StoreUnderTest {
    private static final InstantSource CLOCK = InstantSource.fixed(Instant.EPOCH);

    /** The way a store ends before it is opened again. */
    enum End {
        CLEAN,
        CRASH,
        /** A crash, and the index is lost with it. */
        CRASH_WITHOUT_INDEX
    }

    private static final int ACTORS = 3;

    private final End end;
    private final LogSettings settings;
    private final SplittableRandom random;
    private final boolean isSigned;
    private SimFileSystem disk;
    private MemoryIndexFactory indexes = new MemoryIndexFactory();
    private Optional<Provenance> provenance = Optional.empty();

    SimStore(End end, int segmentBytes, long seed) {
        this(end, segmentBytes, seed, false);
    }

    /**
     * @param isSigned with provenance
     */
    SimStore(End end, int segmentBytes, long seed, boolean isSigned) {
        this.isSigned = isSigned;
        this.end = end;
        this.settings =
                new LogSettings(
                        segmentBytes, 3_000, 6_000, 200_000, 1 << 20, 1 << 20, OnDamage.REFUSE);
        this.random = new SplittableRandom(seed);
        this.disk = new SimFileSystem(seed);
    }

    @Override
    public ObjectStore open() throws IOException {
        CubeOptions options =
                new CubeOptions(
                        Path.of("/cube"),
                        disk,
                        CLOCK,
                        new SplittableRandom(7),
                        ObjectStores.families(),
                        settings);
        Cube cube = Cubes.open(options, indexes).cube();
        StoreOptions.Limits limits =
                new StoreOptions.Limits(
                        100_000,
                        StoreComparison.PART_BYTES_MIN,
                        5L << 30,
                        5L << 40,
                        random.nextInt(3) * 100);
        HistoryPolicy[] policies = HistoryPolicy.values();
        StoreOptions usual =
                new StoreOptions(
                        cube,
                        CLOCK,
                        new SplittableRandom(random.nextLong()),
                        limits,
                        HistorySettings.DEFAULTS.with(policies[random.nextInt(policies.length)]));
        VersionedStore store =
                ObjectStores.open(isSigned ? usual.with(SimProvenance.settings()) : usual);
        provenance = store.provenance();
        return (ObjectStore)
                Proxy.newProxyInstance(
                        ObjectStore.class.getClassLoader(),
                        new Class<?>[] {ObjectStore.class},
                        (proxy, method, arguments) -> {
                            if (method.getName().equals("close")) {
                                end(store, cube);
                                return null;
                            }
                            try {
                                return method.invoke(store, bySomebody(arguments));
                            } catch (InvocationTargetException thrown) {
                                throw thrown.getCause();
                            }
                        });
    }

    /** Replaces the caller's actor by a random one and keeps the rest of the call. */
    private Object[] bySomebody(Object[] arguments) {
        if (arguments != null && arguments.length > 0 && arguments[0] instanceof Caller caller) {
            arguments[0] =
                    new Caller(
                            caller.principal(),
                            caller.accessKey(),
                            "actor " + random.nextInt(ACTORS),
                            caller.statement());
        }
        return arguments;
    }

    /** Returns the provenance of the store that was opened last. */
    Provenance provenance() {
        return provenance.orElseThrow();
    }

    private void end(ObjectStore store, Cube cube) throws IOException {
        PersistencePolicy[] policies = PersistencePolicy.values();
        PersistencePolicy policy = policies[random.nextInt(policies.length)];
        Optional<SimFileSystem> image =
                end == End.CLEAN
                        ? Optional.empty()
                        : Optional.of(disk.crashImage(policy, random.nextLong()));
        MemoryIndexFactory left =
                end == End.CRASH_WITHOUT_INDEX ? new MemoryIndexFactory() : indexes.crashImage();
        store.close();
        cube.close();
        if (image.isPresent()) {
            disk = image.orElseThrow();
            indexes = left;
        }
    }
}
