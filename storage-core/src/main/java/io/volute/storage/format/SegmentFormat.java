package io.volute.storage.format;

/** Constants of the segment format; see docs/format.md. */
public final class SegmentFormat {
    /** The version that this code writes; it reads this and those before. */
    public static final int VERSION = 2;

    /** Unit in which extents and holes are aligned, and batches of version 1. */
    public static final int PAGE_BYTES = 4096;

    /**
     * Unit in which batches are aligned: the least that a disk writes wholly or not at all, so that
     * a batch which is torn leaves those before it in the same page as they were.
     */
    public static final int SECTOR_BYTES = 512;

    private SegmentFormat() {}

    /** The next multiple of a page at or above this. */
    public static long pageUp(long bytes) {
        return up(bytes, PAGE_BYTES);
    }

    /** The next multiple of a sector at or above this. */
    public static long sectorUp(long bytes) {
        return up(bytes, SECTOR_BYTES);
    }

    private static long up(long bytes, int unit) {
        return (bytes + unit - 1) & -unit;
    }
}
