package io.volute.versioning.event;

import io.volute.storage.RecordStore;
import io.volute.versioning.state.ScopedHold;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Assigns numbers to rows, and keeps the watermark up to which all of them are visible. A commit
 * may be overtaken by another with a greater number. Thread-safe.
 */
public final class EventNumbers {
    private final RecordStore cube;

    /** Running commits, each with a number that was assigned before its own. */
    private final Map<Commit, Long> underWay = new ConcurrentHashMap<>();

    /** The greatest number so far. It never falls, so neither does the watermark. */
    private final AtomicLong given = new AtomicLong();

    /** Threads in {@link #awaitRunning}. */
    private final AtomicInteger waiting = new AtomicInteger();

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition ended = lock.newCondition();

    public EventNumbers(RecordStore cube) {
        this.cube = cube;
    }

    private final class Commit implements ScopedHold {
        @Override
        public void close() {
            underWay.remove(this);
            if (waiting.get() > 0) {
                lock.lock();
                try {
                    ended.signalAll();
                } finally {
                    lock.unlock();
                }
            }
        }
    }

    /**
     * Registers a commit. Hold it from before its number is assigned until the commit has ended.
     */
    public ScopedHold hold() {
        Commit commit = new Commit();
        underWay.put(commit, given.get());
        return commit;
    }

    public long next() {
        long number = cube.allocateId();
        given.accumulateAndGet(number, Math::max);
        return number;
    }

    /** Returns the watermark: no row will be added with a number up to this one. */
    public long settled() {
        // Before the commits are read: those that begin later have greater numbers.
        long end = cube.allocateId();
        for (long before : underWay.values()) {
            end = Math.min(end, before);
        }
        return end;
    }

    /**
     * Waits until the commits that are running now have ended. Then the watermark has passed the
     * numbers of all commits that ended before.
     */
    public void awaitRunning() {
        waiting.incrementAndGet();
        lock.lock();
        try {
            Set<Commit> running = Set.copyOf(underWay.keySet());
            while (running.stream().anyMatch(underWay::containsKey)) {
                ended.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
            waiting.decrementAndGet();
        }
    }
}
