package io.volute.server.outbound;

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A call under way. It goes on from one period to the next only while bytes move at a least rate:
 * so n bytes take at most n / rate and one period. A call that ends closes what its thread waits
 * for. Thread-safe.
 */
final class Call implements AutoCloseable {
    /** Least bytes/s in each period but the last. */
    private static final long LEAST_RATE = 64 << 10;

    private final Duration period;

    // Under the monitor.
    private CompletableFuture<Boolean> periodEnd;
    private long movedBytes;
    private Closeable open = () -> {};
    private String end = "";

    /**
     * @param period also the time of a call that moves few bytes, from here on
     */
    Call(Duration period) {
        this.period = period;
        begin();
    }

    private synchronized void begin() {
        movedBytes = 0;
        periodEnd =
                new CompletableFuture<Boolean>()
                        .completeOnTimeout(true, period.toMillis(), TimeUnit.MILLISECONDS);
        var unused =
                periodEnd.thenAccept(
                        isOver -> {
                            if (isOver) {
                                endPeriod();
                            }
                        });
    }

    /** Begins the next period, or ends the call if too few bytes moved in this one. */
    synchronized void endPeriod() {
        if (movedBytes >= LEAST_RATE * period.toMillis() / 1000) {
            begin();
        } else {
            end("no answer within " + period.toMillis() + " ms");
        }
    }

    /** Adds bytes that were sent or received. */
    synchronized void moved(long bytes) {
        movedBytes += bytes;
    }

    /**
     * Names what the thread of this call waits for next; the end closes it.
     *
     * @throws IOException when the call has ended, and all is closed
     */
    synchronized void waitsFor(Closeable next) throws IOException {
        open = next;
        if (isEnded()) {
            next.close();
            throw new IOException(end);
        }
    }

    /** Ends the call: its thread fails. */
    synchronized void end(String reason) {
        if (isEnded()) {
            return;
        }
        end = reason;
        try {
            open.close();
        } catch (IOException e) {
            // The thread that uses it sees the failure.
        }
    }

    synchronized boolean isEnded() {
        return !end.isEmpty();
    }

    /** Returns the failure of this call, given what its thread has met. */
    synchronized IOException failure(IOException met) {
        if (isEnded()) {
            return new IOException(end, met);
        }
        return Thread.currentThread().isInterrupted()
                ? new InterruptedIOException("interrupted")
                : met;
    }

    /** The call is over: no period ends it any more. */
    @Override
    public synchronized void close() {
        periodEnd.complete(false);
    }
}
