package io.volute.storage.commit;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The order of the commits of several cubes: a Lamport clock of sequences. A commit gets a greater
 * sequence than all commits of any cube that were visible when it was ordered. Thread-safe.
 */
public final class CommitOrder {
    private final AtomicLong last = new AtomicLong();

    /** Returns the least sequence that is greater than all sequences given out so far. */
    long next() {
        return last.get() + 1;
    }

    /** Records sequences that a cube has given out. Call it before their commits are visible. */
    public void passed(long sequence) {
        long unused = last.accumulateAndGet(sequence, Math::max);
    }
}
