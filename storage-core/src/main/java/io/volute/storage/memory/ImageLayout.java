package io.volute.storage.memory;

import io.volute.storage.CubeOptions.MemorySettings;

/**
 * The division of the memory budget. It includes everything that grows with the stored entries:
 * seglets, the entry index, the reread detector, and the upkeep's copy buffer.
 *
 * @param seglets number of seglets of 64 KiB
 * @param imageSeglets seglets of a full image
 * @param reserveSeglets seglets that only the upkeep may take: it writes before it frees
 * @param indexBytes greatest bytes of the entry index
 * @param firstReads cells of the reread detector, 8 bytes each
 * @param contentBytesMax longest content that is kept
 */
record ImageLayout(
        int seglets,
        int imageSeglets,
        int reserveSeglets,
        long indexBytes,
        int firstReads,
        int contentBytesMax) {
    static final int SEGLET_BYTES = 64 << 10;

    private static final int IMAGE_SEGLETS_MAX = 16;

    /** Bookkeeping for each seglet: its numbers in lists, and the image that it may be. */
    private static final int BOOKKEEPING_BYTES = 256;

    /** Least number of images, so that one of them is a small part of the whole. */
    private static final int IMAGES_MIN = 128;

    /**
     * Images of reserve: of four images that are evicted together, three may be written before any
     * is freed.
     */
    private static final int RESERVE_IMAGES = 3;

    private static final int INDEX_SHARE = 8;
    private static final int CONTENT_SHARE = 4;
    private static final int FIRST_READS_SHARE = 1024;
    private static final int FIRST_READS_MIN = 64;
    private static final int FIRST_READS_MAX = 1 << 24;

    /** Image slots beyond one for each seglet: an image is opened before it has a seglet. */
    private static final int OPEN_IMAGES = 2;

    /** The layout without memory. */
    private static final ImageLayout NONE = new ImageLayout(0, 1, 0, 0, 1, 0);

    static ImageLayout of(MemorySettings settings) {
        if (settings.imageBytes() == 0 || settings.entryBytesMax() == 0) {
            return NONE;
        }
        long budget = settings.imageBytes();
        long index = budget / INDEX_SHARE;
        int firstReads =
                (int)
                        Long.highestOneBit(
                                Math.clamp(
                                        budget / FIRST_READS_SHARE,
                                        FIRST_READS_MIN,
                                        FIRST_READS_MAX));
        int copied = Math.min(settings.entryBytesMax(), imageBytes(IMAGE_SEGLETS_MAX));
        long left = budget - index - 8L * firstReads - copied;
        int seglets = (int) (left / (SEGLET_BYTES + BOOKKEEPING_BYTES));
        int imageSeglets = Math.clamp(seglets / IMAGES_MIN, 1, IMAGE_SEGLETS_MAX);
        return new ImageLayout(
                seglets,
                imageSeglets,
                Math.min(RESERVE_IMAGES * imageSeglets + 1, seglets / 4),
                index,
                firstReads,
                Math.min(settings.entryBytesMax(), imageBytes(imageSeglets) / CONTENT_SHARE));
    }

    private static int imageBytes(int seglets) {
        return seglets * SEGLET_BYTES;
    }

    int imageBytes() {
        return imageBytes(imageSeglets);
    }

    /** Returns the greatest number of images. */
    int slots() {
        return seglets + OPEN_IMAGES;
    }

    /** Returns the memory for entries in bytes. */
    long segletBytes() {
        return (long) seglets * SEGLET_BYTES;
    }

    /** Returns the memory in bytes that is taken at once and kept. */
    long fixedBytes() {
        return 8L * firstReads + contentBytesMax + (long) BOOKKEEPING_BYTES * seglets;
    }
}
