package io.volute.server.cluster.placing;

import io.volute.bookkeeper.ClusterView;
import io.volute.server.Upkeep;
import io.volute.versioning.StoreCubes;
import io.volute.versioning.StoreCubes.Phase;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.value.BucketName;
import java.io.IOException;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides on which node each cube is. Runs at the owner of the store, in one election. A cube stays
 * where it is as long as its node runs. Thread-safe.
 */
public final class CubePlacer implements Upkeep.Task {
    private static final Logger LOG = LoggerFactory.getLogger(CubePlacer.class);

    /** A cube moves by itself only to a node whose standby is not further behind. */
    private static final long LAG_SECONDS = 5;

    private final Placements placements;
    private final String self;
    private final OwnedCubes cubes;
    private final Settings settings;
    private final ReentrantLock changes = new ReentrantLock();

    /** Nodes that ran in this election. */
    private final Set<String> seen = new HashSet<>();

    private final long begun;

    /** Cubes that are closed here and placed for the first time. */
    private final Set<String> leaving = ConcurrentHashMap.newKeySet();

    /** True while a cube may be closed and not placed. */
    private boolean isMending;

    /**
     * The settings of a placer.
     *
     * @param isEven whether cubes move by themselves to nodes that have fewer
     * @param patience time from the beginning of an election for which the cubes of a node that was
     *     not seen wait for it
     * @param nanos a clock that only goes forward
     */
    public record Settings(boolean isEven, Duration patience, LongSupplier nanos) {}

    /**
     * @param self name of this node
     */
    public CubePlacer(Placements placements, String self, OwnedCubes cubes, Settings settings) {
        this.placements = placements;
        this.self = self;
        this.cubes = cubes;
        this.settings = settings;
        this.begun = settings.nanos().getAsLong();
    }

    /** Places the cubes of nodes that are gone or drained, and one more for an even placement. */
    @Override
    public void look() throws IOException {
        changes.lock();
        try {
            placements.nodes().forEach(node -> seen.add(node.name()));
            forgetDeleted();
            mend();
            Map<String, Integer> loads = loads();
            if (loads.isEmpty() || placements.placed().isEmpty() && !settings.isEven()) {
                return;
            }
            List<Set<String>> groups = groups().all();
            for (Set<String> group : groups) {
                Optional<String> next = next(group, loads);
                if (next.isPresent()) {
                    LOG.info(
                            "cubes {} go to node {}: they have no node in common that runs and"
                                    + " is not drained",
                            group,
                            next.get());
                    placeAll(group, next.get());
                    loads.putAll(loads());
                }
            }
            if (settings.isEven()) {
                level(groups, loads);
            }
        } finally {
            changes.unlock();
        }
    }

    /**
     * Returns another node for the cubes of a group; empty if they stay. A change of the store's
     * owner, or a failure between two placements, can leave them on several nodes.
     */
    private Optional<String> next(Set<String> group, Map<String, Integer> loads) {
        Set<String> nodes = new TreeSet<>();
        group.forEach(cube -> nodes.add(nodeOf(cube)));
        boolean isApart = nodes.size() > 1;
        if (!placements.placed().keySet().containsAll(group)) {
            // A cube that is not placed is where the store is.
            return isApart ? Optional.of(self) : Optional.empty();
        }
        Optional<String> running = nodes.stream().filter(loads::containsKey).findFirst();
        if (running.isPresent() && !isApart || !nodes.stream().allMatch(each -> canLose(each))) {
            return Optional.empty();
        }
        return running.or(() -> Optional.of(least(loads)));
    }

    /**
     * After a start of all nodes, one that has not joined yet may still come. One that has run
     * before is lost, also if it ended before this election, as the last owner of the store did.
     */
    private boolean canLose(String node) {
        return seen.contains(node)
                || placements.seen().contains(node)
                || settings.nanos().getAsLong() - begun >= settings.patience().toNanos();
    }

    /** Returns the number of cubes of each node that can have some. */
    private Map<String, Integer> loads() {
        Map<String, Integer> usual = loads(placements.drained());
        // A drained node is better than none, as for the store.
        return usual.isEmpty() ? loads(Set.of()) : usual;
    }

    private Map<String, Integer> loads(Set<String> without) {
        Map<String, Integer> loads = new TreeMap<>();
        placements.nodes().stream()
                .filter(node -> !without.contains(node.name()))
                .forEach(node -> loads.put(node.name(), 0));
        for (String cube : cubes.names()) {
            loads.computeIfPresent(nodeOf(cube), (node, count) -> count + 1);
        }
        return loads;
    }

    private String nodeOf(String cube) {
        return placements.placed().getOrDefault(cube, self);
    }

    /** Returns the node with the fewest cubes, the first by name among equal ones. */
    private static String least(Map<String, Integer> loads) {
        return byLoad(loads).getFirst();
    }

    private static List<String> byLoad(Map<String, Integer> loads) {
        return loads.keySet().stream().sorted(Comparator.comparing(loads::get)).toList();
    }

    /** Moves one group of cubes from a node with many of them to one with few. */
    private void level(List<Set<String>> groups, Map<String, Integer> loads) throws IOException {
        List<String> nodes = byLoad(loads);
        for (String full : nodes.reversed()) {
            for (String free : nodes) {
                int difference = loads.get(full) - loads.get(free);
                Optional<Set<String>> fitting =
                        groups.stream()
                                .filter(each -> each.size() < difference)
                                .filter(each -> isAt(full, each) && canMove(each, free))
                                .findFirst();
                if (fitting.isPresent()) {
                    Set<String> group = fitting.get();
                    LOG.info("cubes {} go from node {} to {}, which has fewer", group, full, free);
                    placeAll(group, free);
                    return;
                }
            }
        }
    }

    private boolean isAt(String node, Set<String> group) {
        return group.stream().allMatch(cube -> nodeOf(cube).equals(node));
    }

    private boolean canMove(Set<String> group, String node) {
        return !group.contains(StoreCubes.SYSTEM)
                && refusal(group).isEmpty()
                && placements.nodes().stream()
                        .filter(each -> each.name().equals(node))
                        .anyMatch(each -> group.stream().allMatch(cube -> isClose(each, cube)));
    }

    private static boolean isClose(ClusterView.Node node, String cube) {
        return node.lagSeconds().getOrDefault(cube, Long.MAX_VALUE) <= LAG_SECONDS;
    }

    private CubeGroups groups() {
        return new CubeGroups(cubes.names(), cubes.divided().values());
    }

    /** Returns why cubes cannot be placed now. */
    private Optional<String> refusal(Set<String> group) {
        return cubes.moves().stream()
                .filter(move -> group.contains(move.from()) || group.contains(move.to()))
                .map(
                        move ->
                                "bucket "
                                        + move.bucket().value()
                                        + " is being moved from cube "
                                        + move.from()
                                        + " to cube "
                                        + move.to()
                                        + ": wait until 'volute cube moves' does not list it")
                .findFirst();
    }

    /**
     * Places a cube, and those that share a bucket with it, by order of the operator.
     *
     * @return the cubes, by name
     * @throws StoreException INVALID_ARGUMENT when that cannot be; the message names the remedy
     */
    public Set<String> order(String cube, String node) throws IOException {
        changes.lock();
        try {
            List<String> all = cubes.names();
            if (!all.contains(cube)) {
                throw refused("no cube " + cube + ": there are " + all);
            }
            if (cube.equals(StoreCubes.SYSTEM)) {
                throw refused(
                        "cube default is the system cube, which the owner of the store has: run"
                                + " 'volute cluster move "
                                + node
                                + "' to move the store");
            }
            Set<String> group = groups().of(cube);
            if (group.contains(StoreCubes.SYSTEM)) {
                throw refused(bound(group));
            }
            if (isAt(node, group)) {
                throw refused("node " + node + " has cube " + cube + " already");
            }
            Optional<String> refusal = refusal(group);
            if (refusal.isPresent()) {
                throw refused(refusal.get());
            }
            placeAll(group, node);
            return group;
        } finally {
            changes.unlock();
        }
    }

    /** Returns why cubes that share a bucket with the system cube stay where the store is. */
    private String bound(Set<String> group) {
        BucketName bucket =
                cubes.divided().entrySet().stream()
                        .filter(each -> each.getValue().contains(StoreCubes.SYSTEM))
                        .map(Map.Entry::getKey)
                        .findFirst()
                        .orElseThrow();
        return "cubes "
                + group
                + " have one owner, which is that of the store: bucket "
                + bucket.value()
                + " is divided over cube default. Merge its parts with 'volute bucket merge'";
    }

    private static StoreException refused(String why) {
        return new StoreException(Reason.INVALID_ARGUMENT, why);
    }

    private void placeAll(Set<String> group, String node) throws IOException {
        for (String cube : group) {
            if (!nodeOf(cube).equals(node)) {
                place(cube, node);
            }
        }
    }

    /**
     * Returns whether a cube has left this node, or leaves it now, and its placement is not known
     * yet. Its requests wait for the next owner.
     */
    public boolean isLeaving(String cube) {
        return leaving.contains(cube);
    }

    /** Returns whether {@link #isLeaving} is true for some cube. */
    public boolean isSomeLeaving() {
        return !leaving.isEmpty();
    }

    /** Closes a cube that was never placed before it is placed: its next owner opens it. */
    private void place(String cube, String node) throws IOException {
        if (!placements.placed().containsKey(cube)) {
            // First: requests that find the cube closed would fail.
            leaving.add(cube);
            isMending = true;
            cubes.release(cube);
        }
        placements.place(cube, node, cubes.lastSequence());
        leaving.remove(cube);
    }

    private void forgetDeleted() throws IOException {
        Set<String> deleted = new TreeSet<>(placements.placed().keySet());
        deleted.removeAll(cubes.names());
        for (String cube : deleted) {
            LOG.info("cube {} was deleted: its placement ends", cube);
            placements.remove(cube);
        }
    }

    /**
     * Places a cube here that was closed and could not be placed, so that its role decides who
     * opens it. Closes one that this node opened before it saw its placement on another node.
     */
    private void mend() throws IOException {
        Map<String, String> placed = placements.placed();
        if (placed.isEmpty() && !isMending) {
            return;
        }
        for (Map.Entry<String, Phase> each : cubes.phases().entrySet()) {
            String cube = each.getKey();
            String at = placed.get(cube);
            if (at == null && each.getValue() == Phase.ELSEWHERE) {
                LOG.info("cube {} was closed and not placed: it stays on this node", cube);
                placements.place(cube, self, cubes.lastSequence());
            } else if (at != null && !at.equals(self) && each.getValue() == Phase.OPEN) {
                LOG.info("cube {} was opened before its placement on node {} was seen", cube, at);
                cubes.release(cube);
            }
        }
        leaving.clear();
        isMending = false;
    }
}
