package io.volute.server.cluster;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Counts the requests that this node handles in one placed cube. Once closed, it lets none in, so
 * that the cube can be closed after the last one. Thread-safe.
 */
final class CubeGate {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition none = lock.newCondition();
    private long underWay;
    private boolean isClosed;

    /** Lets a request in; false once this is closed. */
    boolean enter() {
        lock.lock();
        try {
            if (!isClosed) {
                underWay++;
            }
            return !isClosed;
        } finally {
            lock.unlock();
        }
    }

    /** Notes the end of a request that was let in. */
    void leave() {
        lock.lock();
        try {
            underWay--;
            if (underWay == 0) {
                none.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Lets no more requests in. */
    void close() {
        lock.lock();
        try {
            isClosed = true;
        } finally {
            lock.unlock();
        }
    }

    /** Waits for the requests under way; false when there are some after that time. */
    boolean awaitNone(long waitNanos) throws InterruptedException {
        long rest = waitNanos;
        lock.lock();
        try {
            while (underWay > 0 && rest > 0) {
                rest = none.awaitNanos(rest);
            }
            return underWay == 0;
        } finally {
            lock.unlock();
        }
    }
}
