package io.volute.bookkeeper;

import io.volute.bookkeeper.ClusterRegistry.Elected;
import io.volute.bookkeeper.ClusterView.Node;
import io.volute.bookkeeper.ClusterView.Owner;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
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
 *   PATH/cluster               format
 *   PATH/cluster/nodes/NAME    ephemeral: address and version of a node, "ready" or "building",
 *                              "lag CUBE SECONDS" for each cube that it follows
 *   PATH/cluster/owner         ephemeral: the elected node, and whether it serves
 *   PATH/cluster/lease         changes with each renewal of the owner's lease
 *   PATH/cluster/drained/NAME  a node that shall not have the store
 *   PATH/cluster/wanted        the node that shall have the store next
 *   PATH/cluster/OTHER         what the nodes share, see {@link ClusterFile}
 * </pre>
 *
 * <p>The election is a hint, and so are the orders of the operator ({@link Candidacy}). The claim
 * of the segment lists and the fencing of the ledgers protect the store. The lease protects
 * readers: it ends at half of a session, counted from before the write to ZooKeeper that renews it.
 * An elected node waits until it has seen no renewal for longer than that ({@link LeaseWait}).
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
    private final Candidacy candidacy;
    private final ClusterState state;
    private final LeaseWait wait;
    private final Thread thread;

    /** Creates a membership without a thread: the caller looks. */
    ClusterMembership(ClusterSettings settings, ZooKeeperSession session, LongSupplier nanos)
            throws IOException {
        this.settings = settings;
        this.session = session;
        this.nanos = nanos;
        this.agreed = session.agreedTimeout();
        this.registry = new ClusterRegistry(settings, session, nanos);
        this.candidacy = new Candidacy(settings.name(), agreed);
        this.state = new ClusterState(nanos, agreed);
        this.wait = new LeaseWait(nanos, agreed);
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
                new ZooKeeperSession(
                        settings.zooKeeper(), settings.session(), settings.security(), nanos);
        boolean joined = false;
        try {
            ClusterMembership membership = new ClusterMembership(settings, session, nanos);
            membership.register();
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

    /** Registers this node, and looks for the first time. */
    void register() throws KeeperException, IOException {
        registry.prepare();
        boolean isFree = wait.see(registry.renewal());
        LOG.debug("the lease of the last owner has ended: {}", isFree);
        registry.firstRegistration();
        look();
    }

    /** Returns the cluster as of the last look. */
    public ClusterView view() {
        return state.view();
    }

    /** Returns the time after which the servers give a node up that does not answer. */
    public Duration session() {
        return agreed;
    }

    /** Waits until a node serves the store; empty when none does in time. */
    public Optional<Owner> awaitServing(long waitNanos) throws InterruptedException {
        return state.awaitServing(waitNanos);
    }

    /** Waits until an election is not the current one any more, or for a time. */
    public void awaitChange(long seen, long waitNanos) throws InterruptedException {
        state.awaitChange(seen, waitNanos);
    }

    /** Waits until an election is not the current one. Returns false after the end. */
    public boolean awaitChange(long seen) throws InterruptedException {
        state.awaitChange(seen, Long.MAX_VALUE);
        return !state.isClosed();
    }

    /** Returns the election that made this node the owner; 0 if it is not. */
    public long election() {
        return state.election();
    }

    /** Waits until this node is elected. Returns its election, or 0 once it leaves. */
    public long awaitElection() throws InterruptedException {
        return state.awaitElection();
    }

    /** Waits until this node has lost the role of that election, or leaves, or for a time. */
    public void awaitLoss(long own, long waitNanos) throws InterruptedException {
        state.awaitLoss(own, waitNanos);
    }

    /** Returns whether {@link #leave} was called. */
    public boolean isLeaving() {
        return state.isLeaving();
    }

    /** Returns whether no other node can have been elected after that election until now. */
    public boolean holdsLease(long own) {
        return state.holdsLease(own);
    }

    /** Returns the time until the lease of this owner ends; zero without one. */
    public Duration leaseLeft() {
        return state.leaseLeft();
    }

    /** Waits for {@link #holdsLease}; false when the election is lost or the time is over. */
    public boolean awaitLease(long own, long waitNanos) throws InterruptedException {
        return state.awaitLease(own, waitNanos);
    }

    /** Takes part in elections from now on. */
    public void stand() {
        state.stand();
    }

    /** Announces that this node serves the store. An order for the next owner is done then. */
    public void announceServing(long own) throws IOException {
        try {
            registry.announce(own);
        } catch (KeeperException e) {
            throw ZooKeeperSession.refused(settings.ownerPath(), e);
        }
        state.lookSoon();
    }

    /**
     * Gives the role of the owner up, and takes part in no election until {@link #stand}. Close the
     * store first.
     */
    public void resign() {
        state.resign();
        registry.withdraw();
        state.lookSoon();
    }

    /** Takes part in no election from now on. The owner keeps its role until {@link #close}. */
    public void leave() {
        state.leave();
    }

    /**
     * Sets whether a take-over by this node need not build an index: it stands first then. The next
     * look publishes it.
     */
    public void setReady(boolean isReady) {
        if (registry.setReady(isReady)) {
            state.lookSoon();
        }
    }

    /**
     * Sets the lag of this node's standby of each cube, in whole seconds. The next look publishes
     * it.
     */
    public void setLags(Map<String, Long> lagSeconds) {
        registry.setLags(lagSeconds);
    }

    /** Lets a node be the next owner, if it runs then. */
    public void wantNext(String node) throws IOException {
        registry.want(node);
    }

    /**
     * Marks a node as drained, or ends that. A drained node is the owner only if no other node
     * takes the store. The mark stays when the node or ZooKeeper starts again.
     */
    public void setDrained(String node, boolean isDrained) throws IOException {
        registry.setDrained(node, isDrained);
        state.lookSoon();
    }

    /** Returns the names of all drained nodes, as ZooKeeper has them now. */
    public Set<String> drained() throws IOException {
        try {
            return registry.orders(event -> state.lookSoon()).drained();
        } catch (KeeperException e) {
            throw ZooKeeperSession.refused(settings.drainedPath(), e);
        }
    }

    /** Returns the epochs of the logs of all cubes, by the name of the cube. */
    public Map<String, Long> epochs() throws IOException {
        String parent = settings.cubesPath();
        Map<String, Long> epochs = new TreeMap<>();
        try {
            for (String cube : session.repeat(client -> client.getChildren(parent, false))) {
                String path = parent + "/" + cube + "/log";
                byte[] log = session.repeat(client -> client.getData(path, false, null));
                epochs.put(cube, ListState.decode(log, path).epoch());
            }
            return epochs;
        } catch (KeeperException e) {
            throw ZooKeeperSession.refused(parent, e);
        }
    }

    /** Returns a file that all nodes share. */
    public ClusterFile file(String name) {
        return new ClusterFile(session, settings.clusterPath() + "/" + name);
    }

    private void run() {
        long pause = agreed.toNanos() / LOOKS_PER_SESSION;
        while (state.awaitLook(wait.limit(pause))) {
            try {
                look();
            } catch (KeeperException | IOException e) {
                LOG.warn("the cluster cannot be seen: {}", e.getMessage());
            } catch (RuntimeException e) {
                // Without this thread the node would never see the cluster again.
                LOG.error("the cluster cannot be seen", e);
            }
        }
    }

    /** Reads the registry, takes part in an election, and renews the lease. */
    void look() throws KeeperException, IOException {
        registry.keepRegistered();
        Watcher watcher = event -> state.lookSoon();
        List<Node> nodes = registry.nodes(watcher);
        Candidacy.Orders orders = registry.orders(watcher);
        Optional<Elected> elected = registry.elected(watcher);
        if (elected.isEmpty()
                && candidacy.standsNow(nodes, orders, state.vacantNanos())
                && state.canStand()) {
            registry.elect();
            elected = registry.elected(watcher);
        }
        Optional<Elected> mine = elected.filter(Elected::isMine);
        // After the election: this session sees every renewal of the owner before.
        boolean isFree = wait.see(registry.renewal());
        long own = mine.map(each -> each.owner().election()).orElse(0L);
        if (state.hasResigned(own)) {
            // The connection was lost before.
            registry.withdraw();
            state.lookSoon();
        }
        boolean isKept = own != 0 && state.election() == own;
        state.publish(
                new ClusterView(nodes, elected.map(Elected::owner), true, orders.drained()),
                isKept ? own : 0);
        if (mine.isPresent() && (isKept || isFree)) {
            confirm(mine.get());
        }
    }

    /**
     * Accepts an election, and renews the lease. The session of the election must live: otherwise
     * another node may be the owner, and a later session may have been shown an older renewal.
     */
    private void confirm(Elected mine) throws KeeperException, IOException {
        long begun = nanos.getAsLong();
        if (registry.confirm(mine)) {
            state.confirmed(mine.owner().election(), begun);
        } else {
            state.lookSoon();
        }
    }

    /** Leaves the cluster. The next owner need not wait for the end of the session. */
    @Override
    public void close() {
        state.close();
        try {
            thread.join(TimeUnit.SECONDS.toMillis(10));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        registry.withdraw();
        session.close();
    }
}
