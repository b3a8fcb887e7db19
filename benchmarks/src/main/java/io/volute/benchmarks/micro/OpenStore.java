package io.volute.benchmarks.micro;

import io.volute.benchmarks.Scratch;
import io.volute.benchmarks.Ticks;
import io.volute.benchmarks.WorkerThreads;
import io.volute.storage.BlobWriter;
import io.volute.storage.Cube;
import io.volute.storage.CubeOptions;
import io.volute.storage.CubeOptions.LogSettings;
import io.volute.storage.CubeOptions.MemorySettings;
import io.volute.storage.Cubes;
import io.volute.storage.directory.StoreDirectory;
import io.volute.storage.io.OsFileSystem;
import io.volute.storage.report.CubeStats;
import io.volute.versioning.ObjectStore;
import io.volute.versioning.ObjectStores;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

/** An object store with one bucket, with a server's defaults. Thread-safe. */
final class OpenStore implements AutoCloseable {
    static final BucketName BUCKET = new BucketName("bench");
    static final Caller CALLER = new Caller("bench", "bench", "bench");

    private static final int FILLING_THREADS = 64;

    private final Scratch scratch = Scratch.here();
    private final StoreDirectory opened;
    private final Cube cube;
    private final ObjectStore store;
    private final AtomicLong next = new AtomicLong();
    private final byte[] content;
    private final ObjectAttributes attributes;

    OpenStore(int bodyBytes, MemorySettings memory) throws IOException {
        SecureRandom random = new SecureRandom();
        OsFileSystem files = new OsFileSystem();
        opened = StoreDirectory.open(scratch.directory(), files, InstantSource.system());
        cube =
                Cubes.open(
                                new CubeOptions(
                                        opened.cube("default"),
                                        files,
                                        InstantSource.system(),
                                        random,
                                        ObjectStores.families(),
                                        LogSettings.defaults(),
                                        memory,
                                        Ticks::nanos))
                        .cube();
        store = ObjectStores.open(StoreOptions.defaults(cube, InstantSource.system(), random));
        store.createBucket(CALLER, BUCKET);
        content = new byte[bodyBytes];
        random.nextBytes(content);
        attributes =
                new ObjectAttributes(
                        "d41d8cd98f00b204e9800998ecf8427e",
                        new TreeMap<>(Map.of("content-type", "binary/octet-stream")),
                        new TreeMap<>(),
                        new TreeMap<>(),
                        Optional.empty());
    }

    ObjectStore store() {
        return store;
    }

    CubeStats stats() {
        return cube.stats();
    }

    long objects() {
        return next.get();
    }

    static ObjectKey key(long number) {
        return new ObjectKey(String.format(Locale.ROOT, "data/%010d", number));
    }

    /** Puts an object under a new key. */
    ObjectVersion put() throws IOException {
        try (BlobWriter writer =
                store.newBody(BUCKET, new ObjectKey("any"), OptionalLong.of(content.length))) {
            writer.write(ByteBuffer.wrap(content));
            ObjectKey key = key(next.getAndIncrement());
            return store.put(CALLER, BUCKET, key, writer.finish(), attributes, WriteCondition.NONE);
        }
    }

    /** Puts so many objects, several at a time. */
    void fill(long count) throws IOException, InterruptedException {
        WorkerThreads.run(
                FILLING_THREADS,
                (number, over) -> {
                    for (long i = number; i < count && !over.get(); i += FILLING_THREADS) {
                        put();
                    }
                });
    }

    @Override
    public void close() throws IOException {
        store.close();
        cube.close();
        opened.close();
        scratch.close();
    }
}
