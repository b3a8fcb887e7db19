package io.volute.server.metrics;

/**
 * The figures of a node of a cluster.
 *
 * @param isOwner whether it has the store
 * @param nodes that run
 * @param isConnected whether ZooKeeper answers
 * @param takeOvers by this node, since its start
 * @param forwarded requests that the owner answered, since the start
 * @param failed requests that no owner answered, since the start
 * @param waited requests that waited for an owner, since the start
 */
public record ClusterFigures(
        boolean isOwner,
        int nodes,
        boolean isConnected,
        long takeOvers,
        long forwarded,
        long failed,
        long waited) {
    /** The figures of a server that is no node of a cluster. */
    public static final ClusterFigures NONE = new ClusterFigures(false, 0, false, 0, 0, 0, 0);
}
