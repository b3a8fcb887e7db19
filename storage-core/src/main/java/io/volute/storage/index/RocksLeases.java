package io.volute.storage.index;

import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.StampedLock;

/**
 * The holders of native objects of one RocksDB: the index, its snapshots, its cursors. Each
 * releases its objects once: when it is closed, or when all end.
 *
 * <p>Every native call holds the read side of a lock, and the end of all takes the write side. A
 * call that races with the end gets an exception, never a freed native object. Calls do not nest:
 * the inner one would wait for the end of all, and the end for the outer one.
 */
final class RocksLeases {
    private final StampedLock closing = new StampedLock();
    private final ConcurrentSkipListMap<Long, Lease> held = new ConcurrentSkipListMap<>();
    private final AtomicLong numbers = new AtomicLong();

    /**
     * Adds a holder. All but the first are added within a call of another holder.
     *
     * @param holder name in messages
     * @param release releases the objects of the holder
     */
    Lease add(String holder, Runnable release) {
        Lease lease = new Lease(numbers.incrementAndGet(), holder, release);
        held.put(lease.number, lease);
        return lease;
    }

    /**
     * Ends all holders, the newest first: a cursor may walk over a snapshot, and both need the
     * index.
     */
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

    /** The objects of one holder. */
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
         * @return a stamp for {@link #leave}
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

        /** Ends this holder. No other thread may be in a call of it. */
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
