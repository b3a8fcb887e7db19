package io.volute.adminapi;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The nodes of a cluster. */
public final class ClusterApi {
    private ClusterApi() {}

    /**
     * A cluster, as the owner of the store sees it.
     *
     * @param owner name of the node that has the store
     * @param since time at which it had the store open
     * @param takeOverMillis time from its election until then
     * @param sessionMillis time after which ZooKeeper gives up a node that does not answer
     * @param nodes all that run, by name
     * @param drained names of the nodes that shall have neither the store nor cubes, whether they
     *     run or not
     * @param cubes by number
     */
    public record Cluster(
            String owner,
            Instant since,
            long takeOverMillis,
            long sessionMillis,
            List<ClusterNode> nodes,
            List<String> drained,
            List<ClusterCube> cubes) {}

    /**
     * A node.
     *
     * @param address of its listener for other nodes
     * @param version of its program
     * @param owner whether it has the store
     * @param ready whether a take-over by it need not build an index
     * @param lags of its standby of each cube, as of the last five seconds; empty for the owner
     */
    public record ClusterNode(
            String name,
            String address,
            String version,
            boolean owner,
            boolean ready,
            List<CubeLag> lags) {}

    /**
     * The lag of the standby of a cube on one node.
     *
     * @param seconds whole seconds since it had everything that the owner had acknowledged
     */
    public record CubeLag(String cube, long seconds) {}

    /**
     * A cube.
     *
     * @param owner name of the node that has it, or takes it over; while there is none, of the node
     *     at which it is placed
     * @param epoch number of its take-overs, 0 if its log is not in ZooKeeper
     * @param state of a cube of the store's owner: that of the open cube, otherwise its phase. Of
     *     another node: {@code serving}, or {@code opening} until it serves
     * @param placed name of the node at which it is placed; absent if it is where the store is
     */
    public record ClusterCube(
            String cube, String owner, long epoch, String state, Optional<String> placed) {}

    /**
     * Asks that a node shall have the store or a cube.
     *
     * @param node its name
     * @param cube absent for the store
     */
    public record MoveStoreRequest(String node, Optional<String> cube) {}

    /**
     * Asks that a node shall have neither the store nor cubes.
     *
     * @param node its name
     * @param off whether it may have them again
     */
    public record DrainRequest(String node, boolean off) {}

    /**
     * An order that was accepted.
     *
     * @param node that it is about
     * @param owner name of the node that has the store
     * @param handsOver whether that node hands the store over now
     * @param cubes names of the placed cubes that move
     */
    public record HandOver(String node, String owner, boolean handsOver, List<String> cubes) {}
}
