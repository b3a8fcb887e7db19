package io.volute.bookkeeper;

import io.volute.bookkeeper.ClusterRegistry.Elected;
import io.volute.bookkeeper.ClusterView.Node;
import io.volute.bookkeeper.ClusterView.Owner;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A node's membership in a cluster: its registration, the election of an owner, and the owner's
 * lease.
 *
 * <pre>
 *   PATH/cluster             format
 *   PATH/cluster/nodes/NAME  ephemeral: address and version of a node
 *   PATH/cluster/owner       ephemeral: the elected node, and whether it serves
 *   PATH/cluster/OTHER       what the nodes share, see {@link ClusterFile}
 * </pre>
 *
 * <p>The election is a hint. The claim of the segment lists and the fencing of the ledgers protect
 * the store. The lease protects readers: it ends at half of the session, counted from before a
 * write to ZooKeeper that a quorum has accepted. So it ends before another node can be elected.
 *
 * <p>Thread-safe. One thread looks at ZooKeeper, six times in each session and after each change.
 */
public final class ClusterMembership implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterMembership.class);
    private static final int LOOKS_PER_SESSION = 6;

    private final ClusterSettings settings;
    private final ZooKeeperSession session;
    private final LongSupplier nanos;
    private final Duration agreed;
    private final ClusterRegistry registry;
    private final Thread thread;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    // Under the lock.
    private ClusterView view = new ClusterView(List.of(), Optional.empty(), true);
    private boolean isCandidate;
    private boolean isLookDue;
    private long lastAnswer;

    // Written under the lock. A reader of both takes the end of the lease before the election.
    private volatile boolean isLeaving;
    private volatile boolean isClosed;
    private volatile long election;
    private volatile long leaseEnd;

    private ClusterMembership(
            ClusterSettings settings, ZooKeeperSession session, LongSupplier nanos)
            throws IOException {
        this.settings = settings;
        this.session = session;
        this.nanos = nanos;
        this.agreed = session.agreedTimeout();
        this.registry = new ClusterRegistry(settings, session, nanos);
        this.thread = Thread.ofPlatform().name("cluster-0").daemon().unstarted(this::run);
    }

    /**
     * Registers this node. It is no candidate yet.
     *
     * @param nanos a clock that only goes forward
     * @throws IOException if ZooKeeper does not answer, another node has this name, or a later
     *     release runs in the cluster; the message names the remedy
     */
    public static ClusterMembership join(ClusterSettings settings, LongSupplier nanos)
            throws IOException {
        ZooKeeperSession session =
                new ZooKeeperSession(settings.zooKeeper(), settings.session(), nanos);
        boolean joined = false;
        try {
            ClusterMembership membership = new ClusterMembership(settings, session, nanos);
            membership.registry.prepare();
            membership.registry.firstRegistration();
            membership.look();
            membership.thread.start();
            joined = true;
            return membership;
        } catch (KeeperException e) {
            throw ZooKeeperSession.refused(settings.clusterPath(), e);
        } finally {
            if (!joined) {
                session.close();
            }
        }
    }

    /** Returns the cluster as of the last look. */
    public ClusterView view() {
        lock.lock();
        try {
            boolean isConnected = nanos.getAsLong() - lastAnswer < agreed.toNanos();
            return new ClusterView(view.nodes(), view.owner(), isConnected);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the time after which the servers give a node up that does not answer. */
    public Duration session() {
        return agreed;
    }

    /** Waits until a node serves the store; empty when none does in time. */
    public Optional<Owner> awaitServing(long waitNanos) throws InterruptedException {
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
    public void awaitChange(long seen, long waitNanos) throws InterruptedException {
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

    /** Waits until an election is not the current one. Returns false after the end. */
    public boolean awaitChange(long seen) throws InterruptedException {
        awaitChange(seen, Long.MAX_VALUE);
        return !isClosed;
    }

    private long currentElection() {
        return view.owner().map(Owner::election).orElse(0L);
    }

    /** Returns the election that made this node the owner; 0 if it is not. */
    public long election() {
        return election;
    }

    /** Waits until this node is elected. Returns its election, or 0 once it leaves. */
    public long awaitElection() throws InterruptedException {
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

    /** Waits until this node has lost the role of that election, or leaves, or for a time. */
    public void awaitLoss(long own, long waitNanos) throws InterruptedException {
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

    /** Returns whether {@link #leave} was called. */
    public boolean isLeaving() {
        return isLeaving;
    }

    /** Returns whether no other node can have been elected after that election until now. */
    public boolean holdsLease(long own) {
        long end = leaseEnd;
        return election == own && nanos.getAsLong() - end < 0;
    }

    /** Waits for {@link #holdsLease}; false when the election is lost or the time is over. */
    public boolean awaitLease(long own, long waitNanos) throws InterruptedException {
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
    public void stand() {
        lock.lock();
        try {
            isCandidate = true;
            lookSoon();
        } finally {
            lock.unlock();
        }
    }

    /** Announces that this node serves the store. */
    public void announceServing(long own) throws IOException {
        try {
            registry.announce(own);
        } catch (KeeperException e) {
            throw ZooKeeperSession.refused(settings.ownerPath(), e);
        }
        lookSoon();
    }

    /**
     * Gives the role of the owner up, and takes part in no election until {@link #stand}. Close the
     * store first.
     */
    public void resign() {
        lock.lock();
        try {
            isCandidate = false;
            election = 0;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        registry.withdraw();
        lookSoon();
    }

    /** Takes part in no election from now on. The owner keeps its role until {@link #close}. */
    public void leave() {
        lock.lock();
        try {
            isLeaving = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Returns a file that all nodes share. */
    public ClusterFile file(String name) {
        return new ClusterFile(session, settings.clusterPath() + "/" + name);
    }

    private void run() {
        long pause = agreed.toNanos() / LOOKS_PER_SESSION;
        while (awaitLook(pause)) {
            try {
                look();
            } catch (KeeperException | IOException e) {
                LOG.warn("the cluster cannot be seen: {}", e.getMessage());
            }
        }
    }

    private boolean awaitLook(long pause) {
        long rest = pause;
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

    private void lookSoon() {
        lock.lock();
        try {
            isLookDue = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Reads the registry, takes part in an election, and renews the lease. */
    private void look() throws KeeperException, IOException {
        registry.keepRegistered();
        Watcher watcher = event -> lookSoon();
        List<Node> nodes = registry.nodes(watcher);
        Optional<Elected> elected = registry.elected(watcher);
        if (elected.isEmpty() && canStand()) {
            registry.elect();
            elected = registry.elected(watcher);
        }
        publish(
                new ClusterView(nodes, elected.map(Elected::owner), true),
                elected.filter(Elected::isMine).map(each -> each.owner().election()).orElse(0L));
        if (election != 0) {
            renewLease(elected.orElseThrow().version());
        }
    }

    private boolean canStand() {
        lock.lock();
        try {
            return isCandidate && !isLeaving;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Publishes what was seen.
     *
     * @param own election of this node; 0 if it is not the owner
     */
    private void publish(ClusterView next, long own) {
        lock.lock();
        try {
            long now = nanos.getAsLong();
            long mine = isCandidate ? own : 0;
            lastAnswer = now;
            if (election != mine) {
                leaseEnd = now;
                election = mine;
            }
            view = next;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void renewLease(int version) throws KeeperException, IOException {
        long own = election;
        long begun = nanos.getAsLong();
        if (!registry.confirm(version)) {
            lookSoon();
            return;
        }
        lock.lock();
        try {
            if (election == own) {
                leaseEnd = begun + agreed.toNanos() / 2;
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Leaves the cluster. The next owner need not wait for the end of the session. */
    @Override
    public void close() {
        lock.lock();
        try {
            isLeaving = true;
            isClosed = true;
            election = 0;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        try {
            thread.join(TimeUnit.SECONDS.toMillis(10));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        session.close();
    }
}
