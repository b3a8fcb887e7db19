package io.volute.bookkeeper;

import io.volute.bookkeeper.ClusterView.Owner;
import io.volute.bookkeeper.LeaseWait.Renewal;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.OpResult.GetDataResult;
import org.apache.zookeeper.OpResult.SetDataResult;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The owner and the lease of one role in ZooKeeper, as {@link ClusterMembership} describes them.
 */
final class RoleRegistry {
    private static final Logger LOG = LoggerFactory.getLogger(RoleRegistry.class);
    private static final String SERVING = "serving";
    private static final String OPENING = "opening";
    private static final String HELD = "held";
    private static final String RELEASED = "released";
    private static final String LEASE = "millis ";
    private static final int NO_LEASE = -2;

    private final ClusterSettings settings;
    private final ZooKeeperSession session;
    private final String ownerPath;
    private final String leasePath;
    private final Order order;
    private final byte[] held;

    /** Version of the lease that this node made last; no lease has the first one. */
    private volatile int leaseVersion = NO_LEASE;

    /** The last election that this node has confirmed: its lease is the one in ZooKeeper. */
    private volatile long confirmed;

    /** The order for the next owner of a role. */
    interface Order {
        /** A role that takes no orders. */
        Order NONE =
                new Order() {
                    @Override
                    public void carriedOut() {}

                    @Override
                    public void failed() {}
                };

        /** Removes the order: an owner serves. */
        void carriedOut() throws KeeperException, IOException;

        /** Removes an order for this node: it gives the role up. */
        void failed() throws KeeperException, IOException;
    }

    /**
     * @param ownerPath ephemeral node of the owner
     * @param leasePath node that each renewal changes
     * @param lease time of a lease of this node
     */
    RoleRegistry(
            ClusterSettings settings,
            ZooKeeperSession session,
            String ownerPath,
            String leasePath,
            Duration lease,
            Order order) {
        this.settings = settings;
        this.session = session;
        this.ownerPath = ownerPath;
        this.leasePath = leasePath;
        this.order = order;
        this.held = ClusterRecord.encode(HELD, settings.name(), LEASE + lease.toMillis());
    }

    String ownerPath() {
        return ownerPath;
    }

    /** Returns the content of a lease that nobody has. */
    static byte[] unusedLease() {
        return ClusterRecord.encode(RELEASED);
    }

    /** Returns the failure of a call about the owner's node that ZooKeeper has refused. */
    IOException refused(KeeperException e) {
        return ZooKeeperSession.refused(ownerPath, e);
    }

    /** Watches for the next change of the owner's node. */
    void watch(Watcher changed) throws KeeperException, IOException {
        session.watch(ownerPath, changed);
    }

    /**
     * The owner's node.
     *
     * @param isMine whether the session that saw it has made it
     * @param version of its content
     * @param session that saw it
     * @param lease version of the lease, read before the owner's node
     */
    record Elected(Owner owner, boolean isMine, int version, long session, int lease) {}

    /**
     * What a server of ZooKeeper shows of a role to one session. The renewal was read after the
     * owner's node.
     *
     * @param renewal empty if the role has never had a lease
     */
    record Seen(Optional<Elected> elected, Optional<Renewal> renewal) {}

    /**
     * The answer of a server of ZooKeeper about one role.
     *
     * @param before the lease, read before the owner's node
     * @param lease the same, read after it
     */
    record Answer(
            RoleRegistry role, long session, OpResult before, OpResult owner, OpResult lease) {
        /**
         * Returns the content of the answer.
         *
         * @throws IOException if something else has written a node of this role
         */
        Seen seen() throws KeeperException, IOException {
            Optional<GetDataResult> node = ZooKeeperSession.found(owner, role.ownerPath);
            Optional<GetDataResult> last = ZooKeeperSession.found(lease, role.leasePath);
            return new Seen(
                    node.isPresent() ? Optional.of(elected(node.get())) : Optional.empty(),
                    last.isPresent() ? Optional.of(renewal(last.get())) : Optional.empty());
        }

        private Renewal renewal(GetDataResult found) throws IOException {
            List<String> lines = ClusterRecord.decode(found.getData(), role.leasePath, 1);
            Optional<Duration> lease =
                    lines.stream()
                            .filter(line -> line.matches(LEASE + "[0-9]{1,9}"))
                            .map(line -> line.substring(LEASE.length()))
                            .map(millis -> Duration.ofMillis(Long.parseLong(millis)))
                            .findFirst();
            return new Renewal(
                    found.getStat().getVersion(), lines.getFirst().equals(RELEASED), lease);
        }

        private Elected elected(GetDataResult found) throws KeeperException, IOException {
            List<String> lines = ClusterRecord.decode(found.getData(), role.ownerPath, 3);
            Stat stat = found.getStat();
            Owner owner =
                    new Owner(
                            lines.get(0),
                            lines.get(1),
                            lines.get(2).equals(SERVING),
                            stat.getCzxid());
            int version =
                    ZooKeeperSession.found(before, role.leasePath)
                            .map(each -> each.getStat().getVersion())
                            .orElse(NO_LEASE);
            return new Elected(
                    owner,
                    stat.getEphemeralOwner() == session,
                    stat.getVersion(),
                    session,
                    version);
        }
    }

    /** Reads owners and leases by one request. Returns an answer for each role, in their order. */
    static List<Answer> read(ZooKeeperSession session, List<RoleRegistry> roles)
            throws KeeperException, IOException {
        List<Op> reads = new ArrayList<>();
        for (RoleRegistry each : roles) {
            // Before the owner's node: a renewal is refused when another node has made one since.
            reads.add(Op.getData(each.leasePath));
            reads.add(Op.getData(each.ownerPath));
            // After the owner's node: the elected session sees every renewal of the owner before.
            reads.add(Op.getData(each.leasePath));
        }
        return session.repeat(
                client -> {
                    List<OpResult> results = client.multi(reads);
                    List<Answer> answers = new ArrayList<>();
                    for (int i = 0; i < roles.size(); i++) {
                        answers.add(
                                new Answer(
                                        roles.get(i),
                                        client.getSessionId(),
                                        results.get(3 * i),
                                        results.get(3 * i + 1),
                                        results.get(3 * i + 2)));
                    }
                    return answers;
                });
    }

    /** Stands for election. The next {@link #read} has the outcome. */
    void elect() throws KeeperException, IOException {
        try {
            String created =
                    session.repeat(
                            client ->
                                    client.create(
                                            ownerPath,
                                            owner(OPENING),
                                            session.acl(),
                                            CreateMode.EPHEMERAL));
            LOG.info("elected: created {}", created);
        } catch (KeeperException.NodeExistsException e) {
            // Another node was faster, or this one before its connection was lost.
        }
    }

    private byte[] owner(String state) {
        return ClusterRecord.encode(settings.name(), settings.address(), state);
    }

    /** Announces that this node serves. */
    void announce(long own) throws KeeperException, IOException {
        Stat stat = session.repeat(client -> client.exists(ownerPath, false));
        if (stat != null && stat.getCzxid() == own && markServing(stat)) {
            order.carriedOut();
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
                                    && client.setData(ownerPath, content, own.getVersion())
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
     * Makes a change that counts only while this node has the role of that election.
     *
     * @throws IOException if it has not
     */
    void changeAsOwner(long own, Op change) throws KeeperException, IOException {
        Stat stat = session.repeat(client -> client.exists(ownerPath, false));
        boolean isDone = false;
        if (stat != null && stat.getCzxid() == own) {
            List<Op> both = List.of(Op.check(ownerPath, stat.getVersion()), change);
            try {
                isDone =
                        session.repeat(
                                client ->
                                        client.getSessionId() == stat.getEphemeralOwner()
                                                && !client.multi(both).isEmpty());
            } catch (KeeperException.BadVersionException | KeeperException.NoNodeException e) {
                LOG.debug("{} is of another owner: {}", ownerPath, e.getMessage());
            }
        }
        if (!isDone) {
            throw new IOException("this node has not the role of that election any more");
        }
    }

    /**
     * Returns the removal of the owner's node of another node. It fails if the owner has renewed
     * its lease meanwhile, or another one has its role.
     */
    List<Op> removal(Seen seen) {
        return List.of(
                Op.check(leasePath, seen.renewal().orElseThrow().version()),
                Op.delete(ownerPath, seen.elected().orElseThrow().version()));
    }

    /** Returns a change of the lease that makes the next owner wait for a whole lease. */
    Op prolongation() {
        return Op.setData(leasePath, held, -1);
    }

    /** Gives the role up, if this node has it, with its lease and the order for it. */
    void withdraw() {
        withdraw(List.of(this));
    }

    /** Gives roles up. When ZooKeeper does not answer, the rest of them ends with the session. */
    static void withdraw(List<RoleRegistry> roles) {
        for (RoleRegistry each : roles) {
            try {
                if (!each.tryWithdraw(each.leaseVersion)) {
                    each.withdrawAgain();
                }
            } catch (KeeperException | IOException e) {
                LOG.warn("{} ends with the session: {}", each.ownerPath, e.getMessage());
                return;
            }
        }
    }

    private void withdrawAgain() throws KeeperException, IOException {
        // Before the owner's node: the lease is as old as what is known of that.
        Stat lease = session.once(client -> client.exists(leasePath, false));
        LOG.debug("second try: {}", lease != null && tryWithdraw(lease.getVersion()));
    }

    /**
     * Gives the role up unless the lease has another version. The next owner changes it before it
     * serves, so a request that arrives late does not end the role of that one.
     */
    private boolean tryWithdraw(int lease) throws KeeperException, IOException {
        Stat stat = session.once(client -> client.exists(ownerPath, false));
        if (stat == null || stat.getEphemeralOwner() != session.id()) {
            return true;
        }
        order.failed();
        byte[] released = ClusterRecord.encode(RELEASED, settings.name());
        // Before the confirmation, the lease is that of the owner before, and can be in force.
        List<Op> both =
                stat.getCzxid() == confirmed
                        ? List.of(Op.delete(ownerPath, -1), Op.setData(leasePath, released, lease))
                        : List.of(Op.delete(ownerPath, stat.getVersion()));
        try {
            return session.once(
                    client ->
                            client.getSessionId() != stat.getEphemeralOwner()
                                    || !client.multi(both).isEmpty());
        } catch (KeeperException.BadVersionException | KeeperException.NoNodeException e) {
            return false;
        }
    }

    /**
     * Confirms by one write that this node is the owner of all these roles, and renews their
     * leases; changes nothing if one fails. A quorum accepts it only while the session of the
     * elections lives, each owner's node has that version, and nobody has changed the leases since
     * these nodes were seen. The next owner sees the write. A later session, or one whose node was
     * removed, could find the node of another owner with the same version: the lease differs then,
     * or that owner sees this renewal before its own.
     */
    static boolean confirm(ZooKeeperSession session, Map<RoleRegistry, Elected> mine)
            throws KeeperException, IOException {
        List<Op> all = new ArrayList<>();
        Map<RoleRegistry, Integer> renewals = new LinkedHashMap<>();
        mine.forEach(
                (role, elected) -> {
                    all.add(Op.check(role.ownerPath, elected.version()));
                    renewals.put(role, all.size());
                    all.add(Op.setData(role.leasePath, role.held, elected.lease()));
                });
        try {
            List<OpResult> done =
                    session.once(client -> isOf(client, mine) ? client.multi(all) : List.of());
            if (done.isEmpty()) {
                return false;
            }
            renewals.forEach(
                    (role, index) -> {
                        if (done.get(index) instanceof SetDataResult changed) {
                            role.leaseVersion = changed.getStat().getVersion();
                        }
                        role.confirmed = mine.get(role).owner().election();
                    });
            return true;
        } catch (KeeperException.BadVersionException | KeeperException.NoNodeException e) {
            return false;
        }
    }

    private static boolean isOf(ZooKeeper client, Map<RoleRegistry, Elected> mine) {
        return mine.values().stream().allMatch(each -> each.session() == client.getSessionId());
    }
}
