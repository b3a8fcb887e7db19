package io.volute.bookkeeper;

import io.volute.bookkeeper.Candidacy.Orders;
import io.volute.bookkeeper.ClusterView.Node;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.OpResult.GetDataResult;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.data.Stat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The nodes of a cluster in ZooKeeper, as {@link ClusterMembership} describes them. */
final class ClusterRegistry {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterRegistry.class);

    private final ClusterSettings settings;
    private final ZooKeeperSession session;
    private final LongSupplier nanos;
    private final Set<String> ignored = ConcurrentHashMap.newKeySet();
    private volatile long registeredSession;
    private volatile boolean isReady;
    private volatile Map<String, Long> lags = Map.of();
    private byte[] shown = {};

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
        session.ensure(settings.placedPath(), new byte[0]);
        session.ensure(settings.leasePath(), RoleRegistry.unusedLease());
        session.restrict(settings.clusterPath());
        session.restrict(settings.nodesPath());
        session.restrict(settings.drainedPath());
        session.restrict(settings.placedPath());
        session.restrict(settings.leasePath());
        for (String cube : session.children(settings.placedPath())) {
            session.restrict(settings.placedPath(cube));
            session.restrict(settings.placementPath(cube));
            session.restrict(settings.leasePath(cube));
        }
        byte[] content =
                session.repeat(client -> client.getData(settings.clusterPath(), false, null));
        LOG.trace("{}", ClusterRecord.decode(content, settings.clusterPath(), 0));
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
            String created =
                    session.repeat(
                            client ->
                                    client.create(
                                            settings.nodePath(),
                                            content,
                                            session.acl(),
                                            CreateMode.EPHEMERAL));
            LOG.debug("registered {}", created);
            shown = content;
        } catch (KeeperException.NodeExistsException e) {
            Stat stat = session.repeat(client -> client.exists(settings.nodePath(), false));
            if (stat == null || stat.getEphemeralOwner() != session.id()) {
                return false;
            }
            registeredSession = id;
            show(content);
            return registeredSession == id;
        }
        registeredSession = id;
        return true;
    }

    private byte[] registration() {
        return ClusterRecord.encode(
                new Node(settings.name(), settings.address(), settings.version(), isReady, lags));
    }

    private void show(byte[] content) throws KeeperException, IOException {
        try {
            Stat stat = session.repeat(client -> client.setData(settings.nodePath(), content, -1));
            LOG.debug("{} has version {}", settings.nodePath(), stat.getVersion());
            shown = content;
        } catch (KeeperException.NoNodeException e) {
            removed();
        }
    }

    /** Notes that another node has removed this one: the next call registers it again. */
    void removed() {
        registeredSession = 0;
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
        session.watch(settings.wantedPath(), watcher);
        return new Orders(wanted(), Set.copyOf(drained));
    }

    private Optional<String> wanted() throws KeeperException, IOException {
        String path = settings.wantedPath();
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
        try {
            write(path, node);
        } catch (KeeperException e) {
            throw ZooKeeperSession.refused(path, e);
        }
    }

    /** Returns the order for the next owner of the store, as an owner of it needs it. */
    RoleRegistry.Order order() {
        return new RoleRegistry.Order() {
            @Override
            public void carriedOut() throws KeeperException, IOException {
                session.deleteIfExists(settings.wantedPath());
            }

            @Override
            public void failed() throws KeeperException, IOException {
                if (wanted().filter(settings.name()::equals).isPresent()) {
                    session.deleteIfExists(settings.wantedPath());
                }
            }
        };
    }

    /** Returns the node of each placed cube, and watches for changes. */
    Map<String, String> placed(Watcher watcher) throws KeeperException, IOException {
        Map<String, String> placed = new TreeMap<>();
        List<String> cubes =
                session.repeat(client -> client.getChildren(settings.placedPath(), watcher));
        if (cubes.isEmpty()) {
            return placed;
        }
        List<Op> reads = new ArrayList<>();
        for (String cube : cubes) {
            session.watch(settings.placementPath(cube), watcher);
            reads.add(Op.getData(settings.placementPath(cube)));
        }
        List<OpResult> results = session.repeat(client -> client.multi(reads));
        for (int i = 0; i < cubes.size(); i++) {
            String path = settings.placementPath(cubes.get(i));
            Optional<GetDataResult> found = ZooKeeperSession.found(results.get(i), path);
            if (found.isPresent()) {
                // Without a name, it is about to be placed, or placed no more.
                List<String> lines = hint(found.get().getData(), path, 1);
                if (!lines.isEmpty() && !lines.getFirst().isEmpty()) {
                    placed.put(cubes.get(i), lines.getFirst());
                }
            }
        }
        return placed;
    }

    /** Makes a change. */
    private interface Write {
        void make(Op change) throws KeeperException, IOException;
    }

    /** Places a cube at a node, in place of an earlier one. */
    void place(String cube, String node) throws IOException {
        place(
                cube,
                ClusterRecord.encode(node),
                change -> {
                    List<OpResult> done = session.repeat(client -> client.multi(List.of(change)));
                    LOG.debug("placed: {}", done.size());
                });
    }

    /** Places a cube as the owner of the store. */
    void place(String cube, String node, long sequence, RoleRegistry store, long own)
            throws IOException {
        place(
                cube,
                ClusterRecord.encode(node, Long.toString(sequence)),
                change -> store.changeAsOwner(own, change));
    }

    /**
     * Ends the placement of a cube, as the owner of the store. Its lease stays for the next one.
     */
    void unplace(String cube, RoleRegistry store, long own) throws IOException {
        place(cube, ClusterRecord.encode(), change -> store.changeAsOwner(own, change));
    }

    private void place(String cube, byte[] content, Write write) throws IOException {
        String path = settings.placementPath(cube);
        try {
            session.ensure(settings.placedPath(cube), new byte[0]);
            session.ensure(settings.leasePath(cube), RoleRegistry.unusedLease());
            session.ensure(path, ClusterRecord.encode());
            write.make(Op.setData(path, content, -1));
        } catch (KeeperException e) {
            throw ZooKeeperSession.refused(path, e);
        }
    }

    /** Returns the sequence with which a cube was placed; 0 if it was not. */
    long placedBehind(String cube) throws IOException {
        String path = settings.placementPath(cube);
        try {
            byte[] content = session.repeat(client -> client.getData(path, false, null));
            List<String> lines = hint(content, path, 2);
            return lines.isEmpty() ? 0 : Long.parseLong(lines.get(1));
        } catch (KeeperException.NoNodeException e) {
            return 0;
        } catch (KeeperException e) {
            throw ZooKeeperSession.refused(path, e);
        } catch (NumberFormatException e) {
            throw new IOException("the node " + path + " in ZooKeeper is damaged", e);
        }
    }

    private void write(String path, String node) throws KeeperException, IOException {
        byte[] content = ClusterRecord.encode(node);
        session.ensure(path, content);
        Stat stat = session.repeat(client -> client.setData(path, content, -1));
        LOG.debug("{} has version {}", path, stat.getVersion());
    }

    /** Makes a node drained, or ends that. */
    void setDrained(String node, boolean isDrained) throws IOException {
        String path = settings.drainedPath() + "/" + node;
        try {
            if (isDrained) {
                session.ensure(path, ClusterRecord.encode());
            } else {
                session.deleteIfExists(path);
            }
        } catch (KeeperException e) {
            throw ZooKeeperSession.refused(path, e);
        }
    }
}
