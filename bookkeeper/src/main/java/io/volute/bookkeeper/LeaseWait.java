package io.volute.bookkeeper;

import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Finds when the lease of an earlier owner has ended: a lease ends a while after its last renewal
 * began, which the renewal states. The end of the owner's session proves less. A follower of
 * ZooKeeper reports to the leader late that a session is in use, so a session can end soon after it
 * made a write. Used by one thread.
 */
final class LeaseWait {
    private final LongSupplier nanos;
    private final Duration usual;
    private long leaseNanos;
    private int version = -1;
    private long since;
    private boolean isReleased;

    /**
     * The last renewal of a lease, by whatever owner.
     *
     * @param version differs after each renewal
     * @param isReleased whether that owner has given its lease up
     * @param lease time of the lease; empty for half of a session, as earlier releases have it
     */
    public record Renewal(int version, boolean isReleased, Optional<Duration> lease) {}

    /**
     * Creates a wait that has seen no renewal.
     *
     * @param nanos a clock that only goes forward
     * @param session time after which the servers give a node up that does not answer
     */
    public LeaseWait(LongSupplier nanos, Duration session) {
        this.nanos = nanos;
        this.usual = session.dividedBy(2);
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
        leaseNanos = renewal.lease().orElse(usual).toNanos();
        isReleased = renewal.isReleased();
        return isReleased || restNanos() <= 0;
    }

    /** Returns a time, or less if the lease of the last renewal ends before. */
    public long limit(long pauseNanos) {
        long rest = restNanos();
        return rest > 0 ? Math.min(rest, pauseNanos) : pauseNanos;
    }

    private long restNanos() {
        // A quarter more than a lease, as the clocks of two nodes differ.
        return since + leaseNanos + leaseNanos / 4 - nanos.getAsLong();
    }

    /**
     * Returns whether an owner that lives would have made the next renewal by now: half of the
     * lease has passed since this one was seen first. This proves nothing.
     */
    public boolean isOverdue(Renewal last) {
        return last.version() == version && nanos.getAsLong() - since >= leaseNanos / 2;
    }
}
