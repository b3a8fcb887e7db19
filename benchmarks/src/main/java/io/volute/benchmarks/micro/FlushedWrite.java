package io.volute.benchmarks.micro;

import io.volute.benchmarks.Scratch;
import java.io.IOException;
import java.nio.file.Path;
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
 * What the disk gives one writer, beside what the log makes of it: a write and {@code fdatasync} of
 * whole pages into a zero-filled file, and the append of one small object's PUT.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 2, time = 2)
@Measurement(iterations = 5, time = 3)
@Fork(1)
public class FlushedWrite {
    private static final int PAGE_BYTES = 4096;

    /** Bytes of an object's body. */
    @Param({"1024", "65536"})
    private int bytes;

    private Scratch scratch;
    private PlainFile plain;
    private OpenLog log;

    /** Makes the files. */
    @Setup(Level.Trial)
    public void open() throws IOException {
        scratch = Scratch.here();
        Path directory = scratch.directory();
        plain = new PlainFile(directory.resolve("zeros"), pages(bytes) * PAGE_BYTES);
        log = new OpenLog(directory.resolve("log"), bytes);
    }

    /** Pages that the log needs for a body of this size with its record and headers. */
    static int pages(int bytes) {
        return (bytes + 512 + PAGE_BYTES - 1) / PAGE_BYTES;
    }

    /** The disk alone. */
    @Benchmark
    public long plainWriteAndForce() throws IOException {
        return plain.writeAndForce();
    }

    /** The log. */
    @Benchmark
    public Object logAppend() throws IOException {
        return log.append();
    }

    /** Removes the files. */
    @TearDown(Level.Trial)
    public void close() throws IOException {
        log.close();
        plain.close();
        scratch.close();
    }
}
