package io.volute.bookkeeper;

import io.volute.bookkeeper.Simulation.Machine;
import io.volute.bookkeeper.Simulation.Promise;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.apache.zookeeper.AsyncCallback;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;
import org.apache.zookeeper.proto.CheckVersionRequest;
import org.apache.zookeeper.proto.CreateRequest;
import org.apache.zookeeper.proto.DeleteRequest;
import org.apache.zookeeper.proto.SetDataRequest;

/**
 * ZooKeeper: versioned nodes, transactions and sessions that expire. Writes are in one order. A
 * read may be answered by a server that lags, but never behind what its session has seen.
 */
final class SimZooKeeper {
    private static final int LAG_MAX = 3;
    private static final OpResult MISSING =
            new OpResult.ErrorResult(KeeperException.Code.NONODE.intValue());

    private final Simulation sim;
    final Machine machine = new Machine("zookeeper");
    private final long timeoutNanos;
    private final Map<Long, Session> sessions = new HashMap<>();
    private final Deque<TreeMap<String, Node>> states = new ArrayDeque<>();
    private long zxid;
    private long lastSession;
    private boolean comparesVersions = true;
    private Map<String, byte[]> planted = Map.of();
    private String unversioned = "";
    private boolean losesAnswer;
    private boolean lags;
    private Optional<Runnable> afterExpiry = Optional.empty();
    private long repetitionNanos;
    private Optional<String> deletion = Optional.empty();
    private final Set<Watch> watches = new LinkedHashSet<>();

    private int watchCalls;

    private record Watch(Client client, String path, Watcher watcher) {}

    private record Node(byte[] data, int version, long owner, long created) {}

    private static final class Session {
        private long heard;
        private long seen;
    }

    SimZooKeeper(Simulation sim, long timeoutNanos) {
        this.sim = sim;
        this.timeoutNanos = timeoutNanos;
        states.add(new TreeMap<>());
        sim.every(machine, timeoutNanos / 8, this::expire);
    }

    /** Plants a mistake: changes do not compare the expected version. */
    void ignoreVersions() {
        comparesVersions = false;
    }

    /** Plants a mistake: changes of a node do not compare the expected version. */
    void ignoreVersionsOf(String path) {
        unversioned = path;
    }

    /** Plants a mistake: a node always shows the same content. */
    void show(String path, byte[] content) {
        planted = Map.of(path, content);
    }

    /** Loses the answer of the next change. The next read is answered by a server that lags. */
    void loseAnswer() {
        losesAnswer = true;
    }

    /** Ends the session of the next change right before it, and runs an action then. */
    void expireAtNextChange(Runnable action) {
        afterExpiry = Optional.of(action);
    }

    /** Deletes a node right before the next change. */
    void deleteBeforeNextChange(String path) {
        deletion = Optional.of(path);
    }

    /** Delivers the next change a second time, after a while. */
    void repeatNextChange(long nanos) {
        repetitionNanos = nanos;
    }

    private boolean expire() {
        for (long id : List.copyOf(sessions.keySet())) {
            if (sim.now() - sessions.get(id).heard > timeoutNanos) {
                end(id);
            }
        }
        return true;
    }

    private boolean end(long id) {
        sessions.remove(id);
        TreeMap<String, Node> next = new TreeMap<>(states.getLast());
        if (next.values().removeIf(node -> node.owner() == id)) {
            apply(next);
        }
        return true;
    }

    private void apply(TreeMap<String, Node> next) {
        notifyClients(states.getLast(), next);
        zxid++;
        states.add(next);
        if (states.size() > LAG_MAX) {
            states.removeFirst();
        }
    }

    /** Returns the number of changes by clients and ends of sessions. */
    long changes() {
        return zxid;
    }

    /** Returns the number of calls that watch a node. */
    int watchCalls() {
        return watchCalls;
    }

    private void notifyClients(TreeMap<String, Node> before, TreeMap<String, Node> after) {
        for (Watch each : List.copyOf(watches)) {
            if (!Objects.equals(before.get(each.path()), after.get(each.path()))) {
                watches.remove(each);
                WatchedEvent event =
                        new WatchedEvent(
                                Watcher.Event.EventType.NodeDataChanged,
                                Watcher.Event.KeeperState.SyncConnected,
                                each.path());
                sim.after(
                        Simulation.MILLIS,
                        () -> {
                            if (each.client().isAlive && !each.client().from.isDead()) {
                                each.watcher().process(event);
                            }
                        });
            }
        }
    }

    private Session session(long id) throws KeeperException {
        Session session = sessions.get(id);
        if (session == null) {
            throw new KeeperException.SessionExpiredException();
        }
        // A request through another server reaches the leader's table of sessions later.
        long heard = sim.now();
        long lag = sim.random.nextBoolean() ? 0 : sim.random.nextLong(timeoutNanos / 4);
        sim.after(lag, () -> session.heard = Math.max(session.heard, heard));
        return session;
    }

    /** Returns the state that a server shows to a session. */
    private TreeMap<String, Node> shown(Session session) {
        if (lags) {
            lags = false;
            return new ArrayList<>(states).get(states.size() - 2);
        }
        long oldest = Math.max(session.seen, zxid - states.size() + 1);
        long shown = sim.random.nextInt(4) == 0 ? sim.random.nextLong(oldest, zxid + 1) : zxid;
        session.seen = shown;
        int back = (int) (zxid - shown);
        return new ArrayList<>(states).get(states.size() - 1 - back);
    }

    private Node existing(TreeMap<String, Node> state, String path) throws KeeperException {
        Node node = state.get(path);
        if (node == null) {
            throw new KeeperException.NoNodeException(path);
        }
        return node;
    }

    private void compare(Node node, int expected) throws KeeperException {
        if (comparesVersions && expected != -1 && expected != node.version()) {
            throw new KeeperException.BadVersionException();
        }
    }

    /** Returns the result of an operation that was just done. */
    private OpResult result(Op done) {
        Node node = states.getLast().get(done.getPath());
        if (node == null || !(done.toRequestRecord() instanceof SetDataRequest)) {
            return new OpResult.CheckResult();
        }
        Stat stat = new Stat();
        stat.setVersion(node.version());
        return new OpResult.SetDataResult(stat);
    }

    private void repeat(long id, Iterable<Op> all) {
        try {
            change(id, all);
        } catch (KeeperException e) {
            // Nobody waits for the answer.
        }
    }

    private void change(long id, Iterable<Op> all) throws KeeperException {
        if (repetitionNanos > 0) {
            sim.after(repetitionNanos, () -> repeat(id, all));
            repetitionNanos = 0;
        }
        if (afterExpiry.isPresent()) {
            end(id);
            afterExpiry.get().run();
            afterExpiry = Optional.empty();
        }
        if (deletion.isPresent()) {
            TreeMap<String, Node> next = new TreeMap<>(states.getLast());
            next.remove(deletion.get());
            deletion = Optional.empty();
            apply(next);
        }
        Session session = session(id);
        session.seen = zxid;
        TreeMap<String, Node> next = new TreeMap<>(states.getLast());
        for (Op op : all) {
            switch (op.toRequestRecord()) {
                case CreateRequest create -> {
                    if (next.containsKey(op.getPath())) {
                        throw new KeeperException.NodeExistsException(op.getPath());
                    }
                    boolean isEphemeral = create.getFlags() == CreateMode.EPHEMERAL.toFlag();
                    next.put(
                            op.getPath(),
                            new Node(create.getData(), 0, isEphemeral ? id : 0, zxid + 1));
                }
                case SetDataRequest set -> {
                    Node old = existing(next, op.getPath());
                    if (!op.getPath().equals(unversioned)) {
                        compare(old, set.getVersion());
                    }
                    next.put(
                            op.getPath(),
                            new Node(set.getData(), old.version() + 1, old.owner(), old.created()));
                }
                case DeleteRequest delete -> {
                    compare(existing(next, op.getPath()), delete.getVersion());
                    next.remove(op.getPath());
                }
                case CheckVersionRequest check ->
                        compare(existing(next, op.getPath()), check.getVersion());
                default -> throw new IllegalArgumentException("an operation " + op.getType());
            }
        }
        apply(next);
        session.seen = zxid;
    }

    /**
     * A client with one session. It is made without the constructor of {@link ZooKeeper}, which
     * starts threads.
     */
    private static final class Client extends ZooKeeper {
        private SimZooKeeper servers;
        private Machine from;
        private long id;
        private boolean isAlive;

        /** For the compiler. */
        private Client() throws IOException {
            super("", 0, event -> {});
        }

        private <T> T call(Simulation.Service<T> request) throws KeeperException {
            Promise<T> answer = servers.sim.send(from, servers.machine, request);
            if (!servers.sim.running().await(answer, servers.timeoutNanos / 3)) {
                throw new KeeperException.ConnectionLossException();
            }
            if (answer.failure() instanceof KeeperException refused) {
                isAlive &= refused.code() != KeeperException.Code.SESSIONEXPIRED;
                throw KeeperException.create(refused.code(), refused.getPath());
            }
            if (answer.failure() != null) {
                throw new IllegalStateException(answer.failure());
            }
            return answer.value();
        }

        private void connect() throws KeeperException {
            id =
                    call(
                            () -> {
                                Session session = new Session();
                                session.heard = servers.sim.now();
                                session.seen = servers.zxid;
                                servers.sessions.put(++servers.lastSession, session);
                                return servers.lastSession;
                            });
            servers.sim.every(
                    from,
                    servers.timeoutNanos / 3,
                    () -> {
                        Promise<Session> ping =
                                servers.sim.send(from, servers.machine, () -> servers.session(id));
                        ping.onDone(() -> isAlive &= ping.failure() == null);
                        return isAlive;
                    });
        }

        @Override
        public byte[] getData(String path, boolean watch, Stat stat) throws KeeperException {
            Node node = call(() -> servers.existing(servers.shown(servers.session(id)), path));
            if (stat != null) {
                show(node, stat);
            }
            return servers.planted.getOrDefault(path, node.data());
        }

        private static void show(Node node, Stat stat) {
            stat.setVersion(node.version());
            stat.setEphemeralOwner(node.owner());
            stat.setCzxid(node.created());
        }

        /** Watches nothing: the nodes look again by themselves. */
        @Override
        public byte[] getData(String path, Watcher watcher, Stat stat) throws KeeperException {
            return getData(path, false, stat);
        }

        @Override
        public List<String> getChildren(String path, Watcher watcher) throws KeeperException {
            return getChildren(path, false);
        }

        @Override
        public Stat exists(String path, Watcher watcher) throws KeeperException {
            servers.watchCalls++;
            servers.watches.add(new Watch(this, path, watcher));
            return exists(path, false);
        }

        @Override
        public Stat setData(String path, byte[] data, int version) throws KeeperException {
            return ((OpResult.SetDataResult)
                            multi(List.of(Op.setData(path, data, version))).getFirst())
                    .getStat();
        }

        @Override
        public String create(String path, byte[] data, List<ACL> acl, CreateMode mode)
                throws KeeperException {
            multi(List.of(Op.create(path, data, acl, mode)));
            return path;
        }

        @Override
        public void delete(String path, int version) throws KeeperException {
            multi(List.of(Op.delete(path, version)));
        }

        /** Reads one node after the other: a server goes on meanwhile. */
        private List<OpResult> readAll(Iterable<Op> all) throws KeeperException {
            return call(
                    () -> {
                        Session session = servers.session(id);
                        List<OpResult> results = new ArrayList<>();
                        for (Op each : all) {
                            Node node = servers.shown(session).get(each.getPath());
                            results.add(node == null ? MISSING : result(each.getPath(), node));
                        }
                        return results;
                    });
        }

        private OpResult result(String path, Node node) {
            Stat stat = new Stat();
            show(node, stat);
            return new OpResult.GetDataResult(
                    servers.planted.getOrDefault(path, node.data()), stat);
        }

        @Override
        public List<OpResult> multi(Iterable<Op> all) throws KeeperException {
            if (all.iterator().next().getKind() == Op.OpKind.READ) {
                return readAll(all);
            }
            List<OpResult> results =
                    call(
                            () -> {
                                servers.change(id, all);
                                List<OpResult> done = new ArrayList<>();
                                all.forEach(each -> done.add(servers.result(each)));
                                return done;
                            });
            if (servers.losesAnswer) {
                servers.losesAnswer = false;
                servers.lags = true;
                throw new KeeperException.ConnectionLossException();
            }
            return results;
        }

        @Override
        public List<String> getChildren(String path, boolean watch) throws KeeperException {
            TreeMap<String, Node> state = call(() -> servers.shown(servers.session(id)));
            servers.existing(state, path);
            String below = path + "/";
            return state.keySet().stream()
                    .filter(each -> each.startsWith(below))
                    .map(each -> each.substring(below.length()))
                    .filter(each -> each.indexOf('/') < 0)
                    .toList();
        }

        @Override
        public Stat exists(String path, boolean watch) throws KeeperException {
            Node node = call(() -> servers.shown(servers.session(id)).get(path));
            if (node == null) {
                return null;
            }
            Stat stat = new Stat();
            show(node, stat);
            stat.setCtime(servers.sim.now() / Simulation.MILLIS);
            return stat;
        }

        @Override
        public void sync(String path, AsyncCallback.VoidCallback done, Object context) {
            KeeperException.Code code = KeeperException.Code.OK;
            try {
                long caughtUp =
                        call(
                                () -> {
                                    Session session = servers.session(id);
                                    session.seen = servers.zxid;
                                    return session.seen;
                                });
                servers.lags &= caughtUp < 0;
            } catch (KeeperException e) {
                code = e.code();
            }
            done.processResult(code.intValue(), path, context);
        }

        @Override
        public States getState() {
            return isAlive ? States.CONNECTED : States.CLOSED;
        }

        @Override
        public long getSessionId() {
            return id;
        }

        @Override
        public int getSessionTimeout() {
            return Math.toIntExact(servers.timeoutNanos / Simulation.MILLIS);
        }

        @Override
        public synchronized void close() {
            isAlive = false;
            servers.sim.send(from, servers.machine, () -> servers.end(id));
        }
    }

    /** Begins a session from a machine. */
    ZooKeeper connect(Machine from) throws IOException {
        Client client = withoutConstructor();
        client.servers = this;
        client.from = from;
        client.isAlive = true;
        try {
            client.connect();
        } catch (KeeperException e) {
            throw new IOException("ZooKeeper does not answer", e);
        }
        return client;
    }

    private static Client withoutConstructor() {
        try {
            Class<?> type = Class.forName("sun.reflect.ReflectionFactory");
            Object factory = type.getMethod("getReflectionFactory").invoke(null);
            Constructor<?> constructor =
                    (Constructor<?>)
                            type.getMethod(
                                            "newConstructorForSerialization",
                                            Class.class,
                                            Constructor.class)
                                    .invoke(
                                            factory,
                                            Client.class,
                                            Object.class.getDeclaredConstructor());
            return (Client) constructor.newInstance();
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    /** Returns the epoch that the node of a log has now: its second line. */
    long epoch(String logPath) {
        Node node = states.getLast().get(logPath);
        String text = node == null ? "" : new String(node.data(), StandardCharsets.UTF_8);
        return text.lines().skip(1).findFirst().map(Long::parseLong).orElse(0L);
    }
}
