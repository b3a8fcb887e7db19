package io.volute.server.http.watch;

import java.time.Duration;
import java.util.concurrent.atomic.LongAccumulator;

/**
 * The greatest value of the last minutes: of this window of time and of the one before. A value
 * that is recorded as a window ends may count for either. Thread-safe.
 */
final class RecentMax {
    private static final long WINDOW_NANOS = Duration.ofMinutes(1).toNanos();

    /** A window of time, by number since the clock's zero, and what was greatest before it. */
    private record Window(long number, LongAccumulator greatest, long before) {
        static Window of(long number, long before) {
            return new Window(number, new LongAccumulator(Math::max, 0), before);
        }
    }

    private volatile Window window = Window.of(Long.MIN_VALUE, 0);

    /**
     * Counts a value.
     *
     * @param nanos now, by a clock that only goes forward
     */
    void record(long value, long nanos) {
        Window current = at(nanos);
        if (value > current.greatest().get()) {
            current.greatest().accumulate(value);
        }
    }

    /**
     * The greatest; 0 when there was none.
     *
     * @param nanos as for a value
     */
    long greatest(long nanos) {
        Window current = at(nanos);
        return Math.max(current.before(), current.greatest().get());
    }

    private Window at(long nanos) {
        long number = Math.floorDiv(nanos, WINDOW_NANOS);
        Window current = window;
        return number <= current.number() ? current : next(number);
    }

    private synchronized Window next(long number) {
        Window last = window;
        if (number > last.number()) {
            boolean isNext = number - 1 == last.number();
            window = Window.of(number, isNext ? last.greatest().get() : 0);
        }
        return window;
    }
}
