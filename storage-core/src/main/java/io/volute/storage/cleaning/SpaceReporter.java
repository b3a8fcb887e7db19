package io.volute.storage.cleaning;

import io.volute.storage.accounting.CubeStorage;
import io.volute.storage.accounting.SegmentAccounts;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.report.SpaceReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Reports the distribution of the bytes of a cube. Thread-safe. */
public final class SpaceReporter {
    private final CubeStorage storage;
    private final Compactor compactor;
    private final SpaceFigures figures;
    private final DecisionCounts decisions;
    private final Cleaner cleaner;
    private final long segmentBytes;

    SpaceReporter(
            CubeStorage storage,
            Compactor compactor,
            SpaceFigures figures,
            DecisionCounts decisions,
            Cleaner cleaner,
            long segmentBytes) {
        this.storage = storage;
        this.compactor = compactor;
        this.figures = figures;
        this.decisions = decisions;
        this.cleaner = cleaner;
        this.segmentBytes = segmentBytes;
    }

    public SpaceReport report() {
        return report(figures.now().punchable().getAsLong());
    }

    /** Returns the report without the bytes that a compaction would give back. */
    public SpaceReport atGlance() {
        return report(0);
    }

    private SpaceReport report(long compactable) {
        List<SegmentLog.SegmentState> segments = storage.log().segments();
        Map<Long, Long> uploading = storage.uploads().bytesBySegment();
        List<SpaceReport.SegmentSpace> spaces = new ArrayList<>();
        for (SegmentLog.SegmentState segment : segments) {
            spaces.add(space(segment, uploading.getOrDefault(segment.segmentId(), 0L)));
        }
        Cleaner.Totals cleaned = cleaner.totals();
        return new SpaceReport(
                spaces,
                storage.log().freeSegments(),
                segmentBytes,
                totals(compactable),
                decisions.last(),
                new SpaceReport.CleanerTotals(
                        cleaned.passes(),
                        cleaned.freedSegments(),
                        cleaned.copiedBytes(),
                        cleaned.damaged()));
    }

    private SpaceReport.SegmentSpace space(SegmentLog.SegmentState segment, long uploading) {
        SegmentAccounts.Totals totals = storage.accounts().totals(segment.segmentId());
        long dead =
                segment.kind() == SpaceReport.Kind.STREAM
                        ? Math.max(0, segment.writtenBytes() - totals.live() - uploading)
                        : totals.dead();
        return new SpaceReport.SegmentSpace(
                segment.segmentId(),
                segment.kind(),
                segment.sealed(),
                segment.writtenBytes(),
                totals.live(),
                dead,
                totals.tombstones(),
                compactor.holeBytes(segment.segmentId()));
    }

    private SpaceReport.Totals totals(long compactable) {
        Balancer.Figures now = figures.now();
        return new SpaceReport.Totals(
                now.capacity(),
                now.free(),
                storage.log().clientBytes(),
                now.used(),
                now.live(),
                now.tombstones().getAsLong(),
                compactable);
    }
}
