package io.volute.storage.cleaning;

import io.volute.storage.CubeUnavailableException;
import io.volute.storage.CubeUnavailableException.Reason;
import io.volute.storage.log.SegmentLog;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * The free space of a cube as measured last, and the bytes that clients write. Writers that lack
 * space, idle cleaning threads and passes that keep pace with clients all wait here for a change.
 * Thread-safe.
 */
public final class SpaceMonitor implements ClientLoad {
    /** Segments that must be free for clients; below that their writes wait. */
    static final int AHEAD_SEGMENTS = 2;

    private static final long PACE_MILLIS_MAX = 20;
    private static final long STEP_MILLIS = 50;

    /** Written bytes between two signals to waiting threads. */
    private static final long SIGNAL_BYTES = 64 << 10;

    private final LongSupplier clientBytes;
    private final LongSupplier deleteBytes;
    private final long segmentBytes;
    private final boolean isCleaning;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final AtomicLong written = new AtomicLong();

    private volatile long commitBytes;

    /** Bytes that are free for clients and for their deletes, as measured last. */
    private volatile long clientRoom;

    private volatile long deleteRoom;
    private volatile long cushionBytes = 1;
    private volatile boolean isHopeless;
    private long looks;
    private boolean stopped;

    /**
     * @param clientBytes bytes that clients may fill before their writes wait
     * @param deleteBytes the same for deletes, which have a reserve
     * @param segmentBytes size of a segment
     * @param isCleaning whether cleaning threads run; without them no write waits
     */
    public SpaceMonitor(
            LongSupplier clientBytes,
            LongSupplier deleteBytes,
            long segmentBytes,
            boolean isCleaning) {
        this.clientBytes = clientBytes;
        this.deleteBytes = deleteBytes;
        this.segmentBytes = segmentBytes;
        this.isCleaning = isCleaning;
    }

    /** Counts a committed batch. Called by the committing thread. */
    public void committed(long bytes) {
        commitBytes = commitBytes + (bytes - commitBytes) / 8;
        written(bytes);
    }

    /** Counts bytes that clients have written outside batches, or through {@link #committed}. */
    public void written(long bytes) {
        long before = written.getAndAdd(bytes);
        long after = before + bytes;
        if (isCleaning && before / SIGNAL_BYTES != after / SIGNAL_BYTES) {
            lock.lock();
            try {
                long often = Math.max(SIGNAL_BYTES, segmentBytes / 4);
                if (before / often != after / often) {
                    look();
                }
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    /** Measures anew, and has the cleaning threads decide again. Call it when space was freed. */
    public void wake() {
        lock.lock();
        try {
            look();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void look() {
        looks++;
        measure();
    }

    /** Measures the free space. */
    void measure() {
        clientRoom = clientBytes.getAsLong();
        deleteRoom = deleteBytes.getAsLong();
    }

    /** Returns whether there is so little space for such writes that they wait. */
    boolean isTight(SegmentLog.SpacePriority priority) {
        return switch (priority) {
            case CLIENT -> clientRoom < AHEAD_SEGMENTS * segmentBytes;
            case DELETE -> deleteRoom < segmentBytes;
            case LAST, CLEANER -> false;
        };
    }

    /** Returns whether cleaning threads run. */
    boolean isCleaning() {
        return isCleaning;
    }

    /** Returns whether the last attempt to reclaim space reclaimed none. */
    boolean isHopeless() {
        return isHopeless;
    }

    /**
     * Waits while the condition holds. When cleaning was hopeless the last time, it first waits for
     * one more attempt: deletes since then may have changed that.
     *
     * @param isBlocked checked under the lock of this monitor each time something changed
     * @param nanosMax longest wait while the condition holds
     * @return false when the time is up; true when the condition ended or the cube is closing
     */
    boolean awaitWhile(BooleanSupplier isBlocked, long nanosMax) throws InterruptedException {
        lock.lock();
        try {
            if (isHopeless) {
                waitForLook(Long.MAX_VALUE);
            }
            long left = nanosMax;
            while (!stopped && isBlocked.getAsBoolean()) {
                if (left <= 0) {
                    return false;
                }
                left = waitForLook(left);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Waits for one step at most; returns the remaining nanoseconds. */
    private long waitForLook(long left) throws InterruptedException {
        if (isHopeless) {
            look();
            changed.signalAll();
        }
        long step = Math.min(left, TimeUnit.MILLISECONDS.toNanos(STEP_MILLIS));
        return left - step + Math.max(0, changed.awaitNanos(step));
    }

    /**
     * Waits until there is a reason to decide again.
     *
     * @param seen the result of the last call, or 0
     * @return the number of the look, for the next call
     */
    long awaitLook(long seen) {
        lock.lock();
        try {
            while (looks == seen && !stopped) {
                changed.awaitUninterruptibly();
            }
            return looks;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Sets the size of the cushion; see {@link #cushionLeft}.
     *
     * @param bytes 0 or less when clients wait before cleaning begins
     */
    void setCushion(long bytes) {
        cushionBytes = Math.max(1, bytes);
    }

    /** Records how an attempt to reclaim space ended, and wakes the waiting writes. */
    void attempted(boolean wasHopeless) {
        isHopeless = wasHopeless;
        lock.lock();
        try {
            measure();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public long writtenBytes() {
        return written.get();
    }

    @Override
    public double cushionLeft() {
        return (clientRoom - AHEAD_SEGMENTS * segmentBytes) / (double) cushionBytes;
    }

    @Override
    public long commitBytes() {
        return commitBytes;
    }

    @Override
    public void awaitWritten(LongSupplier due) throws CubeUnavailableException {
        lock.lock();
        try {
            if (stopped) {
                throw new CubeUnavailableException(Reason.CLOSED, "the cube is closing");
            }
            measure();
            long enough = due.getAsLong();
            long left = TimeUnit.MILLISECONDS.toNanos(PACE_MILLIS_MAX);
            while (!isTight(SegmentLog.SpacePriority.CLIENT)
                    && !stopped
                    && left > 0
                    && written.get() < enough) {
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether {@link #stop} was called. */
    boolean isStopped() {
        lock.lock();
        try {
            return stopped;
        } finally {
            lock.unlock();
        }
    }

    /** Ends all waits, now and later. */
    void stop() {
        lock.lock();
        try {
            stopped = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
