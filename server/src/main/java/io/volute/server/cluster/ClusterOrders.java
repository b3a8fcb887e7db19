package io.volute.server.cluster;

import io.volute.adminapi.ClusterApi.Cluster;
import io.volute.adminapi.ClusterApi.ClusterCube;
import io.volute.adminapi.ClusterApi.ClusterNode;
import io.volute.adminapi.ClusterApi.CubeLag;
import io.volute.adminapi.ClusterApi.HandOver;
import io.volute.adminapi.Words;
import io.volute.server.admin.AdminParts.ClusterControl;
import io.volute.versioning.StoreCubes;
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
import java.util.TreeSet;
import java.util.function.Supplier;

/**
 * Shows the cluster at its owner, and carries out orders of the operator. An order is a hint in
 * ZooKeeper: the node that it is about need not take the store.
 *
 * @param self name of this node
 * @param takeOver empty until this node serves
 * @param handOver begins to hand the store over
 */
record ClusterOrders(
        Membership membership,
        String self,
        Supplier<Optional<TakeOver>> takeOver,
        Runnable handOver)
        implements ClusterControl {

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

        Duration session();
    }

    /** A node that runs. */
    record Registered(
            String name,
            String address,
            String version,
            boolean isReady,
            Map<String, Long> lagSeconds) {}

    @Override
    public Optional<Cluster> cluster(List<StoreCubes.CubeInfo> cubes) throws IOException {
        Optional<TakeOver> done = takeOver.get();
        if (done.isEmpty()) {
            return Optional.empty();
        }
        Map<String, Long> epochs = membership.epochs();
        List<ClusterCube> all = new ArrayList<>();
        for (StoreCubes.CubeInfo cube : cubes) {
            String state = cube.state().map(Words::of).orElse(Words.of(cube.phase()));
            all.add(
                    new ClusterCube(
                            cube.name(), self, epochs.getOrDefault(cube.name(), 0L), state));
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
        if (membership.drained().contains(node)) {
            throw refused(
                    "node "
                            + node
                            + " is drained: run 'volute cluster drain "
                            + node
                            + " --off' first");
        }
        membership.wantNext(node);
        handOver.run();
        return new HandOver(node, self, true);
    }

    @Override
    public HandOver drain(String node, boolean isOff) throws IOException {
        Set<String> drained = membership.drained();
        if (isOff) {
            if (!drained.contains(node)) {
                throw refused("node " + node + " is not drained: drained are " + drained);
            }
            membership.setDrained(node, false);
            return new HandOver(node, self, false);
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
        return new HandOver(node, self, isOwn);
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
