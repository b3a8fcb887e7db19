package io.volute.benchmarks.micro;

import io.volute.storage.BlobReader;
import io.volute.storage.CubeOptions.MemorySettings;
import io.volute.versioning.ObjectReader.OpenObject;
import io.volute.versioning.value.VersionSelector;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;

/** GET of 1 KiB objects that are read again and again, with memory images and without. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 2, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(1)
public class HotRead {
    private static final int BODY_BYTES = 1024;

    /** Budget of the memory images in MiB. */
    @Param({"64", "0"})
    private long imageMebibytes;

    /** Objects in the store; all of them fit in the images. */
    @Param("20000")
    private long objects;

    private OpenStore store;
    private SplittableRandom random;
    private ByteBuffer buffer;

    /** Fills a new store. */
    @Setup(Level.Trial)
    public void open() throws IOException, InterruptedException {
        random = new SplittableRandom(1);
        buffer = ByteBuffer.allocateDirect(BODY_BYTES * 2);
        store = new OpenStore(BODY_BYTES, new MemorySettings(imageMebibytes << 20, 16 << 10));
        store.fill(objects);
    }

    /** The whole GET below HTTP: look-up, open, read, verify. */
    @Benchmark
    @Threads(1)
    public long get() throws IOException {
        OpenObject object = open(random.nextLong(objects));
        try (BlobReader reader = object.reader()) {
            return read(reader);
        }
    }

    private OpenObject open(long number) throws IOException {
        return store.store()
                .open(
                        OpenStore.CALLER,
                        OpenStore.BUCKET,
                        OpenStore.key(number),
                        VersionSelector.LATEST);
    }

    private long read(BlobReader reader) throws IOException {
        reader.read(0, reader.bytes(), buffer);
        return buffer.getLong(buffer.position());
    }

    /** An object that is open, so that only the bytes are measured. */
    @State(Scope.Benchmark)
    public static class Opened {
        private BlobReader reader;

        /** Opens one. */
        @Setup(Level.Trial)
        public void open(HotRead benchmark) throws IOException {
            reader = benchmark.open(1).reader();
        }

        /** Closes it. */
        @TearDown(Level.Trial)
        public void close() {
            reader.close();
        }
    }

    /** Only the bytes: from memory or the page cache, verified. */
    @Benchmark
    @Threads(1)
    public long bytes(Opened opened) throws IOException {
        return read(opened.reader);
    }

    /** Shows what was served from memory, and removes the store. */
    @TearDown(Level.Trial)
    public void close() throws IOException {
        System.out.println("# " + store.stats().images().reads());
        store.close();
    }
}
