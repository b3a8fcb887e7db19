package io.volute.bookkeeper;

import io.volute.bookkeeper.ClusterView.Node;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A node's membership in a cluster: its registration, and the elections of owners with their
 * leases. The store has an owner, and so has each placed cube.
 *
 * <pre>
 *   PATH/cluster                   format
 *   PATH/cluster/nodes/NAME        ephemeral: address and version of a node, "ready" or
 *                                  "building", "lag CUBE SECONDS" for each cube that it follows
 *   PATH/cluster/owner             ephemeral: the node elected for the store, and whether it serves
 *   PATH/cluster/lease             changes with each renewal of that owner's lease
 *   PATH/cluster/cubes/CUBE/node   the node at which a cube is placed
 *   PATH/cluster/cubes/CUBE/owner  ephemeral: the node elected for the cube, as for the store
 *   PATH/cluster/cubes/CUBE/lease  changes with each renewal of that owner's lease
 *   PATH/cluster/drained/NAME      a node that shall not have the store
 *   PATH/cluster/wanted            the node that shall have the store next
 *   PATH/cluster/OTHER             what the nodes share, see {@link ClusterFile}
 * </pre>
 *
 * <p>An election is a hint, and so are the orders of the operator ({@link Candidacy}) and the
 * placements. The claim of the segment lists and the fencing of the ledgers protect the store. A
 * lease protects readers: it has a time of its own, counted from before the write to ZooKeeper that
 * renews it and states that time. An elected node waits until it has seen no renewal for longer
 * than that ({@link io.volute.bookkeeper.LeaseWait}).
 *
 * <p>Thread-safe. One thread looks at ZooKeeper, four times in a lease, six times in a session at
 * least, and after each change. It reads all roles by one request, and renews all leases by one
 * write.
 */
public final class ClusterMembership implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterMembership.class);
    private static final int LOOKS_PER_SESSION = 6;
    private static final int LOOKS_PER_LEASE = 4;

    private final ClusterSettings settings;
    private final ZooKeeperSession session;
    private final Duration agreed;
    private final ClusterRegistry registry;
    private final Candidacy candidacy;
    private final ClusterState state;
    private final ClusterRoles roles;

    /** One for all nodes of ZooKeeper: its client keeps each watcher until the node changes. */
    private final Watcher watcher = event -> lookSoon();

    private final Thread thread;

    /** Creates a membership without a thread: the caller looks. */
    ClusterMembership(ClusterSettings settings, ZooKeeperSession session, LongSupplier nanos)
            throws IOException {
        this.settings = settings;
        this.session = session;
        this.agreed = session.agreedTimeout();
        this.registry = new ClusterRegistry(settings, session, nanos);
        this.candidacy = new Candidacy(settings.name(), agreed);
        this.state = new ClusterState(nanos, agreed);
        this.roles = new ClusterRoles(settings, session, nanos, registry.order(), state);
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
        // First: the registration can wait for longer than a lease.
        roles.seeLeases(registry.placed(watcher));
        registry.firstRegistration();
        look();
    }

    /** Returns the role of the owner of the store. */
    public ClusterRole store() {
        return roles.store();
    }

    /** Returns the role of the owner of a cube, which is looked at from then on, placed or not. */
    public ClusterRole of(String cube) {
        return roles.of(cube);
    }

    /** Returns the cluster as of the last look. */
    public ClusterView view() {
        return state.view(store().owner());
    }

    /** Returns the names of nodes that have run beside this one, whether they run or not. */
    public Set<String> seen() {
        return state.seen();
    }

    /** Returns the name of the node at which each placed cube is placed, as of the last look. */
    public Map<String, String> placed() {
        return state.placed();
    }

    /**
     * Places a cube at a node, registered or not. The node stands for the role of the cube. Another
     * owner of the cube keeps the role until it resigns.
     *
     * @param sequence of the last commit of the system cube that the node must know
     * @param own election of the store by which this node places cubes
     * @throws IOException if that election is over, or ZooKeeper does not answer
     */
    public void place(String cube, String node, long sequence, long own) throws IOException {
        registry.place(cube, node, sequence, store().registry(), own);
        lookSoon();
    }

    /**
     * Ends the placement of a cube that was deleted. An owner of it resigns.
     *
     * @param own election of the store by which this node places cubes
     * @throws IOException if that election is over, or ZooKeeper does not answer
     */
    public void unplace(String cube, long own) throws IOException {
        registry.unplace(cube, store().registry(), own);
        lookSoon();
    }

    /** Places a cube whoever owns the store, for simulations without an owner of it. */
    void place(String cube, String node) throws IOException {
        registry.place(cube, node);
        lookSoon();
    }

    /** Returns the commit of the system cube behind which a cube was placed; 0 if it was not. */
    public long placedBehind(String cube) throws IOException {
        return registry.placedBehind(cube);
    }

    /**
     * Waits until the placements, the names of the registered nodes or those of the drained ones
     * have changed, or this node leaves, or for a time.
     *
     * @param seen number of changes that the caller has seen; at first -1, which does not wait
     * @return the number of changes now
     */
    public long awaitPlacedChange(long seen, long waitNanos) throws InterruptedException {
        return state.awaitPlacedChange(seen, waitNanos);
    }

    /**
     * Returns other nodes that serve, and have not renewed a lease for half of its time. They are
     * busy, cut off or gone.
     */
    public List<ClusterView.Owner> overdue() {
        return roles.overdue();
    }

    /**
     * Notes that the machine of an owner refuses connections to its address: the process has ended,
     * or only this node is refused. The next look removes the nodes of the process in ZooKeeper, if
     * it still has renewed none of its leases. This is a hint, as an election is: the next owner
     * waits for the end of the lease before it serves.
     */
    public void refused(long election) {
        roles.refuse(election);
    }

    private void lookSoon() {
        state.lookSoon();
    }

    /** Returns the time after which the servers give a node up that does not answer. */
    public Duration session() {
        return agreed;
    }

    /** Returns whether {@link #leave} was called. */
    public boolean isLeaving() {
        return state.isLeaving();
    }

    /** Takes part in no election from now on. An owner keeps its role until {@link #close}. */
    public void leave() {
        state.leave();
        roles.leave();
    }

    /**
     * Sets whether a take-over by this node need not build an index: it stands first then. The next
     * look publishes it.
     */
    public void setReady(boolean isReady) {
        if (registry.setReady(isReady)) {
            lookSoon();
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
        lookSoon();
    }

    /** Returns the names of all drained nodes, as ZooKeeper has them now. */
    public Set<String> drained() throws IOException {
        try {
            return registry.orders(watcher).drained();
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

    /**
     * Returns the elected owners of the store and of the cubes, serving or not, as all changes
     * before this call have left them. A node that has several roles is in the list for each.
     */
    public List<ClusterView.Owner> ownersNow() throws IOException {
        String path = settings.clusterPath();
        try {
            session.catchUp(path);
            return roles.owners(registry.placed(watcher));
        } catch (KeeperException e) {
            throw ZooKeeperSession.refused(path, e);
        }
    }

    /** Returns a file that all nodes share. */
    public ClusterFile file(String name) {
        return new ClusterFile.InZooKeeper(session, settings.clusterPath() + "/" + name);
    }

    private void run() {
        long pause =
                Math.min(
                        agreed.toNanos() / LOOKS_PER_SESSION,
                        settings.leaseIn(agreed).toNanos() / LOOKS_PER_LEASE);
        while (state.awaitLook(roles.limit(pause))) {
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

    /** Reads the registry and all roles, takes part in elections, and renews the leases. */
    void look() throws KeeperException, IOException {
        registry.keepRegistered();
        List<Node> nodes = registry.nodes(watcher);
        Candidacy.Orders orders = registry.orders(watcher);
        Map<String, String> placed = registry.placed(watcher);
        state.publish(new ClusterState.Look(nodes, orders.drained(), placed));
        if (nodes.stream().noneMatch(each -> each.name().equals(settings.name()))) {
            registry.removed();
        }
        roles.removeEnded();
        // Leases before elections: these take time.
        Set<ClusterRole> vacant = roles.observe(placed);
        boolean isTurn =
                vacant.contains(store())
                        && candidacy.standsNow(nodes, orders, store().vacantNanos());
        List<ClusterRole> standing = new ArrayList<>(isTurn ? List.of(store()) : List.of());
        placed.forEach(
                (cube, node) -> {
                    if (node.equals(settings.name()) && vacant.contains(of(cube))) {
                        standing.add(of(cube));
                    }
                });
        standing.removeIf(role -> !role.canStand());
        roles.elect(standing);
    }

    /** Leaves the cluster. The next owners need not wait for the end of the session. */
    @Override
    public void close() {
        state.close();
        roles.close();
        try {
            thread.join(TimeUnit.SECONDS.toMillis(10));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        roles.withdraw();
        session.close();
    }
}
