package io.volute.benchmarks.micro;

import io.volute.storage.CubeOptions.LogSettings;
import io.volute.storage.format.LogEntry;
import io.volute.storage.io.OsFileSystem;
import io.volute.storage.log.LogOptions;
import io.volute.storage.log.LogPosition;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.log.file.SegmentLogs;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;

/**
 * A new segment log that takes what a PUT of a small object writes: the body, and a record that
 * refers to it. Used by one thread, as the log's appends are.
 */
final class OpenLog implements AutoCloseable {
    private static final int SUMMARY_BYTES = 120;
    private static final int DETAIL_BYTES = 40;

    private final SegmentLog log;
    private final byte[] body;
    private long sequence = 1;

    OpenLog(Path directory, int bodyBytes) throws IOException {
        log =
                SegmentLogs.open(
                        new LogOptions(
                                directory,
                                new OsFileSystem(),
                                new UUID(1, 2),
                                InstantSource.system(),
                                LogSettings.defaults()));
        SegmentLog.ReplayResult end = log.replay(LogPosition.START, batch -> {});
        log.startAppending(end.end(), sequence);
        body = new byte[bodyBytes];
        new SplittableRandom(1).nextBytes(body);
    }

    /** One batch of one PUT, durable on return. */
    SegmentLog.Appended append() throws IOException {
        long blob = sequence++;
        long record = sequence++;
        byte[] key = ByteBuffer.allocate(40).putLong(32, record).array();
        return log.append(
                List.of(
                        new LogEntry.InlineBlob(blob, blob, ByteBuffer.wrap(body)),
                        new LogEntry.RecordPut(
                                record,
                                1,
                                key,
                                new byte[SUMMARY_BYTES],
                                new byte[DETAIL_BYTES],
                                List.of(blob),
                                LogEntry.Victim.NONE)),
                sequence);
    }

    @Override
    public void close() throws IOException {
        log.close();
    }
}
