package io.volute.storage.log.file;

import io.volute.storage.CleaningSettings;
import io.volute.storage.CubeOptions.LogSettings;
import io.volute.storage.CubeOptions.OnDamage;
import io.volute.storage.Place;
import io.volute.storage.format.LogEntry;
import io.volute.storage.io.FileSystem;
import io.volute.storage.log.LogOptions;
import io.volute.storage.log.LogPosition;
import io.volute.storage.log.SegmentLog;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.UUID;

/** A log as tests use it: small segments, everything on the calling thread, a fixed clock. */
public final class LogWorkbench {
    public static final UUID CUBE = UUID.fromString("0f0e0d0c-0b0a-4908-8706-050403020100");
    public static final Path DIRECTORY = Path.of("log");
    static final int SEGMENT_BYTES = 64 << 10;
    static final int CHUNK_BYTES = 5000;
    static final int PAGE = 4096;
    static final int SECTOR = 512;

    private LogWorkbench() {}

    static LogSettings settings(OnDamage onDamage) {
        return new LogSettings(
                SEGMENT_BYTES, 4096, CHUNK_BYTES, 1 << 20, 1 << 20, 1 << 20, onDamage);
    }

    static LogOptions options(FileSystem files, Path directory, OnDamage onDamage) {
        return options(files, directory, settings(onDamage));
    }

    private static LogOptions options(FileSystem files, Path directory, LogSettings settings) {
        return new LogOptions(
                        directory,
                        files,
                        CUBE,
                        () -> Instant.ofEpochMilli(1_700_000_000_000L),
                        settings)
                .withSpareMaker(Runnable::run);
    }

    public static LogOptions options(FileSystem files) {
        return options(files, DIRECTORY, OnDamage.REFUSE);
    }

    static SegmentLog open(FileSystem files) throws IOException {
        return SegmentLogs.open(options(files, DIRECTORY, OnDamage.REFUSE));
    }

    /** A log with a cleaner's settings, ready for appends. */
    static SegmentLog started(FileSystem files, CleaningSettings cleaning) throws IOException {
        SegmentLog log =
                SegmentLogs.open(
                        options(files, DIRECTORY, settings(OnDamage.REFUSE).with(cleaning)));
        start(log);
        return log;
    }

    /** Opens, replays from the start, begins to append. */
    static SegmentLog started(FileSystem files) throws IOException {
        SegmentLog log = open(files);
        start(log);
        return log;
    }

    public static Seen start(SegmentLog log) throws IOException {
        Seen seen = replay(log, LogPosition.START);
        log.startAppending(seen.result().end(), seen.lastSequence() + 1);
        return seen;
    }

    /** The result of a replay. */
    public record Seen(List<LogEntry> entries, List<Place> places, SegmentLog.ReplayResult result) {
        /** Sequences of everything but digests, in the order seen. */
        public List<Long> sequences() {
            List<Long> sequences = new ArrayList<>();
            for (LogEntry entry : entries) {
                if (!(entry instanceof LogEntry.Digest)) {
                    sequences.add(entry.sequence());
                }
            }
            return sequences;
        }

        long lastSequence() {
            return entries.stream().mapToLong(LogEntry::sequence).max().orElse(0);
        }
    }

    static Seen replay(SegmentLog log, LogPosition from) throws IOException {
        List<LogEntry> entries = new ArrayList<>();
        List<Place> places = new ArrayList<>();
        SegmentLog.ReplayResult result =
                log.replay(
                        from,
                        batch ->
                                batch.entries()
                                        .forEach(
                                                logged -> {
                                                    entries.add(logged.entry());
                                                    places.add(logged.place());
                                                }));
        return new Seen(entries, places, result);
    }

    public static LogEntry record(long sequence, int detailBytes) {
        byte[] detail = new byte[detailBytes];
        new SplittableRandom(sequence).nextBytes(detail);
        return new LogEntry.RecordPut(
                sequence,
                3,
                ("key-" + sequence).getBytes(StandardCharsets.UTF_8),
                new byte[] {1, 2, 3},
                detail,
                List.of(sequence),
                LogEntry.Victim.NONE);
    }

    static ByteBuffer bytes(long seed, int count) {
        byte[] bytes = new byte[count];
        new SplittableRandom(seed).nextBytes(bytes);
        return ByteBuffer.wrap(bytes);
    }

    /** Appends batches of one record until a new head is opened; returns the next sequence. */
    static long fillHead(SegmentLog log, long sequence) throws IOException {
        long next = sequence;
        long head = log.append(List.of(record(next, 3000)), next).end().segmentId();
        next++;
        while (log.append(List.of(record(next, 3000)), next).end().segmentId() == head) {
            next++;
        }
        return next + 1;
    }

    static List<Place> upload(SegmentLog log, long blobId, ByteBuffer content, int step)
            throws IOException {
        try (SegmentLog.StreamAppender appender =
                log.openStream(blobId, OptionalLong.of(content.remaining()))) {
            ByteBuffer rest = content.duplicate();
            while (rest.hasRemaining()) {
                int count = Math.min(step, rest.remaining());
                appender.write(rest.slice(rest.position(), count));
                rest.position(rest.position() + count);
            }
            return appender.finish();
        }
    }

    static ByteBuffer download(SegmentLog log, long blobId, List<Place> extents, long bytes)
            throws IOException {
        ByteBuffer all = ByteBuffer.allocate((int) bytes);
        ByteBuffer target = ByteBuffer.allocateDirect(log.chunkBufferBytes(CHUNK_BYTES));
        for (long chunk = 0; all.hasRemaining(); chunk++) {
            log.readChunk(blobId, extents, bytes, CHUNK_BYTES, chunk, target);
            all.put(target);
        }
        return all.flip();
    }
}
