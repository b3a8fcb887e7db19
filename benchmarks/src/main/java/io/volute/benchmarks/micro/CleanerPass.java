package io.volute.benchmarks.micro;

import io.volute.benchmarks.Scratch;
import io.volute.storage.BlobWriter;
import io.volute.storage.CleaningSettings;
import io.volute.storage.Cube;
import io.volute.storage.CubeOptions;
import io.volute.storage.CubeOptions.LogSettings;
import io.volute.storage.CubeOptions.OnDamage;
import io.volute.storage.Cubes;
import io.volute.storage.Family;
import io.volute.storage.PendingBlob;
import io.volute.storage.Transaction;
import io.volute.storage.io.OsFileSystem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
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
import org.openjdk.jmh.annotations.Warmup;

/**
 * One pass of combined cleaning over a small cube that nobody writes to, of whose objects a share
 * was overwritten at random; {@code bytes} over the result is the speed.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 5)
@Measurement(iterations = 10)
@Fork(1)
public class CleanerPass {
    private static final Family OBJECTS = new Family(1, "objects");
    private static final int SEGMENT_BYTES = 4 << 20;
    private static final long LIVE_BYTES = 32L << 20;
    private static final int COMMITS_AT_ONCE = 500;

    /** Bytes of an object. */
    @Param({"1024", "16384"})
    private int bytes;

    /** Percent of the objects that were written once more. */
    @Param({"30", "60"})
    private int overwritten;

    private Scratch scratch;
    private Cube cube;
    private byte[] body;
    private final List<CompletableFuture<Long>> commits = new ArrayList<>();

    /** Fills a new cube. */
    @Setup(Level.Invocation)
    public void fill() throws IOException {
        scratch = Scratch.here();
        LogSettings server = LogSettings.defaults();
        cube =
                Cubes.open(
                                new CubeOptions(
                                        scratch.directory().resolve("cube"),
                                        new OsFileSystem(),
                                        InstantSource.system(),
                                        new SplittableRandom(1),
                                        List.of(OBJECTS),
                                        new LogSettings(
                                                SEGMENT_BYTES,
                                                server.inlineLimitBytes(),
                                                server.chunkBytes(),
                                                server.indexFlushLogBytes(),
                                                server.blockCacheBytes(),
                                                server.writeBufferBytes(),
                                                OnDamage.REFUSE,
                                                CleaningSettings.onlyWhenAsked())))
                        .cube();
        SplittableRandom random = new SplittableRandom(1);
        body = new byte[bytes];
        random.nextBytes(body);
        long objects = LIVE_BYTES / bytes;
        for (long key = 0; key < objects; key++) {
            put(key);
        }
        for (long i = 0; i < objects * overwritten / 100; i++) {
            put(random.nextLong(objects));
        }
        join();
    }

    private void put(long key) throws IOException {
        try (BlobWriter writer = cube.newBlob(OptionalLong.of(bytes))) {
            writer.write(ByteBuffer.wrap(body));
            try (PendingBlob blob = writer.finish()) {
                commits.add(
                        cube.commit(
                                new Transaction()
                                        .add(blob)
                                        .put(
                                                OBJECTS,
                                                ByteBuffer.allocate(Long.BYTES)
                                                        .putLong(key)
                                                        .array(),
                                                new byte[8],
                                                new byte[0],
                                                List.of(blob.id()))));
            }
        }
        if (commits.size() == COMMITS_AT_ONCE) {
            join();
        }
    }

    private void join() {
        commits.forEach(CompletableFuture::join);
        commits.clear();
    }

    /** Bytes set free. */
    @Benchmark
    public long pass() throws IOException {
        return cube.clean(Cube.Cleaning.COMBINED);
    }

    /** Removes the cube. */
    @TearDown(Level.Invocation)
    public void close() throws IOException {
        cube.close();
        scratch.close();
    }
}
