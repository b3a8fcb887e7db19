package io.volute.storage.commit;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * A wait that spins for a moment before it sleeps, where most waits are short. A client that writes
 * again as soon as it has its answer is faster than this thread falls asleep and is woken, even
 * more so beside a cleaner that keeps the processors busy. Where most waits are longer, it sleeps
 * at once, so that an idle thread costs nothing. Used by one thread.
 */
final class SpinWait {
    /** About the time to wake two threads: this one, and the client before it writes again. */
    private static final long NANOS = TimeUnit.MICROSECONDS.toNanos(50);

    /** Longest sleep that counts as a short wait: a sleep ends later than its event. */
    private static final long SLEPT_NANOS = 2 * NANOS;

    private static final int SCORE_MAX = 8;
    private static final int MISS = 2;

    private final LongSupplier nanos;
    private final boolean hasProcessors;

    /**
     * Recent share of short waits. Spinning is worth it from the half on: two waits of three must
     * be short.
     */
    private int score;

    /**
     * Creates a wait.
     *
     * @param processors number of processors; with one, a spinning thread would keep it from the
     *     other
     */
    SpinWait(LongSupplier nanos, int processors) {
        this.nanos = nanos;
        this.hasProcessors = processors > 1;
    }

    /** A blocking take. */
    interface Sleep<T> {
        T take() throws InterruptedException;
    }

    /**
     * Returns the next element.
     *
     * @param maySpin false where the wait is no measure of later ones
     * @param poll returns the next element, or null
     */
    <T> T await(boolean maySpin, Supplier<T> poll, Sleep<T> sleep) throws InterruptedException {
        T next = poll.get();
        if (next != null) {
            return next;
        }
        if (!maySpin || !hasProcessors) {
            return sleep.take();
        }
        long begin = nanos.getAsLong();
        if (!isWorthIt()) {
            next = sleep.take();
            waited(nanos.getAsLong() - begin <= SLEPT_NANOS);
            return next;
        }
        do {
            Thread.onSpinWait();
            next = poll.get();
        } while (next == null && nanos.getAsLong() - begin < NANOS);
        waited(next != null);
        return next == null ? sleep.take() : next;
    }

    boolean isWorthIt() {
        return score >= SCORE_MAX / 2;
    }

    private void waited(boolean isShort) {
        score = Math.clamp(isShort ? score + 1 : score - MISS, 0, SCORE_MAX);
    }
}
