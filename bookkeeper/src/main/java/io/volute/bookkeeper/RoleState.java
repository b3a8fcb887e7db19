package io.volute.bookkeeper;

import io.volute.bookkeeper.ClusterView.Owner;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * One role as of the last look at ZooKeeper: its owner, and the election and the lease of this
 * node. Threads wait here for changes. Thread-safe.
 */
final class RoleState {
    private final LongSupplier nanos;
    private final Duration lease;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    // Under the lock.
    private Optional<Owner> owner = Optional.empty();
    private boolean isCandidate;
    private boolean isStopped;
    private boolean isVacant;
    private long vacantSince;

    /** The last election that this node gave up: a look that began before may still find it. */
    private long resigned;

    // Written under the lock. A reader of both takes the end of the lease before the election.
    private volatile boolean isLeaving;
    private volatile boolean isClosed;
    private volatile long won;
    private volatile long election;
    private volatile long leaseEnd;

    /**
     * @param lease time of the lease after each renewal, at most half of a session
     */
    RoleState(LongSupplier nanos, Duration lease) {
        this.nanos = nanos;
        this.lease = lease;
    }

    Optional<Owner> owner() {
        lock.lock();
        try {
            return owner;
        } finally {
            lock.unlock();
        }
    }

    Optional<Owner> awaitServing(long waitNanos) throws InterruptedException {
        long rest = waitNanos;
        lock.lock();
        try {
            while (!isClosed) {
                Optional<Owner> serving = owner.filter(Owner::isServing);
                if (serving.isPresent()) {
                    return serving;
                }
                if (rest <= 0) {
                    break;
                }
                rest = changed.awaitNanos(rest);
            }
            return Optional.empty();
        } finally {
            lock.unlock();
        }
    }

    /** Waits until an election is not the current one any more, or for a time. */
    void awaitChange(long seen, long waitNanos) throws InterruptedException {
        long rest = waitNanos;
        lock.lock();
        try {
            while (!isClosed && rest > 0 && currentElection() == seen) {
                rest = changed.awaitNanos(rest);
            }
        } finally {
            lock.unlock();
        }
    }

    private long currentElection() {
        return owner.map(Owner::election).orElse(0L);
    }

    long election() {
        return election;
    }

    long won() {
        return won;
    }

    void awaitLoss(long own, long waitNanos) throws InterruptedException {
        long rest = waitNanos;
        lock.lock();
        try {
            while (!isLeaving && election == own && (own != 0 || won == 0) && rest > 0) {
                rest = changed.awaitNanos(rest);
            }
        } finally {
            lock.unlock();
        }
    }

    boolean holdsLease(long own) {
        long end = leaseEnd;
        return election == own && nanos.getAsLong() - end < 0;
    }

    Duration leaseLeft() {
        lock.lock();
        try {
            long left = election == 0 ? 0 : leaseEnd - nanos.getAsLong();
            return Duration.ofNanos(Math.max(0, left));
        } finally {
            lock.unlock();
        }
    }

    boolean awaitLease(long own, long waitNanos) throws InterruptedException {
        long rest = waitNanos;
        lock.lock();
        try {
            while (election == own && nanos.getAsLong() - leaseEnd >= 0) {
                if (isClosed || rest <= 0) {
                    return false;
                }
                rest = changed.awaitNanos(rest);
            }
            return election == own;
        } finally {
            lock.unlock();
        }
    }

    /** Waits until an election of this node is confirmed; false when it is lost before. */
    boolean awaitConfirmed(long own) throws InterruptedException {
        lock.lock();
        try {
            while (!isLeaving && won == own && election != own) {
                changed.await();
            }
            return election == own;
        } finally {
            lock.unlock();
        }
    }

    /** Takes part in elections from now on; returns whether it did not before. */
    boolean stand() {
        lock.lock();
        try {
            boolean isNew = !isCandidate || isStopped;
            isCandidate = true;
            isStopped = false;
            return isNew;
        } finally {
            lock.unlock();
        }
    }

    /** Ends the role, and takes part in no election until {@link #stand}. */
    void resign() {
        lock.lock();
        try {
            isCandidate = false;
            long own = election == 0 ? won : election;
            resigned = own == 0 ? resigned : own;
            election = 0;
            won = 0;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes part in no election, and ends waits for one; returns whether it did before. This node
     * keeps a role that it has.
     */
    boolean stop() {
        lock.lock();
        try {
            boolean isNew = isCandidate || !isStopped;
            isCandidate = false;
            isStopped = true;
            changed.signalAll();
            return isNew;
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether this node has given an election up, or does not want it any more. */
    boolean hasGivenUp(long own) {
        lock.lock();
        try {
            return own != 0 && !canHave(own);
        } finally {
            lock.unlock();
        }
    }

    void leave() {
        lock.lock();
        try {
            isLeaving = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    void close() {
        lock.lock();
        try {
            isLeaving = true;
            isClosed = true;
            election = 0;
            won = 0;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    boolean canStand() {
        lock.lock();
        try {
            return isCandidate && !isLeaving;
        } finally {
            lock.unlock();
        }
    }

    /** Notes that a look found no owner. Returns the time for which looks have found none. */
    long vacantNanos() {
        lock.lock();
        try {
            long now = nanos.getAsLong();
            if (!isVacant) {
                isVacant = true;
                vacantSince = now;
            }
            return now - vacantSince;
        } finally {
            lock.unlock();
        }
    }

    private boolean canHave(long own) {
        return own != resigned && (isCandidate || own == election);
    }

    /**
     * Publishes the result of a look.
     *
     * @param seen the owner of the role
     * @param elected election of this node, confirmed or not; 0 if it has none
     * @param own the same if it is confirmed, else 0
     */
    void publish(Optional<Owner> seen, long elected, long own) {
        lock.lock();
        try {
            won = canHave(elected) ? elected : 0;
            long mine = canHave(own) ? own : 0;
            if (election != mine) {
                leaseEnd = nanos.getAsLong();
                election = mine;
            }
            isVacant &= seen.isEmpty();
            owner = seen;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Accepts an election, unless this node has given it up, and renews its lease, which counts
     * from before the write that confirmed it. An election is not accepted by an answer that comes
     * after that.
     */
    void confirmed(long own, long begun) {
        long end = begun + lease.toNanos();
        lock.lock();
        try {
            boolean isInTime = election == own || nanos.getAsLong() - end < 0;
            if (canHave(own) && isInTime) {
                election = own;
                leaseEnd = end;
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }
}
