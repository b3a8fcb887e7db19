package io.volute.storage.cube;

import io.volute.storage.SpaceReport;
import io.volute.storage.log.SegmentLog;
import java.io.IOException;
import java.util.List;

/** Adds up what the segments of a cube take and hold, for the balancer. Thread-safe. */
final class SpaceFigures {
    private final SegmentLog log;
    private final SegmentAccounts accounts;
    private final Compactor compactor;
    private final long segmentBytes;

    SpaceFigures(SegmentLog log, SegmentAccounts accounts, Compactor compactor, long segmentBytes) {
        this.log = log;
        this.accounts = accounts;
        this.compactor = compactor;
        this.segmentBytes = segmentBytes;
    }

    Balancer.Figures now() throws IOException {
        long used = 0;
        List<SegmentLog.SegmentState> segments = log.segments();
        compactor.retain(SegmentRelease.ids(segments));
        for (SegmentLog.SegmentState segment : segments) {
            // The file of a stream segment has no blocks where nothing was written yet.
            used +=
                    segment.kind() == SpaceReport.Kind.STREAM
                            ? segment.writtenBytes()
                            : segmentBytes;
            used -= compactor.holeBytes(segment.segmentId());
        }
        return new Balancer.Figures(
                log.cleanerBytes(), accounts.live(), used, this::tombstones, this::punchable);
    }

    private long tombstones() {
        long tombstones = 0;
        for (SegmentLog.SegmentState segment : log.segments()) {
            tombstones += accounts.totals(segment.segmentId()).tombstones();
        }
        return tombstones;
    }

    private long punchable() throws IOException {
        long punchable = 0;
        for (SegmentLog.SegmentState segment : log.segments()) {
            if (segment.sealed()) {
                punchable += compactor.punchable(segment.segmentId());
            }
        }
        return punchable;
    }

    /** Gives back what can be given back; returns the bytes. */
    long compactAll() throws IOException {
        long given = 0;
        List<SegmentLog.SegmentState> segments = log.segments();
        for (SegmentLog.SegmentState segment : segments) {
            if (segment.sealed()) {
                given += compactor.compact(segment.segmentId());
            }
        }
        return given;
    }
}
