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
        long live = 0;
        long tombstones = 0;
        long used = 0;
        long punchable = 0;
        for (SegmentLog.SegmentState segment : log.segments()) {
            SegmentAccounts.Totals totals = accounts.totals(segment.segmentId());
            live += totals.live();
            tombstones += totals.tombstones();
            // The file of a stream segment has no blocks where nothing was written yet.
            used +=
                    segment.kind() == SpaceReport.Kind.STREAM
                            ? segment.writtenBytes()
                            : segmentBytes;
            used -= compactor.holeBytes(segment.segmentId());
            punchable += compactor.punchable(segment.segmentId());
        }
        return new Balancer.Figures(log.cleanerBytes(), live, tombstones, used, punchable);
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
