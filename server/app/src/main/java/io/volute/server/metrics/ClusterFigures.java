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
 * @param lease of this node as the owner
 * @param exchange with the owners of other cubes
 * @param placed cubes that have an owner of their own
 */
public record ClusterFigures(
        boolean isOwner,
        int nodes,
        boolean isConnected,
        long takeOvers,
        long forwarded,
        long failed,
        long waited,
        Lease lease,
        Exchange exchange,
        CubeCounts placed) {
    /** The figures of a server that is no node of a cluster. */
    public static final ClusterFigures NONE =
            new ClusterFigures(
                    false,
                    0,
                    false,
                    0,
                    0,
                    0,
                    0,
                    new Lease(0, 0, 0),
                    new Exchange(0, 0, 0, 0),
                    new CubeCounts(0, 0));

    /**
     * The lease of an owner.
     *
     * @param leftSeconds time until it ends; 0 without one
     * @param waited requests that waited for it, since the start
     * @param refused requests that waited for it in vain, since the start
     */
    public record Lease(double leftSeconds, long waited, long refused) {}

    /**
     * The exchange with the owners of other cubes before writes, since the start.
     *
     * @param calls calls to another owner
     * @param failed calls without a complete answer
     * @param skipped requests that went on without the answer of an owner
     * @param waitedSeconds time that requests waited for answers
     */
    public record Exchange(long calls, long failed, long skipped, double waitedSeconds) {}

    /**
     * The placed cubes.
     *
     * @param served by this node
     * @param unserved by any node
     */
    public record CubeCounts(int served, int unserved) {}
}
