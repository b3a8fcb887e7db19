package io.volute.benchmarks.micro;

import io.volute.benchmarks.Scratch;
import io.volute.benchmarks.WorkerThreads;
import io.volute.benchmarks.cleaning.store.Content;
import io.volute.benchmarks.cleaning.store.ObjectCube;
import io.volute.benchmarks.cleaning.store.StoreSettings;
import io.volute.storage.CleaningSettings;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * One pass of combined cleaning over a small cube that nobody writes to, of whose objects a share
 * was overwritten at random; {@code bytes} over the result is the speed.
 */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 5)
@Measurement(iterations = 10)
public class CleanerPass extends Suite {
    private static final int SEGMENT_BYTES = 4 << 20;
    private static final long LIVE_BYTES = 32L << 20;
    private static final int WRITERS = 64;

    /** Bytes of an object. */
    @Param({"1024", "16384"})
    private int bytes;

    /** Percent of the objects that were written once more. */
    @Param({"30", "60"})
    private int overwritten;

    private Scratch scratch;
    private ObjectCube cube;

    /** Fills a new cube. */
    @Setup(Level.Invocation)
    public void fill() throws IOException, InterruptedException {
        scratch = Scratch.here();
        cube =
                new ObjectCube(
                        scratch.directory().resolve("cube"),
                        new StoreSettings(SEGMENT_BYTES, CleaningSettings.onlyWhenAsked()),
                        new Content(1));
        long each = LIVE_BYTES / bytes / WRITERS;
        WorkerThreads.run(
                WRITERS,
                (number, over) -> {
                    SplittableRandom random = new SplittableRandom(number);
                    ByteBuffer buffer = ByteBuffer.allocate(bytes);
                    for (long i = 0; i < each; i++) {
                        cube.put(number * each + i, 1, bytes, buffer);
                    }
                    for (long i = 0; i < each * overwritten / 100; i++) {
                        cube.put(number * each + random.nextLong(each), 2, bytes, buffer);
                    }
                });
    }

    /** Bytes set free. */
    @Benchmark
    public long pass() throws IOException {
        return cube.clean();
    }

    /** Removes the cube. */
    @TearDown(Level.Invocation)
    public void close() throws IOException {
        cube.close();
        scratch.close();
    }
}
