package io.volute.server.auth.policy;

import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/**
 * A cache of parsed policies, weighed by their heap. It has two generations of half the bound each:
 * a full younger generation becomes the older one, and entries unused since the last change are
 * evicted. Thread-safe; a hit takes no lock.
 */
final class PolicyCache {
    /** Heap bytes of an entry besides its document and its policy, rounded up. */
    private static final int ENTRY_BYTES = 128;

    private final long generationBytesMax;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile ConcurrentHashMap<Form, Policy> young = new ConcurrentHashMap<>();
    private volatile ConcurrentHashMap<Form, Policy> old = new ConcurrentHashMap<>();
    private long youngBytes;
    private long oldBytes;

    /** A document and how it is to be read. */
    record Form(String document, Optional<String> bucket) {
        private int heapBytes() {
            return ENTRY_BYTES + 2 * document.length();
        }
    }

    /**
     * @param bytesMax heap bytes of all that is kept
     */
    PolicyCache(long bytesMax) {
        this.generationBytesMax = bytesMax / 2;
    }

    /**
     * Returns the policy of a document.
     *
     * @param reading reads it when it is not kept
     */
    Policy get(Form form, Function<Form, Policy> reading) {
        Policy known = young.get(form);
        if (known != null) {
            return known;
        }
        known = old.get(form);
        Policy policy = known == null ? reading.apply(form) : known;
        keep(form, policy);
        return policy;
    }

    private void keep(Form form, Policy policy) {
        long bytes = (long) form.heapBytes() + policy.heapBytes();
        if (bytes > generationBytesMax) {
            return;
        }
        lock.lock();
        try {
            if (youngBytes + bytes > generationBytesMax) {
                old = young;
                oldBytes = youngBytes;
                young = new ConcurrentHashMap<>();
                youngBytes = 0;
            }
            if (young.putIfAbsent(form, policy) == null) {
                youngBytes += bytes;
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns the approximate heap bytes of the cached policies. */
    long heapBytes() {
        lock.lock();
        try {
            return youngBytes + oldBytes;
        } finally {
            lock.unlock();
        }
    }
}
