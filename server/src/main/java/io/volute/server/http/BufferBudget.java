package io.volute.server.http;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Memory for buffers beyond the first of each request, shared by all connections. Requests never
 * wait for it: without a share, a request works with one buffer at a time. Thread-safe.
 */
final class BufferBudget {
    private final AtomicLong free;

    BufferBudget(long bytes) {
        free = new AtomicLong(bytes);
    }

    boolean tryTake(long bytes) {
        long before = free.get();
        while (before >= bytes) {
            long seen = free.compareAndExchange(before, before - bytes);
            if (seen == before) {
                return true;
            }
            before = seen;
        }
        return false;
    }

    void giveBack(long bytes) {
        free.addAndGet(bytes);
    }

    long freeBytes() {
        return free.get();
    }
}
