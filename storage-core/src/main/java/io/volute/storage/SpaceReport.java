package io.volute.storage;

import java.util.List;

/** Where the bytes of a cube are. All figures in bytes; the totals are the sums over segments. */
public record SpaceReport(List<SegmentSpace> segments, int freeSegments, long segmentBytes) {
    public SpaceReport {
        segments = List.copyOf(segments);
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

    /** What a segment holds. */
    public enum Kind {
        HEAD,
        STREAM,
        SURVIVOR
    }
}
