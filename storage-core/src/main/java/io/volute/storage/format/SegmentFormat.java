package io.volute.storage.format;

/** Constants of the segment format; see docs/format/log.md. */
public final class SegmentFormat {
    /** The version that this code writes. It reads this version and earlier ones. */
    public static final int VERSION = 2;

    /** Alignment of extents and holes, and of batches of version 1. */
    public static final int PAGE_BYTES = 4096;

    /**
     * Alignment of batches. A disk writes a sector wholly or not at all, so a torn batch leaves the
     * batches before it in the same page intact.
     */
    public static final int SECTOR_BYTES = 512;

    private SegmentFormat() {}

    /** Returns the next multiple of a page at or above this. */
    public static long pageUp(long bytes) {
        return up(bytes, PAGE_BYTES);
    }

    /** Returns the next multiple of a sector at or above this. */
    public static long sectorUp(long bytes) {
        return up(bytes, SECTOR_BYTES);
    }

    private static long up(long bytes, int unit) {
        return (bytes + unit - 1) & -unit;
    }
}
