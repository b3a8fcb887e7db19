package io.volute.server.cluster;

import io.volute.adminapi.ClusterApi.Cluster;
import io.volute.adminapi.ClusterApi.ClusterCube;
import io.volute.adminapi.ClusterApi.ClusterNode;
import io.volute.adminapi.ClusterApi.CubeLag;
import io.volute.adminapi.ClusterApi.HandOver;
import io.volute.adminapi.Words;
import io.volute.bookkeeper.ClusterMembership;
import io.volute.bookkeeper.ClusterView.Owner;
import io.volute.server.admin.AdminParts.ClusterControl;
import io.volute.versioning.StoreCubes.CubeInfo;
import io.volute.versioning.StoreCubes.Phase;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;

/**
 * Shows the cluster at its owner, and carries out orders of the operator. An order is a hint in
 * ZooKeeper: the node that it is about need not take the store or the cube.
 *
 * @param self name of this node
 * @param takeOver empty until this node serves
 * @param handOver begins to hand the store over
 * @param placing places cubes
 */
record ClusterOrders(
        Membership membership,
        String self,
        Supplier<Optional<TakeOver>> takeOver,
        Runnable handOver,
        Placing placing)
        implements ClusterControl {
    private static final String SERVING = "serving";
    private static final String OPENING = "opening";

    /** An opening of the store that has succeeded. */
    record TakeOver(Instant since, long millis) {}

    /** The nodes and orders in ZooKeeper. */
    interface Membership {
        /** Returns the registered nodes, by name. */
        List<Registered> nodes();

        /** Returns the names of all drained nodes. */
        Set<String> drained() throws IOException;

        void setDrained(String node, boolean isDrained) throws IOException;

        /** Makes a node the next owner. */
        void wantNext(String node) throws IOException;

        /** Returns the epochs of the logs of all cubes, by the name of the cube. */
        Map<String, Long> epochs() throws IOException;

        /** Returns the placement of each placed cube. */
        Map<String, Placed> placed();

        Duration session();

        /** Returns those of a member. */
        static Membership of(ClusterMembership membership) {
            return new Membership() {
                @Override
                public List<Registered> nodes() {
                    return membership.view().nodes().stream()
                            .map(
                                    each ->
                                            new Registered(
                                                    each.name(),
                                                    each.address(),
                                                    each.version(),
                                                    each.isReady(),
                                                    each.lagSeconds()))
                            .toList();
                }

                @Override
                public Set<String> drained() throws IOException {
                    return membership.drained();
                }

                @Override
                public void setDrained(String name, boolean isDrained) throws IOException {
                    membership.setDrained(name, isDrained);
                }

                @Override
                public void wantNext(String name) throws IOException {
                    membership.wantNext(name);
                }

                @Override
                public Map<String, Long> epochs() throws IOException {
                    return membership.epochs();
                }

                @Override
                public Map<String, Placed> placed() {
                    Map<String, Placed> placed = new TreeMap<>();
                    membership
                            .placed()
                            .forEach(
                                    (cube, at) ->
                                            placed.put(
                                                    cube,
                                                    new Placed(at, membership.of(cube).owner())));
                    return placed;
                }

                @Override
                public Duration session() {
                    return membership.session();
                }
            };
        }
    }

    /** Places cubes at nodes. */
    @FunctionalInterface
    interface Placing {
        /**
         * Places a cube, and those that share a bucket with it.
         *
         * @return the cubes, by name
         * @throws StoreException INVALID_ARGUMENT when that cannot be; the message names the remedy
         */
        Set<String> order(String cube, String node) throws IOException;
    }

    /**
     * The placement of a cube.
     *
     * @param node that shall have it
     * @param owner that has it, or takes it over; empty while there is none
     */
    record Placed(String node, Optional<Owner> owner) {}

    /** A node that runs. */
    record Registered(
            String name,
            String address,
            String version,
            boolean isReady,
            Map<String, Long> lagSeconds) {}

    @Override
    public Optional<Cluster> cluster(List<CubeInfo> cubes) throws IOException {
        Optional<TakeOver> done = takeOver.get();
        if (done.isEmpty()) {
            return Optional.empty();
        }
        Map<String, Long> epochs = membership.epochs();
        Map<String, Placed> placed = membership.placed();
        List<ClusterCube> all = new ArrayList<>();
        for (CubeInfo cube : cubes) {
            Optional<Placed> place = Optional.ofNullable(placed.get(cube.name()));
            all.add(
                    new ClusterCube(
                            cube.name(),
                            place.map(each -> nameOf(each)).orElse(self),
                            epochs.getOrDefault(cube.name(), 0L),
                            place.map(each -> state(cube, each)).orElse(stateHere(cube)),
                            place.map(Placed::node)));
        }
        return Optional.of(
                new Cluster(
                        self,
                        done.get().since(),
                        done.get().millis(),
                        membership.session().toMillis(),
                        membership.nodes().stream().map(this::document).toList(),
                        List.copyOf(new TreeSet<>(membership.drained())),
                        all));
    }

    private static String nameOf(Placed place) {
        return place.owner().map(Owner::name).orElse(place.node());
    }

    private String state(CubeInfo cube, Placed place) {
        if (place.owner().filter(Owner::isServing).isEmpty()) {
            return OPENING;
        }
        return nameOf(place).equals(self) ? stateHere(cube) : SERVING;
    }

    /** Returns the state of a cube that this node has; it is elsewhere only for an instant. */
    private static String stateHere(CubeInfo cube) {
        return cube.phase() == Phase.ELSEWHERE
                ? OPENING
                : cube.state().map(Words::of).orElse(Words.of(cube.phase()));
    }

    private ClusterNode document(Registered each) {
        return new ClusterNode(
                each.name(),
                each.address(),
                each.version(),
                each.name().equals(self),
                each.isReady(),
                each.lagSeconds().entrySet().stream()
                        .sorted(Map.Entry.comparingByKey())
                        .map(lag -> new CubeLag(lag.getKey(), lag.getValue()))
                        .toList());
    }

    @Override
    public HandOver moveTo(String node) throws IOException {
        requireRunning(node);
        if (node.equals(self)) {
            throw refused("node " + node + " has the store already");
        }
        requireNotDrained(node);
        membership.wantNext(node);
        handOver.run();
        return new HandOver(node, self, true, List.of());
    }

    @Override
    public HandOver moveCube(String cube, String node) throws IOException {
        requireRunning(node);
        requireNotDrained(node);
        return new HandOver(node, self, false, List.copyOf(placing.order(cube, node)));
    }

    @Override
    public HandOver drain(String node, boolean isOff) throws IOException {
        Set<String> drained = membership.drained();
        if (isOff) {
            if (!drained.contains(node)) {
                throw refused("node " + node + " is not drained: drained are " + drained);
            }
            membership.setDrained(node, false);
            return new HandOver(node, self, false, List.of());
        }
        requireRunning(node);
        boolean hasOther =
                names().stream().anyMatch(each -> !each.equals(node) && !drained.contains(each));
        if (!hasOther) {
            throw refused(
                    "no other node could have the store: start one, or end a drain with --off;"
                            + " drained are "
                            + drained);
        }
        membership.setDrained(node, true);
        boolean isOwn = node.equals(self);
        if (isOwn) {
            handOver.run();
        }
        return new HandOver(node, self, isOwn, cubesOf(node));
    }

    /** Returns the cubes that are placed at a node, or have not left it yet, by name. */
    private List<String> cubesOf(String node) {
        return membership.placed().entrySet().stream()
                .filter(
                        each ->
                                each.getValue().node().equals(node)
                                        || nameOf(each.getValue()).equals(node))
                .map(Map.Entry::getKey)
                .sorted()
                .toList();
    }

    private void requireNotDrained(String node) throws IOException {
        if (membership.drained().contains(node)) {
            throw refused(
                    "node "
                            + node
                            + " is drained: run 'volute cluster drain "
                            + node
                            + " --off' first");
        }
    }

    private void requireRunning(String node) {
        if (!names().contains(node)) {
            throw refused("no node " + node + " runs: there are " + names());
        }
    }

    private List<String> names() {
        return membership.nodes().stream().map(Registered::name).toList();
    }

    private static StoreException refused(String why) {
        return new StoreException(Reason.INVALID_ARGUMENT, why);
    }
}
