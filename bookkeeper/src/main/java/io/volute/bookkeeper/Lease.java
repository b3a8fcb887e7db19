package io.volute.bookkeeper;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * The time for which a server may serve reads without asking ZooKeeper again. It is half a session,
 * from before the question that ZooKeeper answered. Thread-safe.
 */
final class Lease {
    private final LongSupplier nanos;
    private volatile long heldUntil;
    private volatile long silentUntil;

    /** Creates a lease that has run out. */
    public Lease(LongSupplier nanos) {
        this.nanos = nanos;
        end();
    }

    /** Ends the lease: the next read asks. */
    public void end() {
        heldUntil = nanos.getAsLong();
        silentUntil = heldUntil;
    }

    /** Returns whether reads need not ask. */
    public boolean isHeld() {
        return nanos.getAsLong() - heldUntil < 0;
    }

    /**
     * Begins the lease anew.
     *
     * @param asked time before the question, of the same clock
     * @param session time that ZooKeeper has granted the session
     */
    public void renew(long asked, Duration session) {
        heldUntil = asked + session.toNanos() / 2;
    }

    /** Returns whether ZooKeeper did not answer lately: then reads do not wait for it again. */
    public boolean isSilent() {
        return nanos.getAsLong() - silentUntil < 0;
    }

    /** Notes that ZooKeeper did not answer. */
    public void notAnswered(Duration session) {
        silentUntil = nanos.getAsLong() + session.toNanos() / 4;
    }
}
