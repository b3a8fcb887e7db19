package io.volute.benchmarks.micro;

import io.volute.benchmarks.Scratch;
import io.volute.benchmarks.Ticks;
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
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicLong;

/** An object store with one bucket, with a server's defaults. Thread-safe. */
final class OpenStore implements AutoCloseable {
    static final BucketName BUCKET = new BucketName("bench");
    static final Caller CALLER = new Caller("bench", "bench", "bench");

    private static final int FILLING_THREADS = 64;

    /** Empty when the store is kept. */
    private final Optional<Scratch> scratch;

    private final StoreDirectory opened;
    private final Cube cube;
    private final ObjectStore store;
    private final AtomicLong next = new AtomicLong();
    private final byte[] content;
    private final ObjectAttributes attributes;

    OpenStore(int bodyBytes) throws IOException {
        this(bodyBytes, MemorySettings.defaults());
    }

    OpenStore(int bodyBytes, MemorySettings memory) throws IOException {
        this(Scratch.here(), bodyBytes, memory);
    }

    /** In a data directory of a server that is kept, with what is there. */
    static OpenStore in(Path directory, int bodyBytes) throws IOException {
        return new OpenStore(directory, Optional.empty(), bodyBytes, MemorySettings.defaults());
    }

    private OpenStore(Scratch scratch, int bodyBytes, MemorySettings memory) throws IOException {
        this(scratch.directory(), Optional.of(scratch), bodyBytes, memory);
    }

    private OpenStore(
            Path directory, Optional<Scratch> scratch, int bodyBytes, MemorySettings memory)
            throws IOException {
        this.scratch = scratch;
        SecureRandom random = new SecureRandom();
        OsFileSystem files = new OsFileSystem();
        opened = StoreDirectory.open(directory, files, InstantSource.system());
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
        if (store.bucket(BUCKET).isEmpty()) {
            store.createBucket(CALLER, BUCKET);
        }
        content = new byte[bodyBytes];
        random.nextBytes(content);
        SortedMap<String, String> headers = new TreeMap<>();
        headers.put("content-type", "binary/octet-stream");
        attributes =
                new ObjectAttributes(
                        "d41d8cd98f00b204e9800998ecf8427e",
                        headers,
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
        return put(key(next.getAndIncrement()));
    }

    /** Puts an object. */
    ObjectVersion put(ObjectKey key) throws IOException {
        try (BlobWriter writer = store.newBody(BUCKET, OptionalLong.of(content.length))) {
            writer.write(ByteBuffer.wrap(content));
            return store.put(CALLER, BUCKET, key, writer.finish(), attributes, WriteCondition.NONE);
        }
    }

    /** Puts so many objects, several at a time. */
    void fill(long count) throws IOException, InterruptedException {
        putAll(count, number -> put());
    }

    /** Puts the first so many objects, several at a time, whether they are there or not. */
    void putFirst(long count) throws IOException, InterruptedException {
        putAll(count, number -> put(key(number)));
    }

    private interface Putting {
        ObjectVersion put(long number) throws IOException;
    }

    private static void putAll(long count, Putting putting)
            throws IOException, InterruptedException {
        AtomicLong taken = new AtomicLong();
        List<FutureTask<Long>> tasks = new ArrayList<>();
        for (int i = 0; i < FILLING_THREADS; i++) {
            FutureTask<Long> task =
                    new FutureTask<>(
                            () -> {
                                long made = 0;
                                for (long number = taken.getAndIncrement();
                                        number < count;
                                        number = taken.getAndIncrement()) {
                                    made += putting.put(number).bytes() >= 0 ? 1 : 0;
                                }
                                return made;
                            });
            tasks.add(task);
            Thread.ofVirtual().name("fill-" + i).start(task);
        }
        for (FutureTask<Long> task : tasks) {
            try {
                task.get();
            } catch (ExecutionException e) {
                throw new IOException("filling the store failed", e.getCause());
            }
        }
    }

    @Override
    public void close() throws IOException {
        store.close();
        cube.close();
        opened.close();
        if (scratch.isPresent()) {
            scratch.get().close();
        }
    }
}
