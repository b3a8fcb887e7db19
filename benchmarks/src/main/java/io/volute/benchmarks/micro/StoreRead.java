package io.volute.benchmarks.micro;

import io.volute.storage.BlobReader;
import io.volute.storage.CubeOptions.MemorySettings;
import io.volute.versioning.Listing.ObjectPage;
import io.volute.versioning.Listing.ObjectQuery;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.SplittableRandom;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/** Reads without HTTP, with memory images and without: a look-up, a whole object, a listing. */
public class StoreRead extends Suite {
    private static final int PAGE = 1000;

    /** Bytes of an object. */
    @Param({"1024", "4096"})
    private int bytes;

    /** Budget of the memory images in MiB. */
    @Param({"64", "0"})
    private long imageMebibytes;

    /** Objects in the store; all of 1 KiB fit in the images. */
    @Param("20000")
    private long objects;

    private OpenStore store;
    private SplittableRandom random;
    private ByteBuffer buffer;
    private BlobReader opened;

    /** Fills a new store. */
    @Setup
    public void open() throws IOException, InterruptedException {
        random = new SplittableRandom(1);
        buffer = ByteBuffer.allocateDirect(bytes * 2);
        store = new OpenStore(bytes, new MemorySettings(imageMebibytes << 20, 16 << 10));
        store.fill(objects);
        opened = open(1);
    }

    private BlobReader open(long number) throws IOException {
        return store.store()
                .open(
                        OpenStore.CALLER,
                        OpenStore.BUCKET,
                        OpenStore.key(number),
                        VersionSelector.LATEST)
                .reader();
    }

    private long read(BlobReader reader) throws IOException {
        reader.read(0, reader.bytes(), buffer);
        return buffer.getLong(buffer.position());
    }

    /** HEAD. */
    @Benchmark
    public Optional<ObjectVersion> lookUp() throws IOException {
        return store.store()
                .head(
                        OpenStore.CALLER,
                        OpenStore.BUCKET,
                        OpenStore.key(random.nextLong(objects)),
                        VersionSelector.LATEST);
    }

    /** The whole GET below HTTP: look-up, open, read, verify. */
    @Benchmark
    public long get() throws IOException {
        try (BlobReader reader = open(random.nextLong(objects))) {
            return read(reader);
        }
    }

    /** Only the bytes: from memory or the page cache, verified. */
    @Benchmark
    public long bytes() throws IOException {
        return read(opened);
    }

    /** One page of 1,000 entries anywhere in the bucket. */
    @Benchmark
    public ObjectPage listPage() throws IOException {
        String after = OpenStore.key(random.nextLong(objects - PAGE)).value();
        return store.store()
                .listObjects(
                        OpenStore.CALLER,
                        OpenStore.BUCKET,
                        new ObjectQuery("data/", "", after, PAGE));
    }

    /** Shows what was served from memory, and removes the store. */
    @TearDown
    public void close() throws IOException {
        opened.close();
        System.out.println("# " + store.stats().images().reads());
        store.close();
    }
}
