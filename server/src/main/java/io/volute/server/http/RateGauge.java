package io.volute.server.http;

/**
 * Decides when a client sends its body too slowly. Only time in which the server waits for the
 * client counts; what the server takes for itself does not. Confined to the event loop; times come
 * from outside, in nanoseconds.
 */
final class RateGauge {
    private final long idleNanos;
    private final long windowNanos;
    private final long windowBytesMin;

    private boolean waiting;
    private long waitingSince;
    private long waitedNanos;
    private long windowBytes;

    /**
     * @param idleNanos longest wait for a single byte
     * @param windowNanos of waiting over which the rate is measured
     * @param bytesPerSecond the slowest rate
     */
    RateGauge(long idleNanos, long windowNanos, long bytesPerSecond) {
        this.idleNanos = idleNanos;
        this.windowNanos = windowNanos;
        this.windowBytesMin = (long) (bytesPerSecond * (windowNanos / 1e9));
    }

    boolean isWaiting() {
        return waiting;
    }

    /** Marks that the server has used all received bytes and waits for more. */
    void ask(long now) {
        if (!waiting) {
            waiting = true;
            waitingSince = now;
        }
    }

    /** Bytes came in; true when the client proved to be too slow. */
    boolean arrived(long now, int bytes) {
        windowBytes += bytes;
        if (waiting) {
            waiting = false;
            waitedNanos += now - waitingSince;
        }
        boolean slow = false;
        if (waitedNanos >= windowNanos) {
            slow = windowBytes < windowBytesMin;
            waitedNanos = 0;
            windowBytes = 0;
        }
        return slow;
    }

    /** True when, with nothing arriving, the client is too slow by now. */
    boolean isOverdue(long now) {
        return waiting && remainingNanos(now) <= 0;
    }

    /** Time of further waiting after which {@link #isOverdue} would hold. */
    long remainingNanos(long now) {
        long wait = now - waitingSince;
        long untilIdle = idleNanos - wait;
        if (windowBytes >= windowBytesMin) {
            return untilIdle;
        }
        return Math.min(untilIdle, windowNanos - waitedNanos - wait);
    }
}
