package io.volute.bookkeeper;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The nodes of a cluster as one of them sees them.
 *
 * @param nodes sorted by name
 * @param owner the node that has the store, or takes it over; empty while there is none
 * @param isConnected whether ZooKeeper has answered within the last session time
 * @param drained names of the nodes that shall not have the store, registered or not
 */
public record ClusterView(
        List<Node> nodes, Optional<Owner> owner, boolean isConnected, Set<String> drained) {
    public ClusterView {
        nodes = List.copyOf(nodes);
        drained = Set.copyOf(drained);
    }

    /**
     * A registered node.
     *
     * @param address of its listener for other nodes, as HOST:PORT
     * @param version of its program
     * @param isReady whether a take-over by it need not build an index; true for earlier releases
     * @param lagSeconds whole seconds by which its standby of each cube is behind the owner
     */
    public record Node(
            String name,
            String address,
            String version,
            boolean isReady,
            Map<String, Long> lagSeconds) {
        public Node {
            lagSeconds = Map.copyOf(lagSeconds);
        }

        /** Creates a node that follows no cube. */
        public Node(String name, String address, String version, boolean isReady) {
            this(name, address, version, isReady, Map.of());
        }
    }

    /**
     * The node that has the store.
     *
     * @param isServing false while it takes the store over
     * @param election a number that each election has for itself
     */
    public record Owner(String name, String address, boolean isServing, long election) {}
}
