package io.volute.benchmarks.micro;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
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
 * What the disk gives: one aligned write and one {@code fdatasync} at a time into a file that was
 * filled with zeros before. The log's append is measured against this on the same disk ({@code
 * -Dbenchmark.directory}).
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 2, time = 2)
@Measurement(iterations = 5, time = 3)
@Fork(1)
public class FlushedWrite {
    private static final int FILE_BYTES = 64 << 20;

    /** Bytes of one write. */
    @Param({"4096", "65536"})
    private int bytes;

    private Path directory;
    private FileChannel channel;
    private ByteBuffer page;
    private long offset;

    /** Makes the file and fills it with zeros. */
    @Setup(Level.Trial)
    public void open() throws IOException {
        directory = Scratch.make("flushed-write");
        channel =
                FileChannel.open(
                        directory.resolve("zeros"),
                        StandardOpenOption.CREATE_NEW,
                        StandardOpenOption.WRITE);
        ByteBuffer zeros = ByteBuffer.allocateDirect(1 << 20);
        for (long at = 0; at < FILE_BYTES; at += zeros.capacity()) {
            writeAt(zeros.clear(), at);
        }
        channel.force(true);
        page = ByteBuffer.allocateDirect(bytes);
    }

    /** Writes and flushes once. */
    @Benchmark
    public long writeAndForce() throws IOException {
        if (offset + bytes > FILE_BYTES) {
            offset = 0;
        }
        page.clear().putLong(0, offset);
        writeAt(page, offset);
        channel.force(false);
        offset += bytes;
        return offset;
    }

    /** Removes the file. */
    @TearDown(Level.Trial)
    public void close() throws IOException {
        channel.close();
        Files.delete(directory.resolve("zeros"));
        Files.delete(directory);
    }

    private void writeAt(ByteBuffer source, long at) throws IOException {
        long position = at;
        while (source.hasRemaining()) {
            position += channel.write(source, position);
        }
    }
}
