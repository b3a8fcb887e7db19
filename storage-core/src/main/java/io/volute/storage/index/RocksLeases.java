package io.volute.storage.index;

import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.StampedLock;

/**
 * Who holds native objects of one RocksDB: the index, its snapshots, its cursors. Each lets go of
 * them once: when it is closed, or at the end of all.
 *
 * <p>Every native call holds the read side of a lock whose write side the end of all takes: a call
 * that races with it gets an exception, never a freed native object. Calls do not nest: the inner
 * one would wait for the end of all, and that for the outer one.
 */
final class RocksLeases {
    private final StampedLock closing = new StampedLock();
    private final ConcurrentSkipListMap<Long, Lease> held = new ConcurrentSkipListMap<>();
    private final AtomicLong numbers = new AtomicLong();

    /**
     * Adds a holder; all but the first within a call of another one.
     *
     * @param holder as it is named in messages
     * @param release lets go of what it holds
     */
    Lease add(String holder, Runnable release) {
        Lease lease = new Lease(numbers.incrementAndGet(), holder, release);
        held.put(lease.number, lease);
        return lease;
    }

    /** Ends all, the newest first: a cursor may walk over a snapshot, and both need the index. */
    void end() {
        long stamp = closing.writeLock();
        try {
            for (var newest = held.pollLastEntry(); newest != null; newest = held.pollLastEntry()) {
                newest.getValue().release();
            }
        } finally {
            closing.unlockWrite(stamp);
        }
    }

    /** What one of them holds. */
    final class Lease {
        private final long number;
        private final String holder;
        private final Runnable release;
        private boolean released;

        private Lease(long number, String holder, Runnable release) {
            this.number = number;
            this.holder = holder;
            this.release = release;
        }

        /**
         * Begins a native call.
         *
         * @return for {@link #leave}
         * @throws IllegalStateException when the holder is closed
         */
        long enter() {
            long stamp = closing.readLock();
            if (released) {
                closing.unlockRead(stamp);
                throw new IllegalStateException(holder + " is closed");
            }
            return stamp;
        }

        void leave(long stamp) {
            closing.unlockRead(stamp);
        }

        /** Nobody else may be in a call of the same holder. */
        void end() {
            long stamp = closing.readLock();
            try {
                if (held.remove(number, this)) {
                    release();
                }
            } finally {
                closing.unlockRead(stamp);
            }
        }

        private void release() {
            released = true;
            release.run();
        }
    }
}
