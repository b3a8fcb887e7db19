package io.volute.server.s3.body;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The heap for the documents that requests carry, shared by S3, STS and the admin API. A caller can
 * hold only a part of it, so that one caller cannot lock out the others. Thread-safe.
 */
public final class DocumentBudget {
    private final long bytesMax;
    private final long callerBytesMax;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Long> held = new HashMap<>();
    private long heldBytes;

    /**
     * @param bytesMax of all documents together
     * @param callerBytesMax of the documents of one caller
     */
    public DocumentBudget(long bytesMax, long callerBytesMax) {
        this.bytesMax = bytesMax;
        this.callerBytesMax = callerBytesMax;
    }

    /** Reserves heap; returns false, and reserves nothing, when either bound would be exceeded. */
    boolean tryTake(String caller, long bytes) {
        lock.lock();
        try {
            long own = held.getOrDefault(caller, 0L) + bytes;
            if (heldBytes + bytes > bytesMax || own > callerBytesMax) {
                return false;
            }
            held.put(caller, own);
            heldBytes += bytes;
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Returns heap that {@link #tryTake} reserved for the same caller. */
    void giveBack(String caller, long bytes) {
        lock.lock();
        try {
            held.computeIfPresent(caller, (same, own) -> own == bytes ? null : own - bytes);
            heldBytes -= bytes;
        } finally {
            lock.unlock();
        }
    }

    /** Reserved bytes of all callers. */
    public long heldBytes() {
        lock.lock();
        try {
            return heldBytes;
        } finally {
            lock.unlock();
        }
    }
}
