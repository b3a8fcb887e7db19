package io.volute.storage.heap;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A cache with a bound in bytes of heap. It has two generations of half the bound each: a full
 * younger generation becomes the older one, and entries unused since the last change are evicted.
 * Few values are loaded at the same moment, because values that are loaded are not weighed yet.
 * Thread-safe; a hit takes no lock.
 *
 * @param <K> immutable, with equals and hashCode
 * @param <V> immutable
 */
public final class WeighedCache<K, V> {
    /** Heap bytes of an entry besides its key and its value, rounded up. */
    public static final int ENTRY_BYTES = 128;

    /** Values that are loaded at the same moment. */
    private static final int LOADS_MAX = 2;

    private final long generationBytesMax;
    private final Weigher<K, V> weigher;
    private final Semaphore loads = new Semaphore(LOADS_MAX);
    private final ReentrantLock lock = new ReentrantLock();
    private volatile ConcurrentHashMap<K, V> young = new ConcurrentHashMap<>();
    private volatile ConcurrentHashMap<K, V> old = new ConcurrentHashMap<>();
    private long youngBytes;
    private long oldBytes;

    /** Weighs entries. */
    @FunctionalInterface
    public interface Weigher<K, V> {
        /** Returns the heap bytes of key and value, without {@link #ENTRY_BYTES}. */
        long heapBytes(K key, V value);
    }

    /** Loads a value that is not in the cache. It must not ask the same cache. */
    @FunctionalInterface
    public interface Loader<K, V, E extends Exception> {
        V load(K key) throws E;
    }

    /**
     * Creates an empty cache.
     *
     * @param bytesMax heap bytes of all entries; an entry of more than half of them is not kept
     */
    public WeighedCache(long bytesMax, Weigher<K, V> weigher) {
        this.generationBytesMax = bytesMax / 2;
        this.weigher = weigher;
    }

    /** Returns the heap bytes of a text at most. */
    public static long heapBytes(String text) {
        return 56 + 2L * text.length();
    }

    /** Returns the value of a key, loaded if it is not kept. */
    public <E extends Exception> V get(K key, Loader<? super K, ? extends V, E> loader) throws E {
        V known = young.get(key);
        if (known != null) {
            return known;
        }
        known = old.get(key);
        if (known == null) {
            loads.acquireUninterruptibly();
            try {
                known = young.get(key);
                if (known == null) {
                    known = loader.load(key);
                    keep(key, known);
                }
                return known;
            } finally {
                loads.release();
            }
        }
        keep(key, known);
        return known;
    }

    private void keep(K key, V value) {
        long bytes = ENTRY_BYTES + weigher.heapBytes(key, value);
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
            if (young.putIfAbsent(key, value) == null) {
                youngBytes += bytes;
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns the approximate heap bytes of all entries. */
    public long heapBytes() {
        lock.lock();
        try {
            return youngBytes + oldBytes;
        } finally {
            lock.unlock();
        }
    }
}
