package io.volute.bookkeeper;

import io.volute.storage.log.ledger.FencedException;
import io.volute.storage.log.ledger.SegmentList;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.data.Stat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The segment list of one cube in ZooKeeper.
 *
 * <pre>
 *   PATH/cubes/NAME          id of the cube
 *   PATH/cubes/NAME/owner    ephemeral: the server that has the cube open, for people and starts
 *   PATH/cubes/NAME/log      epoch, owner and number of the last change
 *   PATH/cubes/NAME/log/N    segments with ids from N x 1024 on
 * </pre>
 *
 * <p>Each change sets {@code log} at the version that this owner wrote last, together with the
 * pages that change. A claim sets it too, so all changes of earlier owners fail. The ephemeral node
 * only keeps a second server from taking a cube over by mistake; it protects nothing.
 */
final class ZooKeeperSegmentList implements SegmentList {
    private static final Logger LOG = LoggerFactory.getLogger(ZooKeeperSegmentList.class);

    private final ZooKeeperSession session;
    private final String cube;
    private final String cubePath;
    private final String logPath;
    private final UUID cubeId;
    private final CubeNode.State state;
    private final String owner;
    private final byte[] ownerText;
    private final BooleanSupplier mayAnswer;
    private final Lease lease;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Long, TreeMap<Long, Listed>> pages = new TreeMap<>();
    private int version;
    private long epoch;
    private long changes;
    private long ownerSession;

    /**
     * Creates the list of a cube.
     *
     * @param state state that the node of the cube must have, or gets when it is new
     */
    ZooKeeperSegmentList(
            ZooKeeperSession session,
            BookKeeperSettings settings,
            String cube,
            UUID cubeId,
            CubeNode.State state) {
        this.state = state;
        this.session = session;
        this.cube = cube;
        this.cubePath = settings.cubePath(cube);
        this.logPath = cubePath + "/log";
        this.cubeId = cubeId;
        this.owner = settings.owner();
        this.ownerText = settings.ownerText();
        this.mayAnswer = () -> settings.cluster().map(node -> node.lease().test(cube)).orElse(true);
        this.lease = new Lease(session::nanos);
    }

    @Override
    public Claimed claim() throws IOException {
        lock.lock();
        try {
            createNodes();
            requireSameCube();
            becomeOwner();
            while (!tryClaim()) {
                LOG.info("another server claimed the cube {} at the same time", cube);
            }
            readPages();
            lease.end();
            List<Listed> all = new ArrayList<>();
            pages.values().forEach(page -> all.addAll(page.values()));
            return new Claimed(epoch, all);
        } catch (KeeperException e) {
            throw ZooKeeperSession.refused(logPath, e);
        } finally {
            lock.unlock();
        }
    }

    private void createNodes() throws KeeperException, IOException {
        String parents = cubePath.substring(0, cubePath.lastIndexOf('/'));
        for (int end = parents.indexOf('/', 1); end > 0; end = parents.indexOf('/', end + 1)) {
            session.ensure(parents.substring(0, end), new byte[0]);
        }
        session.ensure(parents, new byte[0]);
        session.ensure(
                cubePath,
                state == CubeNode.State.INCOMING
                        ? CubeNode.incoming(cubeId)
                        : CubeNode.here(cubeId));
        session.ensure(logPath, new ListState(0, "", 0).encode());
        for (String path : List.of(parents, cubePath, logPath)) {
            session.restrict(path);
        }
    }

    private void requireSameCube() throws IOException {
        Optional<CubeNode> node = CubeNode.read(session, cubePath);
        if (node.isPresent()) {
            node.get().require(cube, cubePath, cubeId, state);
        }
    }

    /** Waits until the session of a dead owner has ended. */
    private void becomeOwner() throws KeeperException, IOException {
        long limit = session.nanos() + 2 * session.timeout().toNanos();
        while (!tryOwn()) {
            String other = ownerNow();
            if (session.nanos() - limit > 0) {
                throw new IOException(
                        "the cube "
                                + cube
                                + " is open on the server "
                                + other
                                + ". Stop that server, then start this one.");
            }
            session.await(100);
        }
        ownerSession = session.id();
    }

    private boolean tryOwn() throws KeeperException, IOException {
        String path = cubePath + "/owner";
        try {
            String created =
                    session.repeat(
                            client ->
                                    client.create(
                                            path, ownerText, session.acl(), CreateMode.EPHEMERAL));
            return created.equals(path);
        } catch (KeeperException.NodeExistsException e) {
            Stat stat = session.repeat(client -> client.exists(path, false));
            return stat != null && stat.getEphemeralOwner() == session.id();
        }
    }

    private String ownerNow() throws KeeperException, IOException {
        try {
            byte[] name =
                    session.repeat(client -> client.getData(cubePath + "/owner", false, null));
            return new String(name, StandardCharsets.UTF_8).lines().findFirst().orElse("");
        } catch (KeeperException.NoNodeException e) {
            return "that just left";
        }
    }

    private boolean tryClaim() throws KeeperException, IOException {
        Stat stat = new Stat();
        byte[] content = session.repeat(client -> client.getData(logPath, false, stat));
        ListState before = ListState.decode(content, logPath);
        epoch = before.epoch() + 1;
        changes = 0;
        try {
            set(stat.getVersion(), List.of());
            return true;
        } catch (FencedException e) {
            return false;
        }
    }

    /**
     * Sets the state with other changes, at a version. After a lost connection the content shows
     * whether it took effect.
     */
    private void set(int expected, List<Op> others) throws KeeperException, IOException {
        byte[] content = new ListState(epoch, owner, changes).encode();
        List<Op> all = new ArrayList<>();
        all.add(Op.setData(logPath, content, expected));
        all.addAll(others);
        while (true) {
            try {
                int results = session.once(client -> client.multi(all)).size();
                version = expected + 1;
                LOG.debug("changed {} nodes below {}", results, logPath);
                return;
            } catch (KeeperException.ConnectionLossException
                    | KeeperException.SessionExpiredException e) {
                Stat stat = new Stat();
                byte[] found = session.repeat(client -> client.getData(logPath, false, stat));
                if (Arrays.equals(found, content)) {
                    version = expected + 1;
                    return;
                }
                if (stat.getVersion() != expected) {
                    throw fenced(found);
                }
                // Made again: a server that lags shows the old version after the change, too.
            } catch (KeeperException.BadVersionException e) {
                byte[] found = session.repeat(client -> client.getData(logPath, false, null));
                if (!Arrays.equals(found, content)) {
                    throw fenced(found);
                }
                version = expected + 1;
                return;
            }
        }
    }

    private FencedException fenced(byte[] content) throws IOException {
        ListState state = ListState.decode(content, logPath);
        return new FencedException(
                "the server "
                        + state.owner()
                        + " has taken the cube "
                        + cube
                        + " over (epoch "
                        + state.epoch()
                        + ")");
    }

    private void readPages() throws KeeperException, IOException {
        pages.clear();
        for (String name : session.repeat(client -> client.getChildren(logPath, false))) {
            String path = logPath + "/" + name;
            session.restrict(path);
            byte[] content = session.repeat(client -> client.getData(path, false, null));
            pages.put(Long.parseLong(name), SegmentPage.decode(content, path));
        }
    }

    @Override
    public void change(List<Listed> put, List<Long> removed) throws IOException {
        lock.lock();
        try {
            Map<Long, TreeMap<Long, Listed>> changed = new TreeMap<>();
            TreeSet<Long> touched = new TreeSet<>();
            put.forEach(each -> touched.add(each.name().number() / SegmentPage.IDS));
            removed.forEach(id -> touched.add(id / SegmentPage.IDS));
            for (long page : touched) {
                changed.put(page, new TreeMap<>(pages.getOrDefault(page, new TreeMap<>())));
            }
            put.forEach(
                    each -> {
                        long id = each.name().number();
                        changed.get(id / SegmentPage.IDS).put(id, each);
                    });
            removed.forEach(id -> changed.get(id / SegmentPage.IDS).remove(id));
            changes++;
            set(version, operations(changed));
            changed.forEach(
                    (page, content) -> {
                        if (content.isEmpty()) {
                            pages.remove(page);
                        } else {
                            pages.put(page, content);
                        }
                    });
            if (ownerSession != session.id() && tryOwn()) {
                ownerSession = session.id();
            }
        } catch (KeeperException e) {
            throw ZooKeeperSession.refused(logPath, e);
        } finally {
            lock.unlock();
        }
    }

    /**
     * {@inheritDoc}
     *
     * <p>A claimant waits until the ephemeral node of this session has gone, which is a session
     * time after its last heartbeat. Half of that is a lease for reads. In a cluster, another node
     * may remove the node of this one before ({@link EndedNode}). It waits for the lease of the
     * role then, so that has to be held, too.
     */
    @Override
    public void requireOwned() throws IOException {
        if (lease.isHeld() && mayAnswer.getAsBoolean()) {
            return;
        }
        if (lease.isSilent() || !lock.tryLock()) {
            throw new IOException("ZooKeeper does not answer");
        }
        try {
            renewLease();
        } catch (FencedException e) {
            throw e;
        } catch (KeeperException | IOException e) {
            lease.notAnswered(session.timeout());
            throw new IOException("ZooKeeper does not answer: " + e.getMessage(), e);
        } finally {
            lock.unlock();
        }
    }

    private void renewLease() throws KeeperException, IOException {
        boolean hasNode = ownerSession == session.id() || tryOwn();
        long asked = session.nanos();
        long asking = session.id();
        try {
            Op unchanged = Op.check(logPath, version);
            int results = session.once(client -> client.multi(List.of(unchanged))).size();
            LOG.trace("checked {} nodes", results);
        } catch (KeeperException.BadVersionException e) {
            throw fenced(session.repeat(client -> client.getData(logPath, false, null)));
        }
        if (hasNode && asking == session.id()) {
            ownerSession = asking;
            lease.renew(asked, session.agreedTimeout());
        }
    }

    @Override
    public void leave(UUID token) throws IOException {
        lock.lock();
        try {
            List<Op> all = new ArrayList<>();
            all.add(Op.setData(cubePath, CubeNode.left(cubeId, token, owner), -1));
            pages.keySet().forEach(page -> all.add(Op.delete(logPath + "/" + page, -1)));
            changes++;
            set(version, all);
            pages.clear();
        } catch (KeeperException e) {
            throw ZooKeeperSession.refused(logPath, e);
        } finally {
            lock.unlock();
        }
    }

    private List<Op> operations(Map<Long, TreeMap<Long, Listed>> changed) {
        List<Op> operations = new ArrayList<>();
        changed.forEach(
                (page, content) -> {
                    String path = logPath + "/" + page;
                    byte[] bytes = SegmentPage.encode(content.values());
                    boolean exists = pages.containsKey(page);
                    if (exists && content.isEmpty()) {
                        operations.add(Op.delete(path, -1));
                    } else if (exists) {
                        operations.add(Op.setData(path, bytes, -1));
                    } else if (!content.isEmpty()) {
                        operations.add(
                                Op.create(path, bytes, session.acl(), CreateMode.PERSISTENT));
                    }
                });
        return operations;
    }

    /** Gives the cube up, so that the next owner need not wait for the end of the session. */
    @Override
    public void close() {
        try {
            String path = cubePath + "/owner";
            Stat stat = session.once(client -> client.exists(path, false));
            if (stat != null && stat.getEphemeralOwner() == session.id()) {
                session.once(
                        client -> {
                            client.delete(path, -1);
                            return true;
                        });
            }
        } catch (KeeperException | IOException e) {
            LOG.warn("the cube {} is given up when the session ends: {}", cube, e.getMessage());
        }
    }
}
