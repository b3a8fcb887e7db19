package io.volute.storage.recovery;

import io.volute.storage.DamagedException;
import io.volute.storage.format.LogEntry;
import io.volute.storage.format.SegmentFormat;
import io.volute.storage.log.LogPosition;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.log.ledger.LedgerFollower;
import io.volute.storage.log.segment.SegmentWalk;
import io.volute.storage.report.SpaceReport.Kind;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The batches in the confirmed part of another owner's log. Used by one thread. */
final class FollowedLog {
    private final LedgerFollower log;
    private Optional<SegmentWalk> walk = Optional.empty();
    private volatile boolean isStopping;

    FollowedLog(LedgerFollower log) {
        this.log = log;
    }

    /** Ends the scan under way, and all later ones. Thread-safe. */
    void stop() {
        isStopping = true;
    }

    /** Returns the last digest in the confirmed part of a head. */
    Optional<LogEntry.Digest> digestIn(LedgerFollower.Part head) throws IOException {
        LogEntry.Digest[] last = new LogEntry.Digest[1];
        scanConfirmed(
                head,
                SegmentFormat.PAGE_BYTES,
                batch -> {
                    for (SegmentLog.LoggedEntry logged : batch.entries()) {
                        if (logged.entry() instanceof LogEntry.Digest digest) {
                            last[0] = digest;
                        }
                    }
                });
        return Optional.ofNullable(last[0]);
    }

    /** Returns the sealed segments of a digest, and the newest head as far as it was read. */
    RebuildSource source(LogEntry.Digest digest, LedgerFollower.Part newest) {
        return new RebuildSource() {
            @Override
            public SegmentLog.ReplayResult scanAll(SegmentLog.BatchVisitor visitor)
                    throws IOException {
                long bytes = 0;
                for (LogEntry.DigestSegment each : digest.segments()) {
                    if (each.kind() != Kind.STREAM && each.sealedBytes() >= 0) {
                        scan(each.segmentId(), each.sealedBytes(), visitor);
                        bytes += each.sealedBytes();
                    }
                }
                LogPosition end = scanConfirmed(newest, SegmentFormat.PAGE_BYTES, visitor);
                return new SegmentLog.ReplayResult(end, bytes + end.offset(), 0, List.of());
            }

            @Override
            public Map<Long, Long> survivorEnds() {
                return sealedSurvivors(digest);
            }
        };
    }

    /** Returns the ends of the survivors that a digest lists as sealed, by ascending id. */
    static Map<Long, Long> sealedSurvivors(LogEntry.Digest digest) {
        Map<Long, Long> ends = new TreeMap<>();
        for (LogEntry.DigestSegment each : digest.segments()) {
            if (each.kind() == Kind.SURVIVOR && each.sealedBytes() >= 0) {
                ends.put(each.segmentId(), each.sealedBytes());
            }
        }
        return ends;
    }

    /** Returns whether a segment is confirmed up to an end of its batches. */
    boolean isConfirmed(long segmentId, long sealedBytes) throws IOException {
        return isConfirmed(log.read(segmentId), sealedBytes);
    }

    private static boolean isConfirmed(LedgerFollower.Part part, long sealedBytes) {
        return part.isClosed() || paddedEnd(part) >= sealedBytes;
    }

    /** Batches are padded to whole sectors, and ledgers have no padding. */
    private static long paddedEnd(LedgerFollower.Part part) {
        return SegmentFormat.sectorUp(part.end());
    }

    /**
     * Visits a sealed segment.
     *
     * @throws IOException also when not all of it is confirmed yet
     */
    void scan(long segmentId, long sealedBytes, SegmentLog.BatchVisitor visitor)
            throws IOException {
        LedgerFollower.Part part = log.read(segmentId);
        if (!isConfirmed(part, sealedBytes)) {
            throw new IOException(part.name() + " is not confirmed up to its end yet");
        }
        try {
            walk(part, SegmentFormat.PAGE_BYTES, sealedBytes, SegmentWalk.Ending.SEALED, visitor);
        } catch (DamagedException e) {
            if (log.restore(segmentId)) {
                throw new IOException(part.name() + " was read from the bookies again", e);
            }
            throw e;
        }
    }

    /**
     * Visits whole batches in the confirmed part of a segment.
     *
     * @return the position behind the last one
     */
    LogPosition scanConfirmed(LedgerFollower.Part part, long from, SegmentLog.BatchVisitor visitor)
            throws IOException {
        return walk(part, from, paddedEnd(part), SegmentWalk.Ending.OPEN, visitor);
    }

    private LogPosition walk(
            LedgerFollower.Part part,
            long from,
            long limit,
            SegmentWalk.Ending ending,
            SegmentLog.BatchVisitor visitor)
            throws IOException {
        SegmentWalk.Target target =
                new SegmentWalk.Target(
                        part.name().number(), part.name().toString(), part.file(), limit, ending);
        if (walk.isEmpty()) {
            walk = Optional.of(new SegmentWalk(log.cubeId(), part.file()));
        }
        SegmentWalk.Walked walked = walk.get().walk(target, from, new Strict(visitor));
        return new LogPosition(part.name().number(), walked.end());
    }

    /** Takes batches, and no damage. */
    private final class Strict implements SegmentWalk.Sink {
        private final SegmentLog.BatchVisitor visitor;

        Strict(SegmentLog.BatchVisitor visitor) {
            this.visitor = visitor;
        }

        @Override
        public void batch(SegmentLog.LoggedBatch batch) throws IOException {
            if (isStopping) {
                throw new InterruptedIOException("the standby stops");
            }
            visitor.batch(batch);
        }

        @Override
        public void damage(DamagedException damage) throws DamagedException {
            throw damage;
        }
    }
}
