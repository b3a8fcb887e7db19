package io.volute.server.cluster;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Counts the requests that this node handles in a cube. Once closed, it lets none in, so that the
 * cube can be closed after the last one. Thread-safe.
 */
final class CubeGate {
    private final AtomicLong underWay = new AtomicLong();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition none = lock.newCondition();
    private volatile boolean isClosed;

    /** Lets a request in; false once this is closed. */
    boolean enter() {
        // Counted first: a closing that this does not see waits for it.
        underWay.incrementAndGet();
        if (isClosed) {
            leave();
            return false;
        }
        return true;
    }

    /** Notes the end of a request that was let in. */
    void leave() {
        if (underWay.decrementAndGet() == 0 && isClosed) {
            lock.lock();
            try {
                none.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    /** Lets no more requests in. */
    void close() {
        isClosed = true;
    }

    boolean isClosed() {
        return isClosed;
    }

    /** Waits for the requests under way; false when there are some after that time. */
    boolean awaitNone(long waitNanos) throws InterruptedException {
        long rest = waitNanos;
        lock.lock();
        try {
            while (underWay.get() > 0 && rest > 0) {
                rest = none.awaitNanos(rest);
            }
            return underWay.get() == 0;
        } finally {
            lock.unlock();
        }
    }
}
