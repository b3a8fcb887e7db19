package io.volute.storage.memory;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The seglets, cut from a few big slabs that are allocated when they are needed, up to a limit. It
 * frees everything once it is closed and the last seglet has returned. Thread-safe.
 */
final class SegletPool {

    /** The use of a seglet. */
    enum Use {
        /** New entries, which leave the reserve alone. */
        APPEND,
        /** Survivors. */
        UPKEEP
    }

    static final int NONE = -1;
    static final int SEGLET_BYTES = ImageLayout.SEGLET_BYTES;

    private static final Logger LOG = LoggerFactory.getLogger(SegletPool.class);
    private static final int SLAB_SEGLETS = 64;

    private final Slabs slabs;
    private final int reserve;
    private final ReentrantLock lock = new ReentrantLock();
    private final List<Slabs.Slab> allocated = new ArrayList<>();
    private final ByteBuffer[] buffers;
    private final int[] free;
    private int freeCount;
    private volatile int cut;
    private volatile int limit;
    private boolean closed;
    private volatile int inUse;
    private volatile long appended;

    SegletPool(Slabs slabs, int seglets, int reserve) {
        this.slabs = slabs;
        this.limit = seglets;
        this.reserve = reserve;
        this.free = new int[seglets];
        this.buffers = new ByteBuffer[(seglets + SLAB_SEGLETS - 1) / SLAB_SEGLETS];
    }

    /**
     * Takes a seglet for the caller alone; returns {@link #NONE} when there is none. Its content is
     * undefined.
     */
    int take(Use use) {
        lock.lock();
        try {
            int kept = use == Use.APPEND ? reserve : 0;
            if (closed || limit - inUse <= kept) {
                return NONE;
            }
            if (freeCount == 0) {
                grow();
            }
            if (freeCount == 0) {
                return NONE;
            }
            inUse = inUse + 1;
            appended = appended + (use == Use.APPEND ? 1 : 0);
            return free[--freeCount];
        } finally {
            lock.unlock();
        }
    }

    /** Allocates the next slab ahead of need when few seglets are left. */
    void growAhead(int wanted) {
        lock.lock();
        try {
            if (!closed && freeCount < wanted) {
                grow();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether {@link #growAhead} would allocate. */
    boolean isShortOf(int wanted) {
        return cut - inUse < wanted && cut < limit;
    }

    /** Returns the number of seglets taken for new entries so far. */
    long appended() {
        return appended;
    }

    private void grow() {
        int count = Math.min(SLAB_SEGLETS, limit - cut);
        if (count <= 0) {
            return;
        }
        Slabs.Slab slab;
        try {
            slab = slabs.allocate(count * SEGLET_BYTES);
        } catch (OutOfMemoryError e) {
            limit = cut;
            LOG.warn(
                    "memory images stay at {} bytes, no more memory is available ({}): raise"
                            + " -XX:MaxDirectMemorySize or lower memory.images.bytes",
                    (long) cut * SEGLET_BYTES,
                    e.getMessage());
            return;
        }
        allocated.add(slab);
        buffers[cut / SLAB_SEGLETS] = slab.bytes().order(ByteOrder.LITTLE_ENDIAN);
        for (int i = count - 1; i >= 0; i--) {
            free[freeCount++] = cut + i;
        }
        cut = cut + count;
    }

    void giveBack(int[] seglets, int count) {
        lock.lock();
        try {
            for (int i = 0; i < count; i++) {
                free[freeCount++] = seglets[i];
            }
            inUse = inUse - count;
            releaseWhenEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** Ends the hand-out of seglets. The memory is freed when the last one has returned. */
    void close() {
        lock.lock();
        try {
            closed = true;
            releaseWhenEmpty();
        } finally {
            lock.unlock();
        }
    }

    private void releaseWhenEmpty() {
        if (closed && inUse == 0) {
            allocated.forEach(Slabs.Slab::release);
            allocated.clear();
        }
    }

    /** Returns the slab of a seglet, for its holder. */
    ByteBuffer slab(int seglet) {
        return buffers[seglet / SLAB_SEGLETS];
    }

    /** Returns the offset of a seglet in its slab. */
    static int base(int seglet) {
        return seglet % SLAB_SEGLETS * SEGLET_BYTES;
    }

    /** Returns the number of seglets that are not in use, allocated or not. */
    int unused() {
        return limit - inUse;
    }

    /** Returns the greatest number of seglets. */
    int limit() {
        return limit;
    }

    long allocatedBytes() {
        lock.lock();
        try {
            return allocated.stream().mapToLong(slab -> slab.bytes().capacity()).sum();
        } finally {
            lock.unlock();
        }
    }
}
