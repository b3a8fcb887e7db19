package io.volute.benchmarks.cleaning;

import io.volute.benchmarks.Ticks;
import io.volute.storage.CubeUnavailableException;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;

/**
 * Counts and times the writes of several threads. A write that is refused because space is short is
 * tried again, and its time goes on. Thread-safe.
 */
final class Stopwatch {
    /** A write that is refused for so long is a failure. */
    private static final long GIVE_UP_NANOS = TimeUnit.SECONDS.toNanos(20);

    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    /** A write to be timed. */
    interface Write {
        void run() throws IOException;
    }

    private final long begin = Ticks.nanos();
    private final AtomicLong lastDone = new AtomicLong(begin);
    private final LongAccumulator worstGap = new LongAccumulator(Math::max, 0);
    private final LongAdder busy = new LongAdder();
    private final LongAdder full = new LongAdder();
    private final Histogram all = new Histogram(TimeUnit.SECONDS.toNanos(100), 3);

    /** One thread's share. */
    final class Hand implements AutoCloseable {
        private final Histogram mine = new Histogram(TimeUnit.SECONDS.toNanos(100), 3);

        void time(Write write) throws IOException {
            long from = Ticks.nanos();
            while (!isAccepted(write, from)) {
                Ticks.waitUntil(Ticks.nanos() + RETRY_NANOS);
            }
            long now = Ticks.nanos();
            mine.recordValue(Math.min(now - from, mine.getHighestTrackableValue()));
            worstGap.accumulate(now - lastDone.getAndAccumulate(now, Math::max));
        }

        private boolean isAccepted(Write write, long from) throws IOException {
            try {
                write.run();
                return true;
            } catch (CubeUnavailableException e) {
                switch (e.reason()) {
                    case BUSY -> busy.increment();
                    case FULL -> full.increment();
                    case READ_ONLY, CLOSED, NOT_OPEN -> throw e;
                }
                if (Ticks.nanos() - from > GIVE_UP_NANOS) {
                    throw new IOException("refused for too long", e);
                }
                return false;
            }
        }

        @Override
        public void close() {
            synchronized (all) {
                all.add(mine);
            }
        }
    }

    /**
     * The results of a measurement.
     *
     * @param worstGapNanos longest time in which no write of any thread ended
     * @param busy refusals because writes came faster than space
     * @param full refusals because there was no space
     */
    record Times(double seconds, Histogram nanos, long worstGapNanos, long busy, long full) {
        long writes() {
            return nanos.getTotalCount();
        }

        double millis(double percentile) {
            return nanos.getValueAtPercentile(percentile) / 1e6;
        }

        /** The longest write or gap. */
        double worstStallMillis() {
            return Math.max(worstGapNanos, nanos.getMaxValue()) / 1e6;
        }
    }

    Hand hand() {
        return new Hand();
    }

    double seconds() {
        return (Ticks.nanos() - begin) / 1e9;
    }

    /** Call it when all hands are closed. */
    Times stop() {
        synchronized (all) {
            return new Times(seconds(), all.copy(), worstGap.get(), busy.sum(), full.sum());
        }
    }
}
