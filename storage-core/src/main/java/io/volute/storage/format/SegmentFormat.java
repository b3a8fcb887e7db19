package io.volute.storage.format;

/** Constants of the segment format; see docs/format.md. */
public final class SegmentFormat {
    /** The one version that this code writes and reads. */
    public static final int VERSION = 1;

    /** Unit in which batches and extents are aligned. */
    public static final int PAGE_BYTES = 4096;

    private SegmentFormat() {}

    /** The next multiple of a page at or above this. */
    public static long pageUp(long bytes) {
        return (bytes + PAGE_BYTES - 1) & -PAGE_BYTES;
    }
}
