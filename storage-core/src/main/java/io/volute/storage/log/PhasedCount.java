package io.volute.storage.log;

import java.util.concurrent.atomic.LongAdder;

/**
 * Counts users in two phases that take turns. It detects the moment when all users that came before
 * a given moment have left, however many come afterwards. No call waits: a caller that needs the
 * end of a {@link Grace} checks again later. Thread-safe.
 *
 * <p>Source: sleepable read-copy-update (McKenney, "Sleepable RCU", 2006).
 */
public final class PhasedCount {
    private final LongAdder[] entered = {new LongAdder(), new LongAdder()};
    private final LongAdder[] left = {new LongAdder(), new LongAdder()};
    private volatile long flips;

    /** Counts a user in; returns the phase for {@link #leave}. */
    public int enter() {
        while (true) {
            long seen = flips;
            int phase = phase(seen);
            entered[phase].increment();
            if (flips == seen) {
                return phase;
            }
            // Another thread flipped the phase in between and may not have seen this user.
            left[phase].increment();
        }
    }

    /**
     * Counts a user out.
     *
     * @param phase result of {@link #enter}
     */
    public void leave(int phase) {
        left[phase].increment();
    }

    private static int phase(long flips) {
        return (int) (flips & 1);
    }

    /**
     * Returns whether a phase is empty. The order of the two reads matters: every user that is
     * counted out was counted in before.
     */
    private boolean isEmpty(int phase) {
        long gone = left[phase].sum();
        return entered[phase].sum() == gone;
    }

    /** Begins to watch for the leave of all present users. */
    public Grace begin() {
        return new Grace(flips);
    }

    /**
     * Returns whether all users of the watch have left. Newcomers get a phase of their own as soon
     * as the one before is empty; then the present phase only empties.
     */
    private synchronized boolean isOver(long begun) {
        if (flips == begun && isEmpty(phase(begun + 1))) {
            flips = begun + 1;
        }
        return flips > begun + 1 || (flips == begun + 1 && isEmpty(phase(begun)));
    }

    /** The time until all users that were present at its begin have left. */
    public final class Grace {
        private final long begun;

        private Grace(long begun) {
            this.begun = begun;
        }

        /** Returns whether the time has ended. Once true, always true. */
        public boolean hasEnded() {
            return isOver(begun);
        }
    }
}
