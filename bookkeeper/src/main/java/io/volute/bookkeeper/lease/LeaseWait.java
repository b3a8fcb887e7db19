package io.volute.bookkeeper.lease;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Finds when the lease of an earlier owner has ended: a lease ends half a session after its last
 * renewal began. The end of the owner's session proves less. A follower of ZooKeeper reports to the
 * leader late that a session is in use, so a session can end soon after it made a write. Used by
 * one thread.
 */
public final class LeaseWait {
    private final LongSupplier nanos;
    private final long waitNanos;
    private int version = -1;
    private long since;
    private boolean isReleased;

    /**
     * The last renewal of a lease, by whatever owner.
     *
     * @param version differs after each renewal
     * @param isReleased whether that owner has given its lease up
     */
    public record Renewal(int version, boolean isReleased) {}

    /**
     * Creates a wait that has seen no renewal.
     *
     * @param nanos a clock that only goes forward
     * @param session time after which the servers give a node up that does not answer
     */
    public LeaseWait(LongSupplier nanos, Duration session) {
        this.nanos = nanos;
        // An eighth more than a lease, as the clocks of two nodes differ.
        this.waitNanos = session.toNanos() / 2 + session.toNanos() / 8;
    }

    /**
     * Takes what ZooKeeper shows. Returns whether the lease of that renewal has ended.
     *
     * @param renewal the last one, read just now
     */
    public boolean see(Renewal renewal) {
        if (renewal.version() != version) {
            version = renewal.version();
            since = nanos.getAsLong();
        }
        isReleased = renewal.isReleased();
        return isReleased || restNanos() <= 0;
    }

    /** Returns a time, or less if the lease of the last renewal ends before. */
    public long limit(long pauseNanos) {
        long rest = restNanos();
        return rest > 0 ? Math.min(rest, pauseNanos) : pauseNanos;
    }

    private long restNanos() {
        return since + waitNanos - nanos.getAsLong();
    }
}
