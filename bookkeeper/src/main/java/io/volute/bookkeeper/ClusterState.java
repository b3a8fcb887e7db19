package io.volute.bookkeeper;

import io.volute.bookkeeper.ClusterView.Owner;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * The role of this node in a cluster as of the last look at ZooKeeper: the view, its election, and
 * its lease. Threads wait here for changes. Thread-safe.
 */
final class ClusterState {
    private final LongSupplier nanos;
    private final Duration session;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    // Under the lock.
    private ClusterView view = new ClusterView(List.of(), Optional.empty(), true, Set.of());
    private boolean isCandidate;
    private boolean isLookDue;
    private boolean isVacant;
    private long vacantSince;
    private long lastAnswer;

    /** The last election that this node gave up: a look that began before may still find it. */
    private long resigned;

    // Written under the lock. A reader of both takes the end of the lease before the election.
    private volatile boolean isLeaving;
    private volatile boolean isClosed;
    private volatile long election;
    private volatile long leaseEnd;

    /**
     * @param session time after which the servers give a node up that does not answer
     */
    ClusterState(LongSupplier nanos, Duration session) {
        this.nanos = nanos;
        this.session = session;
    }

    ClusterView view() {
        lock.lock();
        try {
            boolean isConnected = nanos.getAsLong() - lastAnswer < session.toNanos();
            return new ClusterView(view.nodes(), view.owner(), isConnected, view.drained());
        } finally {
            lock.unlock();
        }
    }

    Optional<Owner> awaitServing(long waitNanos) throws InterruptedException {
        long rest = waitNanos;
        lock.lock();
        try {
            while (!isClosed) {
                Optional<Owner> serving = view.owner().filter(Owner::isServing);
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
        return view.owner().map(Owner::election).orElse(0L);
    }

    long election() {
        return election;
    }

    boolean isLeaving() {
        return isLeaving;
    }

    boolean isClosed() {
        return isClosed;
    }

    long awaitElection() throws InterruptedException {
        lock.lock();
        try {
            while (!isLeaving && election == 0) {
                changed.await();
            }
            return isLeaving ? 0 : election;
        } finally {
            lock.unlock();
        }
    }

    void awaitLoss(long own, long waitNanos) throws InterruptedException {
        long rest = waitNanos;
        lock.lock();
        try {
            while (!isLeaving && election == own && rest > 0) {
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

    /** Takes part in elections from now on. */
    void stand() {
        lock.lock();
        try {
            isCandidate = true;
            lookSoon();
        } finally {
            lock.unlock();
        }
    }

    /** Ends the role, and takes part in no election until {@link #stand}. */
    void resign() {
        lock.lock();
        try {
            isCandidate = false;
            resigned = election == 0 ? resigned : election;
            election = 0;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether this node has given an election up. */
    boolean hasResigned(long own) {
        lock.lock();
        try {
            return own != 0 && own == resigned;
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
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits until a look is due, or for a time; false after the end. */
    boolean awaitLook(long pauseNanos) {
        long rest = pauseNanos;
        lock.lock();
        try {
            while (!isClosed && !isLookDue && rest > 0) {
                rest = changed.awaitNanos(rest);
            }
            isLookDue = false;
            return !isClosed;
        } catch (InterruptedException e) {
            return false;
        } finally {
            lock.unlock();
        }
    }

    void lookSoon() {
        lock.lock();
        try {
            isLookDue = true;
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

    /**
     * Publishes the result of a look.
     *
     * @param own confirmed election of this node; 0 if it is not the owner
     */
    void publish(ClusterView next, long own) {
        lock.lock();
        try {
            long now = nanos.getAsLong();
            long mine = isCandidate && own != resigned ? own : 0;
            lastAnswer = now;
            if (election != mine) {
                leaseEnd = now;
                election = mine;
            }
            isVacant &= next.owner().isEmpty();
            view = next;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Accepts an election, unless this node has given it up, and renews its lease: until half a
     * session after the write that confirmed it was begun. An election is not accepted by an answer
     * that comes after that.
     */
    void confirmed(long own, long begun) {
        long end = begun + session.toNanos() / 2;
        lock.lock();
        try {
            boolean isInTime = election == own || nanos.getAsLong() - end < 0;
            if (isCandidate && own != resigned && isInTime) {
                election = own;
                leaseEnd = end;
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }
}
