package io.volute.bookkeeper;

import io.volute.bookkeeper.RoleRegistry.Answer;
import io.volute.bookkeeper.RoleRegistry.Elected;
import io.volute.bookkeeper.RoleRegistry.Seen;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.apache.zookeeper.KeeperException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All roles that a node looks at: the store's, and those of cubes that are placed or were
 * requested. One request reads them, and one write renews the leases of this node. Thread-safe, but
 * one thread looks.
 */
final class ClusterRoles {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterRoles.class);

    private final ClusterSettings settings;
    private final ZooKeeperSession session;
    private final LongSupplier nanos;
    private final Duration agreed;
    private final ClusterState state;
    private final ClusterRole store;
    private final Map<String, ClusterRole> cubes = new ConcurrentHashMap<>();

    /** Elections of owners whose machines refuse connections. */
    private final Set<Long> refused = ConcurrentHashMap.newKeySet();

    /**
     * @param order for the next owner of the store
     */
    ClusterRoles(
            ClusterSettings settings,
            ZooKeeperSession session,
            LongSupplier nanos,
            RoleRegistry.Order order,
            ClusterState state)
            throws IOException {
        this.settings = settings;
        this.session = session;
        this.nanos = nanos;
        this.agreed = session.agreedTimeout();
        this.state = state;
        this.store = role(settings.ownerPath(), settings.leasePath(), order);
    }

    private ClusterRole role(String ownerPath, String leasePath, RoleRegistry.Order order) {
        Duration lease = settings.leaseIn(agreed);
        return new ClusterRole(
                new RoleRegistry(settings, session, ownerPath, leasePath, lease, order),
                nanos,
                agreed,
                lease,
                state::lookSoon);
    }

    ClusterRole store() {
        return store;
    }

    ClusterRole of(String cube) {
        ClusterRole role =
                cubes.computeIfAbsent(
                        cube,
                        name ->
                                role(
                                        settings.ownerPath(name),
                                        settings.leasePath(name),
                                        RoleRegistry.Order.NONE));
        // Here too: the node may have left while the role was made.
        if (state.isLeaving()) {
            role.leave();
        }
        if (state.isClosed()) {
            role.close();
        }
        return role;
    }

    private List<ClusterRole> all() {
        List<ClusterRole> roles = new ArrayList<>(List.of(store));
        roles.addAll(cubes.values());
        return roles;
    }

    private static List<RoleRegistry> registries(List<ClusterRole> roles) {
        return roles.stream().map(ClusterRole::registry).toList();
    }

    void leave() {
        all().forEach(ClusterRole::leave);
    }

    void close() {
        all().forEach(ClusterRole::close);
    }

    void withdraw() {
        RoleRegistry.withdraw(registries(all()));
    }

    /** Returns a time, or less if the lease of an owner that is gone ends before. */
    long limit(long pauseNanos) {
        return all().stream().mapToLong(role -> role.limit(pauseNanos)).min().orElse(pauseNanos);
    }

    /**
     * Begins the waits for the leases of earlier owners.
     *
     * @param placed the placed cubes
     */
    void seeLeases(Map<String, String> placed) throws KeeperException, IOException {
        placed.keySet().forEach(this::of);
        read(
                all(),
                (role, seen) -> {
                    boolean isFree = role.seeLease(seen.renewal());
                    LOG.debug("the lease of the last owner has ended: {}", isFree);
                });
    }

    /**
     * Returns the owners of all roles as ZooKeeper has them now, and publishes nothing.
     *
     * @param placed the placed cubes
     */
    List<ClusterView.Owner> owners(Map<String, String> placed) throws KeeperException, IOException {
        placed.keySet().forEach(this::of);
        List<ClusterView.Owner> owners = new ArrayList<>();
        for (Answer each : RoleRegistry.read(session, registries(all()))) {
            each.seen().elected().map(Elected::owner).ifPresent(owners::add);
        }
        return owners;
    }

    /** Reads roles by one request. The failure of one is not that of the others. */
    private void read(List<ClusterRole> roles, BiConsumer<ClusterRole, Seen> take)
            throws KeeperException, IOException {
        List<Answer> answers = RoleRegistry.read(session, registries(roles));
        for (int i = 0; i < roles.size(); i++) {
            try {
                take.accept(roles.get(i), answers.get(i).seen());
            } catch (KeeperException | IOException e) {
                LOG.warn("a role cannot be seen: {}", e.getMessage());
            }
        }
    }

    /**
     * Takes what ZooKeeper shows of all roles, and renews leases. A role that cannot be read is
     * left out. Returns the roles without an owner.
     *
     * @param placed the placed cubes
     */
    Set<ClusterRole> observe(Map<String, String> placed) throws KeeperException, IOException {
        placed.keySet().forEach(this::of);
        return observe(all());
    }

    /** Returns the owners of roles that have not renewed their leases in time. */
    List<ClusterView.Owner> overdue() {
        return all().stream().flatMap(role -> role.overdue().stream()).toList();
    }

    /** Notes that the machine of an owner refuses connections: its process has ended. */
    void refuse(long election) {
        refused.add(election);
        state.lookSoon();
    }

    /** Removes the nodes of processes in ZooKeeper that have ended, as far as this node knows. */
    void removeEnded() throws KeeperException, IOException {
        Set<Long> ended = Set.copyOf(refused);
        refused.clear();
        Set<String> names = new HashSet<>();
        overdue().stream()
                .filter(owner -> ended.contains(owner.election()))
                .forEach(owner -> names.add(owner.name()));
        for (String name : names) {
            EndedNode node = new EndedNode(name, settings, session);
            read(all(), node::add);
            try {
                int removed = node.remove();
                if (removed > 0) {
                    LOG.info("node {} has ended: {} changes in ZooKeeper", name, removed);
                }
            } catch (KeeperException e) {
                requireAnswer(e);
                LOG.info("node {} may have ended, and is not removed: {}", name, e.getMessage());
            }
        }
    }

    /** Stands for election, and takes the outcome. */
    void elect(List<ClusterRole> standing) throws KeeperException, IOException {
        if (standing.isEmpty()) {
            return;
        }
        for (ClusterRole each : standing) {
            try {
                each.registry().elect();
            } catch (KeeperException e) {
                requireAnswer(e);
                LOG.warn("this node cannot stand for election: {}", e.getMessage());
            }
        }
        LOG.debug("{} roles have no owner yet", observe(standing).size());
    }

    private Set<ClusterRole> observe(List<ClusterRole> roles) throws KeeperException, IOException {
        for (ClusterRole each : roles) {
            each.registry().watch(event -> state.lookSoon());
        }
        Set<ClusterRole> vacant = new HashSet<>();
        Map<ClusterRole, Elected> mine = new LinkedHashMap<>();
        read(
                roles,
                (role, seen) -> {
                    role.observe(seen).ifPresent(elected -> mine.put(role, elected));
                    if (seen.elected().isEmpty()) {
                        vacant.add(role);
                    }
                });
        renew(mine);
        return vacant;
    }

    /** Accepts elections and renews leases by one write, or each by its own if one fails. */
    private void renew(Map<ClusterRole, Elected> mine) throws KeeperException, IOException {
        if (mine.size() > 1 && confirm(mine)) {
            return;
        }
        for (Map.Entry<ClusterRole, Elected> each : mine.entrySet()) {
            boolean isConfirmed = confirm(Map.of(each.getKey(), each.getValue()));
            LOG.trace("election {}: {}", each.getValue().owner().election(), isConfirmed);
        }
    }

    /**
     * Accepts elections, and renews the leases. The session of the elections must live: otherwise
     * another node may be the owner, and a later session may have been shown an older renewal.
     */
    private boolean confirm(Map<ClusterRole, Elected> mine) throws KeeperException, IOException {
        Map<RoleRegistry, Elected> all = new LinkedHashMap<>();
        mine.forEach((role, elected) -> all.put(role.registry(), elected));
        long begun = nanos.getAsLong();
        try {
            if (RoleRegistry.confirm(session, all)) {
                mine.forEach((role, elected) -> role.confirmed(elected, begun));
                return true;
            }
            state.lookSoon();
        } catch (KeeperException e) {
            requireAnswer(e);
            LOG.warn("a lease cannot be renewed: {}", e.getMessage());
        }
        return false;
    }

    /** Throws the failure of a call that was not answered: the calls for other roles fail, too. */
    private static void requireAnswer(KeeperException e) throws KeeperException {
        if (ZooKeeperSession.isLost(e)) {
            throw e;
        }
    }
}
