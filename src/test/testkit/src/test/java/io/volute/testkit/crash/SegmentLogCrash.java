package io.volute.testkit.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.storage.CubeOptions.LogSettings;
import io.volute.storage.CubeOptions.OnDamage;
import io.volute.storage.Place;
import io.volute.storage.format.LogEntry;
import io.volute.storage.log.LogOptions;
import io.volute.storage.log.LogPosition;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.log.file.SegmentLogs;
import io.volute.storage.report.SpaceReport;
import io.volute.testkit.sim.SimFileSystem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The segment log alone under the crash machine. */
class SegmentLogCrash {
    private static final int SEGMENT_BYTES = 64 << 10;
    private static final int CHUNK_BYTES = 10_000;
    private static final int FAMILY = 1;

    private static LogOptions options(SimFileSystem disk) {
        return new LogOptions(
                        Path.of("/data/log"),
                        disk,
                        new UUID(1, 2),
                        InstantSource.fixed(Instant.EPOCH),
                        new LogSettings(
                                SEGMENT_BYTES,
                                20_000,
                                CHUNK_BYTES,
                                1 << 20,
                                1 << 20,
                                1 << 20,
                                OnDamage.REFUSE))
                .withSpareMaker(Runnable::run);
    }

    /**
     * The state known outside of the machine: appends begun and acknowledged, and segments being
     * freed or freed.
     *
     * @param homes segment of each acknowledged sequence
     */
    private record Known(
            long begun,
            long acknowledged,
            Map<Long, Long> homes,
            Set<Long> freeing,
            Set<Long> freed) {}

    /** A log in use, and what is known of it. */
    private static final class Session {
        private final SimFileSystem disk;
        private final CrashProbe<Known> probe;
        private SegmentLog log;
        private volatile Known known = new Known(0, 0, Map.of(), Set.of(), Set.of());

        Session(SimFileSystem disk, CrashProbe<Known> probe) throws IOException {
            this.disk = disk;
            this.probe = probe;
            probe.watch(() -> known);
            reopen();
        }

        final void reopen() throws IOException {
            log = SegmentLogs.open(options(disk));
            SegmentLog.ReplayResult found = log.replay(LogPosition.START, batch -> {});
            log.startAppending(found.end(), known.begun() + 1);
        }

        void append(int detailBytes) throws IOException {
            long sequence = known.begun() + 1;
            append(List.of(record(sequence, detailBytes)), sequence);
        }

        void appendBatch(int count, int detailBytes) throws IOException {
            List<LogEntry> entries = new ArrayList<>();
            for (int i = 1; i <= count; i++) {
                entries.add(record(known.begun() + i, detailBytes));
            }
            append(entries, known.begun() + count);
        }

        void appendStream(int bytes) throws IOException {
            long sequence = known.begun() + 1;
            try (SegmentLog.StreamAppender appender =
                    log.openStream(sequence, OptionalLong.of(bytes))) {
                byte[] content = content(sequence, bytes);
                for (int at = 0; at < bytes; at += 7_000) {
                    appender.write(ByteBuffer.wrap(content, at, Math.min(7_000, bytes - at)));
                }
                List<Place> extents = appender.finish();
                append(
                        List.of(
                                new LogEntry.StreamBlob(
                                        sequence, sequence, bytes, CHUNK_BYTES, extents)),
                        sequence);
            }
        }

        private void append(List<LogEntry> entries, long last) throws IOException {
            known =
                    new Known(
                            last,
                            known.acknowledged(),
                            known.homes(),
                            known.freeing(),
                            known.freed());
            SegmentLog.Appended appended = log.append(entries, last);
            Map<Long, Long> homes = new HashMap<>(known.homes());
            for (int i = 0; i < entries.size(); i++) {
                homes.put(entries.get(i).sequence(), appended.places().get(i).segmentId());
            }
            known = new Known(last, last, Map.copyOf(homes), known.freeing(), known.freed());
            probe.point("acknowledgement of " + last);
        }

        void freeOldestHead() throws IOException {
            long oldest =
                    log.segments().stream()
                            .filter(SegmentLog.SegmentState::sealed)
                            .filter(segment -> segment.kind() == SpaceReport.Kind.HEAD)
                            .mapToLong(SegmentLog.SegmentState::segmentId)
                            .min()
                            .orElseThrow();
            Set<Long> freed = new java.util.HashSet<>(known.freed());
            freed.add(oldest);
            known =
                    new Known(
                            known.begun(),
                            known.acknowledged(),
                            known.homes(),
                            Set.copyOf(freed),
                            known.freed());
            log.free(List.of(oldest));
            known =
                    new Known(
                            known.begun(),
                            known.acknowledged(),
                            known.homes(),
                            known.freeing(),
                            Set.copyOf(freed));
            probe.point("the freeing of " + oldest);
        }

        void close() throws IOException {
            log.close();
        }
    }

    private static LogEntry.RecordPut record(long sequence, int detailBytes) {
        return new LogEntry.RecordPut(
                sequence,
                FAMILY,
                ("key-" + sequence).getBytes(java.nio.charset.StandardCharsets.UTF_8),
                content(sequence, 10),
                content(sequence, detailBytes),
                List.of(),
                LogEntry.Victim.NONE);
    }

    private static byte[] content(long sequence, int bytes) {
        byte[] content = new byte[bytes];
        new SplittableRandom(sequence).nextBytes(content);
        return content;
    }

    /** The work of a session. */
    private interface Work {
        void run(Session session) throws IOException;
    }

    private record LogWorkflow(String name, Work work) implements CrashWorkflow<Known> {

        @Override
        public void run(SimFileSystem disk, CrashProbe<Known> probe) throws IOException {
            disk.createDirectories(Path.of("/data"));
            disk.forceDirectory(Path.of("/"));
            Session session = new Session(disk, probe);
            work.run(session);
            session.close();
        }

        @Override
        public void check(SimFileSystem disk, Known known, CrashProbe<Known> probe)
                throws IOException {
            probe.watch(() -> known);
            TreeMap<Long, Long> once = recover(disk);
            checkAgainst(known, once);
            assertThat(recover(disk)).isEqualTo(once);
            assertThat(disk.openFiles()).isZero();
        }

        /** Opens the log for appending, and reads everything; the sequences found, with homes. */
        private static TreeMap<Long, Long> recover(SimFileSystem disk) throws IOException {
            TreeMap<Long, Long> found = new TreeMap<>();
            List<LogEntry.StreamBlob> blobs = new ArrayList<>();
            try (SegmentLog log = SegmentLogs.open(options(disk))) {
                SegmentLog.ReplayResult result =
                        log.replay(
                                LogPosition.START,
                                batch -> {
                                    for (SegmentLog.LoggedEntry logged : batch.entries()) {
                                        take(logged, found, blobs);
                                    }
                                });
                log.startAppending(result.end(), found.isEmpty() ? 1 : found.lastKey() + 1);
                for (LogEntry.StreamBlob blob : blobs) {
                    checkStream(log, blob);
                }
            }
            return found;
        }

        private static void take(
                SegmentLog.LoggedEntry logged,
                TreeMap<Long, Long> found,
                List<LogEntry.StreamBlob> blobs) {
            switch (logged.entry()) {
                case LogEntry.Digest digest -> {}
                case LogEntry.KeptTombstone kept -> throw new AssertionError("nobody cleaned");
                case LogEntry.Origins origins -> throw new AssertionError("nobody cleaned");
                case LogEntry.RecordPut put -> {
                    assertThat(put.detail())
                            .isEqualTo(content(put.sequence(), put.detail().length));
                    found.put(put.sequence(), logged.place().segmentId());
                }
                case LogEntry.StreamBlob blob -> {
                    blobs.add(blob);
                    found.put(blob.sequence(), logged.place().segmentId());
                }
                case LogEntry.Tombstone other -> throw new AssertionError(other);
                case LogEntry.InlineBlob other -> throw new AssertionError(other);
                case LogEntry.Hole other -> throw new AssertionError(other);
                case LogEntry.ComposedBlob other -> throw new AssertionError(other);
            }
        }

        private static void checkStream(SegmentLog log, LogEntry.StreamBlob blob)
                throws IOException {
            byte[] expected = content(blob.blobId(), (int) blob.bytes());
            ByteBuffer target = ByteBuffer.allocateDirect(log.chunkBufferBytes(blob.chunkBytes()));
            for (int at = 0; at < expected.length; at += blob.chunkBytes()) {
                log.readChunk(
                        blob.blobId(),
                        blob.extents(),
                        blob.bytes(),
                        blob.chunkBytes(),
                        at / blob.chunkBytes(),
                        target);
                byte[] chunk = new byte[target.remaining()];
                target.get(chunk);
                assertThat(chunk)
                        .isEqualTo(
                                java.util.Arrays.copyOfRange(
                                        expected,
                                        at,
                                        Math.min(at + blob.chunkBytes(), expected.length)));
            }
        }

        private static void checkAgainst(Known known, TreeMap<Long, Long> found) {
            for (long sequence = 1; sequence <= known.acknowledged(); sequence++) {
                long home = known.homes().get(sequence);
                if (known.freed().contains(home)) {
                    assertThat(found).doesNotContainKey(sequence);
                } else if (!known.freeing().contains(home)) {
                    assertThat(found).containsEntry(sequence, home);
                }
            }
            assertThat(found.isEmpty() ? 0 : found.lastKey()).isLessThanOrEqualTo(known.begun());
            boolean someUnacknowledged = found.containsKey(known.acknowledged() + 1);
            for (long sequence = known.acknowledged() + 1; sequence <= known.begun(); sequence++) {
                assertThat(found.containsKey(sequence))
                        .as("a batch is there wholly or not at all")
                        .isEqualTo(someUnacknowledged);
            }
        }
    }

    private static void crash(String name, Work work) throws IOException {
        CrashReport report =
                new CrashLoop(CrashLoop.Settings.usual()).run(new LogWorkflow(name, work));
        assertThat(report.checked()).isPositive();
        System.out.println(report);
    }

    @Test
    void appendsAndRolls() throws IOException {
        crash(
                "append and roll",
                session -> {
                    for (int i = 0; i < 10; i++) {
                        session.append(i * 1_500);
                        session.appendBatch(4, 3_000);
                    }
                });
    }

    @Test
    void streams() throws IOException {
        crash(
                "stream",
                session -> {
                    session.appendStream(25_000);
                    session.append(10);
                    session.appendStream(90_000);
                    session.appendStream(150_000);
                    session.append(10);
                });
    }

    @Test
    void freesAndRecycles() throws IOException {
        crash(
                "free and recycle",
                session -> {
                    for (int i = 0; i < 4; i++) {
                        session.appendBatch(9, 4_000);
                        session.appendBatch(9, 4_000);
                        session.freeOldestHead();
                        session.appendStream(30_000);
                    }
                });
    }

    @Test
    void closesAndOpens() throws IOException {
        crash(
                "close and open",
                session -> {
                    for (int i = 0; i < 4; i++) {
                        session.append(5_000);
                        session.appendStream(30_000);
                        session.close();
                        session.reopen();
                        session.append(9_000);
                    }
                });
    }
}
