package io.volute.storage.commit;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * The order of the commits of several cubes: a Lamport clock of sequences. A commit gets a greater
 * sequence than all commits of any cube that were visible when it was ordered. Thread-safe.
 */
public final class CommitOrder {
    private final AtomicLong last = new AtomicLong();

    /** Committing threads share it for the time of a batch. */
    private final ReentrantReadWriteLock batches = new ReentrantReadWriteLock();

    /** Returns the greatest sequence given out so far. */
    public long last() {
        return last.get();
    }

    /** Returns the least sequence that is greater than all sequences given out so far. */
    long next() {
        return last.get() + 1;
    }

    /** Records sequences that a cube has given out. Call it before their commits are visible. */
    public void passed(long sequence) {
        long unused = last.accumulateAndGet(sequence, Math::max);
    }

    /** Returns the lock that a committing thread holds while it makes a batch. */
    Lock batch() {
        return batches.readLock();
    }

    /** Returns the lock that holds back all batches. */
    public Lock noBatches() {
        return batches.writeLock();
    }

    /** Returns the number of threads that wait for one of the locks. */
    int waiting() {
        return batches.getQueueLength();
    }
}
