package io.volute.server.s3.notification;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Heap for the events that wait for listening clients. One client holds at most twice the bytes
 * that are free, so that slow ones leave some for others. Thread-safe.
 */
final class EventHeap {
    private static final int SHARE = 2;

    private final long most;
    private final AtomicLong held = new AtomicLong();

    EventHeap(long most) {
        this.most = most;
    }

    /**
     * Takes bytes.
     *
     * @param own bytes that the client holds already
     * @return false when there are too few, and nothing was taken
     */
    boolean tryTake(long own, long more) {
        long before = held.get();
        while (own + more <= SHARE * (most - before) && more <= most - before) {
            long seen = held.compareAndExchange(before, before + more);
            if (seen == before) {
                return true;
            }
            before = seen;
        }
        return false;
    }

    void giveBack(long less) {
        held.addAndGet(-less);
    }

    /** Returns the bytes that all clients hold. */
    long held() {
        return held.get();
    }
}
