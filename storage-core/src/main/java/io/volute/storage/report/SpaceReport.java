package io.volute.storage.report;

import java.util.List;

/**
 * The distribution of the bytes of a cube over its segments. All figures are in bytes; the totals
 * are the sums over segments.
 *
 * @param freeSegments number of spare segment files
 * @param totals totals, measured while clients may write
 * @param decision last decision of the balancer, with its figures
 * @param cleaner work of combined cleaning since the cube was opened
 */
public record SpaceReport(
        List<SegmentSpace> segments,
        int freeSegments,
        long segmentBytes,
        Totals totals,
        SpaceDecision decision,
        CleanerTotals cleaner) {
    public SpaceReport {
        segments = List.copyOf(segments);
    }

    /** Creates the report of a cube that is not cleaned. */
    public SpaceReport(List<SegmentSpace> segments, int freeSegments, long segmentBytes) {
        this(
                segments,
                freeSegments,
                segmentBytes,
                new Totals(0, 0, 0, 0, 0, 0, 0),
                SpaceDecision.none("nobody cleans"),
                new CleanerTotals(0, 0, 0, 0));
    }

    /**
     * The bytes of one segment.
     *
     * @param live bytes of entries that a reader can still reach
     * @param dead bytes of entries that no reader can reach, without tombstones
     * @param tombstones bytes of tombstones that are still needed
     * @param holes written bytes, all of them dead, that take no space on the file system any more
     */
    public record SegmentSpace(
            long segmentId,
            Kind kind,
            boolean sealed,
            long written,
            long live,
            long dead,
            long tombstones,
            long holes) {}

    /**
     * The totals of a cube.
     *
     * @param capacity bytes that segments may take, reserves included
     * @param free free bytes, reserves included
     * @param clientFree free bytes that clients may still fill
     * @param used bytes that segments take, holes excluded
     * @param compactable bytes that a compaction would give back
     */
    public record Totals(
            long capacity,
            long free,
            long clientFree,
            long used,
            long live,
            long tombstones,
            long compactable) {

        /** Returns the bytes that clients could fill if all dead bytes were reclaimed. */
        public long winnable() {
            return clientFree + used - live - tombstones;
        }

        /** Returns the bytes of segments for each live byte; 0 when nothing is live. */
        public double expansion() {
            return live == 0 ? 0 : (double) used / live;
        }
    }

    /**
     * The work of combined cleaning since the cube was opened.
     *
     * @param passes number of passes that ended well
     * @param freedSegments number of origins of those passes
     * @param copiedBytes bytes written to survivors
     * @param damagedSegments number of segments that had damage and are kept
     */
    public record CleanerTotals(
            long passes, long freedSegments, long copiedBytes, int damagedSegments) {}

    /** The kind of a segment. */
    public enum Kind {
        HEAD,
        STREAM,
        SURVIVOR
    }
}
