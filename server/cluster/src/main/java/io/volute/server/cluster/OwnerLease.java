package io.volute.server.cluster;

import io.volute.bookkeeper.ClusterRole;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;

/** The right of this node to answer requests as the owner, in one election. Thread-safe. */
final class OwnerLease {
    private final Source lease;
    private final BooleanSupplier writable;
    private final Counts counts;
    private volatile boolean isGivenUp;

    /** The lease in ZooKeeper. */
    interface Source {
        boolean isHeld();

        /** Waits until it is held; false if it is lost, or not held in time. */
        boolean await() throws InterruptedException;

        /** Returns the lease of one election. */
        static Source of(ClusterRole role, long own, Duration patience) {
            return new Source() {
                @Override
                public boolean isHeld() {
                    return role.holdsLease(own);
                }

                @Override
                public boolean await() throws InterruptedException {
                    return role.awaitLease(own, patience.toNanos());
                }
            };
        }
    }

    /** Counts of requests that had to wait for a lease, and of those that waited in vain. */
    record Counts(LongAdder waited, LongAdder refused) {
        Counts() {
            this(new LongAdder(), new LongAdder());
        }
    }

    /**
     * @param writable returns whether all cubes take writes; looks at each of them
     * @param counts of the node
     */
    OwnerLease(Source lease, BooleanSupplier writable, Counts counts) {
        this.lease = lease;
        this.writable = writable;
        this.counts = counts;
    }

    /**
     * Returns whether the owner may handle a request. Waits for the lease. A cube that was found
     * read-only gets no request, so that the next owner handles it.
     */
    boolean awaitAdmission() throws InterruptedException {
        return !isGivenUp && awaitLease();
    }

    /**
     * Returns whether the answer to a request counts: the lease covers the moment of a read, and no
     * cube has become read-only. Another owner can answer then.
     */
    boolean awaitAnswer() throws InterruptedException {
        return takesWrites() && awaitLease();
    }

    /** Returns whether all cubes take writes. A failed append makes one read-only for good. */
    boolean takesWrites() {
        if (writable.getAsBoolean()) {
            return true;
        }
        isGivenUp = true;
        return false;
    }

    private boolean awaitLease() throws InterruptedException {
        if (lease.isHeld()) {
            return true;
        }
        counts.waited().increment();
        boolean isHeld = lease.await();
        if (!isHeld) {
            counts.refused().increment();
        }
        return isHeld;
    }
}
