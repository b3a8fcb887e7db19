package io.volute.storage.memory;

import io.volute.storage.CubeOptions.MemorySettings;

/**
 * How a budget is divided. Everything that grows with what is stored is in it: seglets, the entry
 * index, the memory of first reads, and the upkeep's copy buffer.
 *
 * @param seglets of 64 KiB, all together
 * @param imageSeglets of a full image
 * @param reserveSeglets that only the upkeep may take: what it writes before it frees
 * @param indexBytes at most, for the entry index
 * @param firstReads cells of 8 bytes
 * @param contentBytesMax longest content that is taken
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

    /** For each seglet: its numbers in lists, and the image it may be. */
    private static final int BOOKKEEPING_BYTES = 256;

    /** So many images at least, so that one of them is a small part of the whole. */
    private static final int IMAGES_MIN = 128;

    /** Of four images that are evicted together three may be written before any is freed. */
    private static final int RESERVE_IMAGES = 3;

    private static final int INDEX_SHARE = 8;
    private static final int CONTENT_SHARE = 4;
    private static final int FIRST_READS_SHARE = 1024;
    private static final int FIRST_READS_MIN = 64;
    private static final int FIRST_READS_MAX = 1 << 24;

    /** Slots of images beyond one for each seglet: an image is opened before it has a seglet. */
    private static final int OPEN_IMAGES = 2;

    /** Without memory. */
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

    /** Images there can be. */
    int slots() {
        return seglets + OPEN_IMAGES;
    }

    /** Memory for entries, in bytes. */
    long segletBytes() {
        return (long) seglets * SEGLET_BYTES;
    }

    /** Memory that is taken at once and kept. */
    long fixedBytes() {
        return 8L * firstReads + contentBytesMax + (long) BOOKKEEPING_BYTES * seglets;
    }
}
