package io.volute.benchmarks.micro;

import io.volute.benchmarks.Scratch;
import io.volute.storage.CubeOptions.LogSettings;
import io.volute.storage.format.LogEntry;
import io.volute.storage.io.OsFileSystem;
import io.volute.storage.log.LogOptions;
import io.volute.storage.log.LogPosition;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.log.file.SegmentLogs;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.time.InstantSource;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/**
 * What the disk gives one writer, beside what the log makes of it: a write and {@code fdatasync} of
 * whole pages into a zero-filled file, and the append of one small object's PUT.
 */
@BenchmarkMode(Mode.SampleTime)
public class FlushedWrite extends Suite {
    private static final int PAGE_BYTES = 4096;
    private static final int FILE_BYTES = 64 << 20;
    private static final int SUMMARY_BYTES = 120;
    private static final int DETAIL_BYTES = 40;

    /** Bytes of an object's body. */
    @Param({"1024", "65536"})
    private int bytes;

    private Scratch scratch;
    private FileChannel plain;
    private ByteBuffer pages;
    private long offset;
    private SegmentLog log;
    private byte[] body;
    private long sequence = 1;

    /** Makes the files. */
    @Setup
    public void open() throws IOException {
        scratch = Scratch.here();
        plain =
                FileChannel.open(
                        scratch.directory().resolve("zeros"),
                        StandardOpenOption.CREATE_NEW,
                        StandardOpenOption.WRITE);
        write(ByteBuffer.allocateDirect(FILE_BYTES), 0);
        plain.force(true);
        // The log needs as many for a body of this size with its record and headers.
        int count = (bytes + 512 + PAGE_BYTES - 1) / PAGE_BYTES;
        pages = ByteBuffer.allocateDirect(count * PAGE_BYTES);
        log =
                SegmentLogs.open(
                        new LogOptions(
                                scratch.directory().resolve("log"),
                                new OsFileSystem(),
                                new UUID(1, 2),
                                InstantSource.system(),
                                LogSettings.defaults()));
        log.startAppending(log.replay(LogPosition.START, batch -> {}).end(), sequence);
        body = new byte[bytes];
        new SplittableRandom(1).nextBytes(body);
    }

    private void write(ByteBuffer source, long at) throws IOException {
        long position = at;
        while (source.hasRemaining()) {
            position += plain.write(source, position);
        }
    }

    /** The disk alone; begins anew at the file's end. */
    @Benchmark
    public long plainWriteAndForce() throws IOException {
        if (offset + pages.capacity() > FILE_BYTES) {
            offset = 0;
        }
        write(pages.clear().putLong(0, offset), offset);
        plain.force(false);
        offset += pages.capacity();
        return offset;
    }

    /** The log: one batch of one PUT, the body and a record that refers to it. */
    @Benchmark
    public SegmentLog.Appended logAppend() throws IOException {
        long blob = sequence++;
        long record = sequence++;
        return log.append(
                List.of(
                        new LogEntry.InlineBlob(blob, blob, ByteBuffer.wrap(body)),
                        new LogEntry.RecordPut(
                                record,
                                1,
                                ByteBuffer.allocate(40).putLong(32, record).array(),
                                new byte[SUMMARY_BYTES],
                                new byte[DETAIL_BYTES],
                                List.of(blob),
                                LogEntry.Victim.NONE)),
                sequence);
    }

    /** Removes the files. */
    @TearDown
    public void close() throws IOException {
        log.close();
        plain.close();
        scratch.close();
    }
}
