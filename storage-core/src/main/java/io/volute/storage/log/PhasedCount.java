package io.volute.storage.log;

import java.util.concurrent.atomic.LongAdder;

/**
 * Counts users in two phases that take turns, so that it can be told when all who came before a
 * moment have gone, however many come afterwards. Nobody ever waits: whoever needs the end of a
 * {@link Grace} asks again later. Thread-safe.
 *
 * <p>Source: sleepable read-copy-update (McKenney, "Sleepable RCU", 2006).
 */
public final class PhasedCount {
    private final LongAdder[] entered = {new LongAdder(), new LongAdder()};
    private final LongAdder[] left = {new LongAdder(), new LongAdder()};
    private volatile long flips;

    /** Comes; the result goes to {@link #leave}. */
    public int enter() {
        while (true) {
            long seen = flips;
            int phase = phase(seen);
            entered[phase].increment();
            if (flips == seen) {
                return phase;
            }
            // Somebody flipped in between and may not have seen this.
            left[phase].increment();
        }
    }

    /**
     * Goes.
     *
     * @param phase from {@link #enter}
     */
    public void leave(int phase) {
        left[phase].increment();
    }

    private static int phase(long flips) {
        return (int) (flips & 1);
    }

    /** In this order: who left is then certainly among those who entered. */
    private boolean isEmpty(int phase) {
        long gone = left[phase].sum();
        return entered[phase].sum() == gone;
    }

    /** Begins to watch for the end of all who are there now. */
    public Grace begin() {
        return new Grace(flips);
    }

    /**
     * The newcomers get a phase of their own as soon as the one before is empty; then the present
     * one only empties.
     */
    private synchronized boolean isOver(long begun) {
        if (flips == begun && isEmpty(phase(begun + 1))) {
            flips = begun + 1;
        }
        return flips > begun + 1 || (flips == begun + 1 && isEmpty(phase(begun)));
    }

    /** The time until all who were there at its begin have left. */
    public final class Grace {
        private final long begun;

        private Grace(long begun) {
            this.begun = begun;
        }

        /** Once true, always true. */
        public boolean hasEnded() {
            return isOver(begun);
        }
    }
}
