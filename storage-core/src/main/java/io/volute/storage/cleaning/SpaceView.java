package io.volute.storage.cleaning;

import io.volute.storage.accounting.ActiveUploads;
import io.volute.storage.accounting.SegmentAccounts;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.report.SpaceReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Tells where the bytes of a cube are. Thread-safe. */
public final class SpaceView {
    /** What it looks at. */
    public record Parts(
            SegmentLog log,
            SegmentAccounts accounts,
            ActiveUploads uploads,
            Compactor compactor,
            SpaceFigures figures,
            SpaceKeeper keeper,
            Cleaner cleaner,
            long segmentBytes) {}

    private final Parts parts;

    public SpaceView(Parts parts) {
        this.parts = parts;
    }

    public SpaceReport report() {
        return report(parts.figures().now().punchable().getAsLong());
    }

    /** Without what a compaction would give back. */
    public SpaceReport atGlance() {
        return report(0);
    }

    private SpaceReport report(long compactable) {
        List<SegmentLog.SegmentState> segments = parts.log().segments();
        Map<Long, Long> uploading = parts.uploads().bytesBySegment();
        List<SpaceReport.SegmentSpace> spaces = new ArrayList<>();
        for (SegmentLog.SegmentState segment : segments) {
            spaces.add(space(segment, uploading.getOrDefault(segment.segmentId(), 0L)));
        }
        Cleaner.Totals cleaned = parts.cleaner().totals();
        return new SpaceReport(
                spaces,
                parts.log().freeSegments(),
                parts.segmentBytes(),
                totals(compactable),
                parts.keeper().last(),
                new SpaceReport.CleanerTotals(
                        cleaned.passes(),
                        cleaned.freedSegments(),
                        cleaned.copiedBytes(),
                        cleaned.damaged()));
    }

    private SpaceReport.SegmentSpace space(SegmentLog.SegmentState segment, long uploading) {
        SegmentAccounts.Totals totals = parts.accounts().totals(segment.segmentId());
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
                parts.compactor().holeBytes(segment.segmentId()));
    }

    private SpaceReport.Totals totals(long compactable) {
        Balancer.Figures now = parts.figures().now();
        return new SpaceReport.Totals(
                now.capacity(),
                now.free(),
                parts.log().clientBytes(),
                now.used(),
                now.live(),
                now.tombstones().getAsLong(),
                compactable);
    }
}
