package io.volute.storage.memory;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Remembers which blobs were read from the disk lately, and distinguishes the second read from the
 * first. The second must come while at most a window of bytes has been read from the disk since the
 * first. So a scan, which reads everything once, displaces nothing that is read often, and neither
 * does a loop over more than fits. A forgotten first read costs one more read from the disk.
 * Thread-safe, no locks; a race may forget.
 */
final class RereadDetector {
    private static final int PERIODS = 8;
    private static final long PERIOD_MASK = 0xffff;

    private final AtomicLongArray cells;
    private final long periodBytes;
    private final AtomicLong read = new AtomicLong();

    /**
     * Creates a detector.
     *
     * @param cells number of cells, a power of two
     */
    RereadDetector(int cells, long windowBytes) {
        this.cells = new AtomicLongArray(cells);
        this.periodBytes = Math.max(1, windowBytes / PERIODS);
    }

    /** Records a read from the disk; returns whether it is the second within the window. */
    boolean isSecond(long blobId, int bytes) {
        long period = read.addAndGet(bytes) / periodBytes;
        long hash = EntryIndex.mix(blobId);
        int cell = (int) hash & cells.length() - 1;
        long before = cells.getOpaque(cell);
        cells.setOpaque(cell, hash & ~PERIOD_MASK | period & PERIOD_MASK);
        boolean isSame = before != 0 && ((before ^ hash) & ~PERIOD_MASK) == 0;
        return isSame && (period - before & PERIOD_MASK) < PERIODS;
    }
}
