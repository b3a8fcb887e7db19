package io.volute.benchmarks;

import java.time.Instant;
import java.util.concurrent.locks.LockSupport;

/** The real clock of a measurement. */
@Wiring
public final class Ticks {
    private Ticks() {}

    /** Monotonic time in nanoseconds. */
    public static long nanos() {
        return System.nanoTime();
    }

    /** Wall-clock time, for signatures and result files. */
    public static Instant wallClock() {
        return Instant.now();
    }

    /** Waits until {@link #nanos} has reached a value, or the thread is interrupted. */
    public static void waitUntil(long nanos) {
        for (long left = nanos - nanos(); left > 0; left = nanos - nanos()) {
            if (Thread.currentThread().isInterrupted()) {
                return;
            }
            LockSupport.parkNanos(left);
        }
    }
}
