package io.volute.storage.memory;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The images by slot. A place packs slot (20 bits), generation of the image (26 bits) and offset in
 * units of 8 bytes (17 bits). So a place in a closed image differs from one in the image that took
 * its slot. Thread-safe.
 */
final class ImageTable {
    /** Greatest number of slots that a place can name. */
    static final int SLOTS_MAX = 1 << 20;

    private static final int OFFSET_BITS = 17;
    private static final int GENERATION_BITS = 26;
    private static final int UNIT_SHIFT = 3;

    private final SegletPool pool;
    private final int imageSeglets;
    private final ReentrantLock lock = new ReentrantLock();
    private final AtomicReferenceArray<Optional<Image>> images;
    private final int[] freeSlots;
    private int freeCount;
    private boolean closed;
    private volatile long born;

    /**
     * Creates an empty table.
     *
     * @param slots greatest number of images; each has at least one seglet but the two open ones
     */
    ImageTable(SegletPool pool, int slots, int imageSeglets) {
        if (slots > SLOTS_MAX) {
            throw new IllegalArgumentException("at most " + SLOTS_MAX + " images, not " + slots);
        }
        this.pool = pool;
        this.imageSeglets = imageSeglets;
        this.images = new AtomicReferenceArray<>(slots);
        this.freeSlots = new int[slots];
        for (int slot = slots - 1; slot >= 0; slot--) {
            images.set(slot, Optional.empty());
            freeSlots[freeCount++] = slot;
        }
    }

    static long place(Image image, int offset) {
        return ((long) image.slot() << GENERATION_BITS | low(image.generation())) << OFFSET_BITS
                | offset >>> UNIT_SHIFT;
    }

    static int offset(long place) {
        return (int) (place & (1L << OFFSET_BITS) - 1) << UNIT_SHIFT;
    }

    /** Returns whether a place lies in this image. */
    static boolean isIn(Image image, long place) {
        return place >>> OFFSET_BITS == place(image, 0) >>> OFFSET_BITS;
    }

    private static long low(long generation) {
        return generation & (1L << GENERATION_BITS) - 1;
    }

    /** Returns the image of a place, unless it was closed. */
    Optional<Image> at(long place) {
        Optional<Image> image = images.get((int) (place >>> OFFSET_BITS + GENERATION_BITS));
        return image.isPresent() && isIn(image.get(), place) ? image : Optional.empty();
    }

    /** Creates an image without seglets, unless there are too many. */
    Optional<Image> open() {
        lock.lock();
        try {
            if (closed || freeCount == 0) {
                return Optional.empty();
            }
            born = born + 1;
            int slot = freeSlots[--freeCount];
            Optional<Image> image = Optional.of(new Image(pool, slot, born, imageSeglets));
            images.set(slot, image);
            return image;
        } finally {
            lock.unlock();
        }
    }

    /** Closes an image. Its seglets return when its last reader has left. */
    void close(Image image) {
        lock.lock();
        try {
            images.set(image.slot(), Optional.empty());
            freeSlots[freeCount++] = image.slot();
        } finally {
            lock.unlock();
        }
        image.close();
    }

    /** Closes all images, and prevents new ones. */
    void closeAll() {
        lock.lock();
        try {
            closed = true;
        } finally {
            lock.unlock();
        }
        all().forEach(this::close);
    }

    /** Returns the generation of the youngest image. */
    long born() {
        return born;
    }

    List<Image> all() {
        List<Image> all = new ArrayList<>();
        for (int slot = 0; slot < images.length(); slot++) {
            images.get(slot).ifPresent(all::add);
        }
        return all;
    }
}
