package io.volute.storage.cleaning;

import io.volute.storage.accounting.CubeStorage;
import io.volute.storage.accounting.SegmentRelease;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.report.SpaceReport;
import java.util.List;

/** Sums the space that the segments of a cube take and hold, for the balancer. Thread-safe. */
final class SpaceFigures {
    private final CubeStorage storage;
    private final Compactor compactor;

    SpaceFigures(CubeStorage storage, Compactor compactor) {
        this.storage = storage;
        this.compactor = compactor;
    }

    Balancer.Figures now() {
        long used = 0;
        List<SegmentLog.SegmentState> segments = storage.log().segments();
        compactor.retain(SegmentRelease.ids(segments));
        for (SegmentLog.SegmentState segment : segments) {
            // The file of a stream segment has no blocks where nothing was written yet.
            used +=
                    segment.kind() == SpaceReport.Kind.STREAM && !segment.sealed()
                            ? segment.writtenBytes()
                            : segment.takenBytes();
        }
        return new Balancer.Figures(
                storage.log().cleanerBytes(),
                storage.log().clientBytes(),
                storage.accounts().live(),
                used,
                this::tombstones,
                compactor::punchableWorthwhile);
    }

    private long tombstones() {
        long tombstones = 0;
        for (SegmentLog.SegmentState segment : storage.log().segments()) {
            tombstones += storage.accounts().totals(segment.segmentId()).tombstones();
        }
        return tombstones;
    }
}
