package io.volute.storage.report;

import java.util.List;

/**
 * Where the bytes of a cube are. All figures in bytes; the totals are the sums over segments.
 *
 * @param freeSegments spare files, made and empty
 * @param totals of this moment, in which clients may write
 * @param decision the last one of the balancer, with what it was made from
 * @param cleaner what combined cleaning did since start
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

    /** Of a cube that nobody cleans. */
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
     * @param live bytes of entries that a reader can still reach
     * @param dead bytes of entries that nobody can reach, tombstones not counted
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
     * @param capacity that segments may take, reserves included
     * @param free of it, reserves included
     * @param clientFree of it that clients may still fill
     * @param used that segments take, holes not counted
     * @param compactable that a compaction would give back
     */
    public record Totals(
            long capacity,
            long free,
            long clientFree,
            long used,
            long live,
            long tombstones,
            long compactable) {

        /** What clients could fill if everything dead was won back. */
        public long winnable() {
            return clientFree + used - live - tombstones;
        }

        /** Bytes of segments for a byte that is live; 0 when nothing is. */
        public double expansion() {
            return live == 0 ? 0 : (double) used / live;
        }
    }

    /**
     * @param passes that ended well
     * @param freedSegments origins of those passes
     * @param copiedBytes written to survivors
     * @param damagedSegments met with damage and kept
     */
    public record CleanerTotals(
            long passes, long freedSegments, long copiedBytes, int damagedSegments) {}

    /** What a segment holds. */
    public enum Kind {
        HEAD,
        STREAM,
        SURVIVOR
    }
}
