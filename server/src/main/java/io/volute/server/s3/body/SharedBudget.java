package io.volute.server.s3.body;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A bounded amount of something, such as heap for documents, that requests share. One holder can
 * have only a part of it, so that no holder locks out the others. Thread-safe.
 */
public final class SharedBudget {
    private final long most;
    private final long mostOfOne;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Long> held = new HashMap<>();
    private long total;

    /**
     * @param most of all holders together
     * @param mostOfOne of one holder
     */
    public SharedBudget(long most, long mostOfOne) {
        this.most = most;
        this.mostOfOne = mostOfOne;
    }

    /** Takes an amount; returns false, and takes nothing, when either bound would be exceeded. */
    public boolean tryTake(String holder, long amount) {
        lock.lock();
        try {
            long own = held.getOrDefault(holder, 0L) + amount;
            if (total + amount > most || own > mostOfOne) {
                return false;
            }
            held.put(holder, own);
            total += amount;
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Gives back an amount that {@link #tryTake} took for the same holder. */
    public void giveBack(String holder, long amount) {
        lock.lock();
        try {
            held.computeIfPresent(holder, (same, own) -> own == amount ? null : own - amount);
            total -= amount;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the bytes that all holders have together. */
    public long held() {
        lock.lock();
        try {
            return total;
        } finally {
            lock.unlock();
        }
    }
}
