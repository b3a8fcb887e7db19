package io.volute.bookkeeper;

import io.volute.bookkeeper.Candidacy.Orders;
import io.volute.bookkeeper.ClusterView.Node;
import io.volute.bookkeeper.ClusterView.Owner;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.data.Stat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The nodes of a cluster in ZooKeeper, as {@link ClusterMembership} describes them. */
final class ClusterRegistry {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterRegistry.class);
    private static final String SERVING = "serving";
    private static final String OPENING = "opening";
    private static final String HELD = "held";
    private static final String RELEASED = "released";

    private final ClusterSettings settings;
    private final ZooKeeperSession session;
    private final LongSupplier nanos;
    private final Set<String> ignored = ConcurrentHashMap.newKeySet();
    private volatile long registeredSession;
    private volatile boolean isReady;
    private volatile Map<String, Long> lags = Map.of();
    private byte[] shown = {};

    /** Version of the lease that this node made last; no lease has the first one. */
    private volatile int leaseVersion = -2;

    ClusterRegistry(ClusterSettings settings, ZooKeeperSession session, LongSupplier nanos) {
        this.settings = settings;
        this.session = session;
        this.nanos = nanos;
    }

    /** Creates the parents of all nodes, and refuses those of a later release. */
    void prepare() throws KeeperException, IOException {
        session.ensure(settings.path(), new byte[0]);
        session.ensure(settings.clusterPath(), ClusterRecord.encode());
        session.ensure(settings.nodesPath(), new byte[0]);
        session.ensure(settings.drainedPath(), new byte[0]);
        session.ensure(settings.leasePath(), ClusterRecord.encode(RELEASED));
        session.restrict(settings.clusterPath());
        session.restrict(settings.nodesPath());
        session.restrict(settings.drainedPath());
        session.restrict(settings.leasePath());
        byte[] content =
                session.repeat(client -> client.getData(settings.clusterPath(), false, null));
        LOG.trace("{}", ClusterRecord.decode(content, settings.clusterPath(), 0));
    }

    private String createEphemeral(String path, byte[] content)
            throws KeeperException, IOException {
        return session.repeat(
                client -> client.create(path, content, session.acl(), CreateMode.EPHEMERAL));
    }

    /** Waits for two session times, so that a node that was killed can start again. */
    void firstRegistration() throws KeeperException, IOException {
        long limit = nanos.getAsLong() + 2 * session.agreedTimeout().toNanos();
        while (!tryRegister()) {
            if (nanos.getAsLong() - limit > 0) {
                byte[] other =
                        session.repeat(client -> client.getData(settings.nodePath(), false, null));
                throw new IOException(
                        "another node with the name "
                                + settings.name()
                                + " runs at "
                                + ClusterRecord.decode(other, settings.nodePath(), 2).getFirst()
                                + ": choose another cluster.name for this one");
            }
            session.await(100);
        }
    }

    /** Returns false if another session has the name of this node. */
    private boolean tryRegister() throws KeeperException, IOException {
        long id = session.id();
        byte[] content = registration();
        try {
            String created = createEphemeral(settings.nodePath(), content);
            LOG.debug("registered {}", created);
            shown = content;
        } catch (KeeperException.NodeExistsException e) {
            Stat stat = session.repeat(client -> client.exists(settings.nodePath(), false));
            if (stat == null || stat.getEphemeralOwner() != session.id()) {
                return false;
            }
            show(content);
        }
        registeredSession = id;
        return true;
    }

    private byte[] registration() {
        return ClusterRecord.encode(
                new Node(settings.name(), settings.address(), settings.version(), isReady, lags));
    }

    private void show(byte[] content) throws KeeperException, IOException {
        Stat stat = session.repeat(client -> client.setData(settings.nodePath(), content, -1));
        LOG.debug("{} has version {}", settings.nodePath(), stat.getVersion());
        shown = content;
    }

    /** Sets the lag of the standby of each cube, in whole seconds. */
    void setLags(Map<String, Long> lagSeconds) {
        lags = Map.copyOf(lagSeconds);
    }

    /** Sets whether a take-over by this node need not build an index. Returns whether it is new. */
    boolean setReady(boolean ready) {
        boolean isNew = ready != isReady;
        isReady = ready;
        return isNew;
    }

    /**
     * Registers this node again if its session has begun anew, and publishes {@link #setReady} and
     * {@link #setLags} after a change. A failed write is repeated by the next call.
     */
    void keepRegistered() throws KeeperException, IOException {
        if (registeredSession != session.id()) {
            if (!tryRegister()) {
                LOG.warn("the session before has not ended yet: {}", settings.nodePath());
            }
        } else if (!Arrays.equals(registration(), shown)) {
            show(registration());
        }
    }

    /** Returns the registered nodes, and watches for changes. */
    List<Node> nodes(Watcher watcher) throws KeeperException, IOException {
        List<Node> nodes = new ArrayList<>();
        List<String> names =
                session.repeat(client -> client.getChildren(settings.nodesPath(), watcher));
        for (String name : names.stream().sorted().toList()) {
            String path = settings.nodesPath() + "/" + name;
            try {
                byte[] content = session.repeat(client -> client.getData(path, false, null));
                List<String> lines = hint(content, path, 2);
                if (!lines.isEmpty()) {
                    nodes.add(ClusterRecord.node(name, lines));
                }
            } catch (KeeperException.NoNodeException e) {
                // It has just left.
            }
        }
        return nodes;
    }

    /** Returns no lines if something else has written the node: the owner must keep its lease. */
    private List<String> hint(byte[] content, String path, int count) {
        try {
            return ClusterRecord.decode(content, path, count);
        } catch (IOException e) {
            if (ignored.add(path)) {
                LOG.warn("ignored: {}", e.getMessage());
            }
            return List.of();
        }
    }

    /** Returns the orders of the operator, and watches for changes. */
    Orders orders(Watcher watcher) throws KeeperException, IOException {
        List<String> drained =
                session.repeat(client -> client.getChildren(settings.drainedPath(), watcher));
        return new Orders(wanted(watcher), Set.copyOf(drained));
    }

    private Optional<String> wanted(Watcher watcher) throws KeeperException, IOException {
        String path = settings.wantedPath();
        if (session.repeat(client -> client.exists(path, watcher)) == null) {
            return Optional.empty();
        }
        try {
            byte[] content = session.repeat(client -> client.getData(path, false, null));
            return hint(content, path, 1).stream().findFirst();
        } catch (KeeperException.NoNodeException e) {
            return Optional.empty();
        }
    }

    /** Makes a node the next owner, in place of an earlier order. */
    void want(String node) throws IOException {
        String path = settings.wantedPath();
        byte[] content = ClusterRecord.encode(node);
        try {
            session.ensure(path, content);
            Stat stat = session.repeat(client -> client.setData(path, content, -1));
            LOG.debug("{} has version {}", path, stat.getVersion());
        } catch (KeeperException e) {
            throw ZooKeeperSession.refused(path, e);
        }
    }

    /** Makes a node drained, or ends that. */
    void setDrained(String node, boolean isDrained) throws IOException {
        String path = settings.drainedPath() + "/" + node;
        try {
            if (isDrained) {
                session.ensure(path, ClusterRecord.encode());
            } else {
                delete(path);
            }
        } catch (KeeperException e) {
            throw ZooKeeperSession.refused(path, e);
        }
    }

    private void delete(String path) throws KeeperException, IOException {
        try {
            boolean done =
                    session.repeat(
                            client -> {
                                client.delete(path, -1);
                                return true;
                            });
            LOG.debug("deleted {}: {}", path, done);
        } catch (KeeperException.NoNodeException e) {
            // It was not there, or is gone by a call whose answer was lost.
        }
    }

    /**
     * The owner's node.
     *
     * @param isMine whether the session that saw it has made it
     * @param version of its content
     * @param session that saw it
     */
    record Elected(Owner owner, boolean isMine, int version, long session) {}

    /** Returns the owner's node, and watches for changes. */
    Optional<Elected> elected(Watcher watcher) throws KeeperException, IOException {
        String path = settings.ownerPath();
        Stat stat = session.repeat(client -> client.exists(path, watcher));
        if (stat == null) {
            return Optional.empty();
        }
        try {
            long id = session.id();
            Stat read = new Stat();
            byte[] content = session.repeat(client -> client.getData(path, watcher, read));
            List<String> lines = ClusterRecord.decode(content, path, 3);
            Owner owner =
                    new Owner(
                            lines.get(0),
                            lines.get(1),
                            lines.get(2).equals(SERVING),
                            read.getCzxid());
            return Optional.of(
                    new Elected(owner, read.getEphemeralOwner() == id, read.getVersion(), id));
        } catch (KeeperException.NoNodeException e) {
            return Optional.empty();
        }
    }

    /** Stands for election. The next {@link #elected} has the outcome. */
    void elect() throws KeeperException, IOException {
        try {
            String created = createEphemeral(settings.ownerPath(), owner(OPENING));
            LOG.info("elected as the owner of the store: {}", created);
        } catch (KeeperException.NodeExistsException e) {
            // Another node was faster, or this one before its connection was lost.
        }
    }

    private byte[] owner(String state) {
        return ClusterRecord.encode(settings.name(), settings.address(), state);
    }

    /** Announces that this node serves the store. */
    void announce(long own) throws KeeperException, IOException {
        Stat stat = session.repeat(client -> client.exists(settings.ownerPath(), false));
        if (stat != null && stat.getCzxid() == own && markServing(stat)) {
            delete(settings.wantedPath());
        }
    }

    /**
     * Changes the owner's node by the session of its election alone: a later session could find the
     * node of another owner with the same version.
     */
    private boolean markServing(Stat own) throws KeeperException, IOException {
        byte[] content = owner(SERVING);
        try {
            return session.repeat(
                    client ->
                            client.getSessionId() == own.getEphemeralOwner()
                                    && client.setData(
                                                    settings.ownerPath(), content, own.getVersion())
                                            != null);
        } catch (KeeperException.BadVersionException e) {
            // Nobody else changes this node: the answer of the try before was lost.
            return true;
        } catch (KeeperException.NoNodeException e) {
            LOG.debug("lost before it served: {}", e.getMessage());
            return false;
        }
    }

    /**
     * The last renewal of a lease, by whatever owner.
     *
     * @param version differs after each renewal
     * @param isReleased whether that owner has given its lease up
     */
    record Renewal(int version, boolean isReleased) {}

    /** Returns the last renewal that a server of ZooKeeper shows to this session. */
    Renewal renewal() throws KeeperException, IOException {
        String path = settings.leasePath();
        Stat stat = new Stat();
        byte[] content = session.repeat(client -> client.getData(path, false, stat));
        String state = ClusterRecord.decode(content, path, 1).getFirst();
        return new Renewal(stat.getVersion(), state.equals(RELEASED));
    }

    /** Gives up the role of the owner, if this node has it, its lease, and the order for it. */
    void withdraw() {
        try {
            if (!tryWithdraw(leaseVersion)) {
                // Before the owner's node: the lease is as old as what is known of that.
                Stat lease = session.once(client -> client.exists(settings.leasePath(), false));
                LOG.debug("second try: {}", lease != null && tryWithdraw(lease.getVersion()));
            }
        } catch (KeeperException | IOException e) {
            LOG.warn("the role of the owner ends with the session: {}", e.getMessage());
        }
    }

    /**
     * Gives the role up unless the lease has another version. The next owner changes it before it
     * serves, so a request that arrives late does not end the role of that one.
     */
    private boolean tryWithdraw(int lease) throws KeeperException, IOException {
        Stat stat = session.once(client -> client.exists(settings.ownerPath(), false));
        if (stat == null || stat.getEphemeralOwner() != session.id()) {
            return true;
        }
        if (wanted(event -> {}).filter(settings.name()::equals).isPresent()) {
            delete(settings.wantedPath());
        }
        byte[] released = ClusterRecord.encode(RELEASED, settings.name());
        List<Op> both =
                List.of(
                        Op.delete(settings.ownerPath(), -1),
                        Op.setData(settings.leasePath(), released, lease));
        try {
            return session.once(
                    client ->
                            client.getSessionId() != stat.getEphemeralOwner()
                                    || !client.multi(both).isEmpty());
        } catch (KeeperException.BadVersionException e) {
            return false;
        }
    }

    /**
     * Confirms by a write that this node is the owner. A quorum accepts it only while the session
     * of its election lives and the owner's node has that version. The next owner sees the write. A
     * later session could find the node of another owner with the same version.
     */
    boolean confirm(Elected mine) throws KeeperException, IOException {
        byte[] content = ClusterRecord.encode(HELD, settings.name());
        List<Op> both =
                List.of(
                        Op.check(settings.ownerPath(), mine.version()),
                        Op.setData(settings.leasePath(), content, -1));
        try {
            List<OpResult> done =
                    session.once(
                            client ->
                                    client.getSessionId() == mine.session()
                                            ? client.multi(both)
                                            : List.of());
            if (!done.isEmpty() && done.getLast() instanceof OpResult.SetDataResult changed) {
                leaseVersion = changed.getStat().getVersion();
            }
            return !done.isEmpty();
        } catch (KeeperException.BadVersionException | KeeperException.NoNodeException e) {
            return false;
        }
    }
}
