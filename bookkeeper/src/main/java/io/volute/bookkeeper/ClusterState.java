package io.volute.bookkeeper;

import io.volute.bookkeeper.ClusterView.Node;
import io.volute.bookkeeper.ClusterView.Owner;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * The cluster as of the last look at ZooKeeper, without its roles, and when the next look is due.
 * Threads wait here for changes. Thread-safe.
 */
final class ClusterState {
    /** Sessions after which a registration of a node that ended before has surely gone. */
    private static final int SESSIONS_OF_THE_DEAD = 2;

    private final LongSupplier nanos;
    private final Duration session;
    private final long begun;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    // Under the lock.
    private final Set<String> seen = new HashSet<>();
    private Look last = new Look(List.of(), Set.of(), Map.of());
    private long changes;
    private boolean isLookDue;
    private long lastAnswer;

    // Written under the lock.
    private volatile boolean isLeaving;
    private volatile boolean isClosed;

    /**
     * The result of a look.
     *
     * @param nodes that are registered
     * @param drained names of drained nodes
     * @param placed name of the node of each placed cube
     */
    record Look(List<Node> nodes, Set<String> drained, Map<String, String> placed) {
        Look {
            nodes = List.copyOf(nodes);
            drained = Set.copyOf(drained);
            placed = Map.copyOf(placed);
        }

        private boolean placesAs(Look other) {
            return placed.equals(other.placed)
                    && drained.equals(other.drained)
                    && names().equals(other.names());
        }

        private List<String> names() {
            return nodes.stream().map(Node::name).toList();
        }
    }

    /**
     * @param session time after which the servers give a node up that does not answer
     */
    ClusterState(LongSupplier nanos, Duration session) {
        this.nanos = nanos;
        this.session = session;
        this.begun = nanos.getAsLong();
    }

    /**
     * @param owner of the store
     */
    ClusterView view(Optional<Owner> owner) {
        lock.lock();
        try {
            boolean isConnected = nanos.getAsLong() - lastAnswer < session.toNanos();
            return new ClusterView(last.nodes(), owner, isConnected, last.drained());
        } finally {
            lock.unlock();
        }
    }

    Map<String, String> placed() {
        lock.lock();
        try {
            return last.placed();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns the names of nodes that have run beside this one. One that ended before this one
     * began is not among them, although its registration can outlive it.
     */
    Set<String> seen() {
        lock.lock();
        try {
            return Set.copyOf(seen);
        } finally {
            lock.unlock();
        }
    }

    /** Waits until the number of changes is another one, or for a time. Returns it. */
    long awaitPlacedChange(long seen, long waitNanos) throws InterruptedException {
        long rest = waitNanos;
        lock.lock();
        try {
            while (!isLeaving && changes == seen && rest > 0) {
                rest = changed.awaitNanos(rest);
            }
            return changes;
        } finally {
            lock.unlock();
        }
    }

    boolean isLeaving() {
        return isLeaving;
    }

    boolean isClosed() {
        return isClosed;
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

    /** Publishes the result of a look. */
    void publish(Look next) {
        lock.lock();
        try {
            lastAnswer = nanos.getAsLong();
            changes += next.placesAs(last) ? 0 : 1;
            last = next;
            if (lastAnswer - begun >= SESSIONS_OF_THE_DEAD * session.toNanos()) {
                seen.addAll(next.names());
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
