package io.volute.server.cluster;

import io.volute.bookkeeper.ClusterMembership;
import io.volute.bookkeeper.ClusterRole;
import io.volute.bookkeeper.ClusterView;
import io.volute.server.cluster.exchange.Peers;
import io.volute.server.cluster.hop.Forwarder.Owner;
import io.volute.server.cluster.hop.NodeCalls;
import io.volute.server.cluster.owners.OwnerAnswers;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The owners of the store and of the placed cubes, besides this node. Thread-safe.
 *
 * @param self name of this node
 */
record OtherOwners(ClusterMembership membership, NodeCalls calls, String self) implements Peers {
    static final String EXCHANGE = "exchange";

    @Override
    public List<Peer> others() {
        if (membership.placed().isEmpty()) {
            return List.of();
        }
        Map<String, Owner> byName = new TreeMap<>();
        add(membership.store(), byName);
        membership.placed().keySet().forEach(cube -> add(membership.of(cube), byName));
        List<Peer> others = new ArrayList<>();
        byName.forEach((name, owner) -> others.add(new Called(calls, name, owner)));
        return others;
    }

    /**
     * Returns the other nodes that are elected for the store or a cube, by name, as ZooKeeper has
     * them now. Those that do not serve yet are among them.
     */
    Map<String, Owner> elected() throws IOException {
        Map<String, ClusterView.Owner> byName = new TreeMap<>();
        for (ClusterView.Owner each : membership.ownersNow()) {
            if (!each.name().equals(self)) {
                byName.merge(each.name(), each, OtherOwners::callable);
            }
        }
        Map<String, Owner> owners = new TreeMap<>();
        byName.forEach(
                (name, owner) -> owners.put(name, new Owner(owner.address(), owner.election())));
        return owners;
    }

    /** Returns the other nodes that serve placed cubes, by name, and the cubes that none serves. */
    OwnerAnswers.Owners ofCubes() {
        Map<String, Owner> byName = new TreeMap<>();
        Map<String, List<String>> cubes = new TreeMap<>();
        List<String> unserved = new ArrayList<>();
        for (String cube : new TreeSet<>(membership.placed().keySet())) {
            ClusterRole role = membership.of(cube);
            add(role, byName);
            role.owner()
                    .filter(ClusterView.Owner::isServing)
                    .ifPresentOrElse(
                            owner ->
                                    cubes.computeIfAbsent(owner.name(), name -> new ArrayList<>())
                                            .add(cube),
                            () -> unserved.add(cube));
        }
        Map<String, OwnerAnswers.Serving> serving = new TreeMap<>();
        byName.forEach(
                (name, owner) ->
                        serving.put(
                                name,
                                new OwnerAnswers.Serving(
                                        owner, cubes.getOrDefault(name, List.of()))));
        return new OwnerAnswers.Owners(serving, unserved);
    }

    /** A node handles calls in a role that it serves. */
    private static ClusterView.Owner callable(ClusterView.Owner one, ClusterView.Owner other) {
        boolean isFirst =
                one.isServing() == other.isServing()
                        ? one.election() > other.election()
                        : one.isServing();
        return isFirst ? one : other;
    }

    /** The newest election of a node is greater than all of its processes before. */
    private void add(ClusterRole role, Map<String, Owner> byName) {
        role.owner()
                .filter(ClusterView.Owner::isServing)
                .filter(owner -> !owner.name().equals(self))
                .ifPresent(
                        owner ->
                                byName.merge(
                                        owner.name(),
                                        new Owner(owner.address(), owner.election()),
                                        (one, other) ->
                                                one.election() > other.election() ? one : other));
    }

    /** Another owner, which is called. */
    private record Called(NodeCalls calls, String name, Owner owner) implements Peer {
        @Override
        public long election() {
            return owner.election();
        }

        @Override
        public byte[] ask(byte[] content, Duration limit) throws IOException {
            return calls.call(owner, EXCHANGE, content, limit);
        }
    }
}
