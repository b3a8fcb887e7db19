package io.volute.storage.log.migration;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongUnaryOperator;

/** The pauses of one run of a migration, which end when it is to stop. Thread-safe. */
final class CopyPace {
    private final LongUnaryOperator pauseNanos;
    private final CountDownLatch stopping = new CountDownLatch(1);

    /**
     * @param pauseNanos returns the time to wait after so many copied bytes
     */
    CopyPace(LongUnaryOperator pauseNanos) {
        this.pauseNanos = pauseNanos;
    }

    /** Waits after a part of a copy. The part of a copy that is to stop goes on at once. */
    void copied(long bytes) throws IOException {
        pause(pauseNanos.applyAsLong(bytes));
    }

    /** Waits, unless the migration is to stop. */
    void pause(long nanos) throws IOException {
        try {
            boolean unused = stopping.await(nanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("the migration was interrupted");
        }
    }

    boolean isStopping() {
        return stopping.getCount() == 0;
    }

    void stop() {
        stopping.countDown();
    }
}
