package io.volute.storage.commit;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Waits awake for a moment where what is waited for mostly comes in one: a client that writes again
 * as soon as it has its answer is faster than this thread falls asleep and is woken, more so beside
 * a cleaner that keeps the processors busy. Where most waits are longer it sleeps at once, so that
 * who waits for nothing costs nothing. Used by one thread.
 */
final class Linger {
    /** About what it takes to wake two threads: this one, and the client before it writes again. */
    private static final long NANOS = TimeUnit.MICROSECONDS.toNanos(50);

    /** A wait that was slept through ends later than what it waited for came. */
    private static final long SLEPT_NANOS = 2 * NANOS;

    private static final int SCORE_MAX = 8;
    private static final int MISS = 2;

    private final LongSupplier nanos;
    private final boolean hasProcessors;

    /** Worth it from the half on: two waits of three must be short. */
    private int score;

    /**
     * @param processors with one of them, who waits awake keeps it from who is waited for
     */
    Linger(LongSupplier nanos, int processors) {
        this.nanos = nanos;
        this.hasProcessors = processors > 1;
    }

    /** Sleeps until there is something. */
    interface Sleep<T> {
        T take() throws InterruptedException;
    }

    /**
     * Returns what comes next.
     *
     * @param mayLinger false where the wait is no measure of those to come
     * @param poll what there is, or null
     */
    <T> T await(boolean mayLinger, Supplier<T> poll, Sleep<T> sleep) throws InterruptedException {
        T next = poll.get();
        if (next != null) {
            return next;
        }
        if (!mayLinger || !hasProcessors) {
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
