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
            @Described("Name of the node that has the store") String owner,
            @Described("Instant at which the owner had the store open") Instant since,
            @Described("Time from the election of the owner until the store was open")
                    long takeOverMillis,
            @Described("After which ZooKeeper gives up a node that does not answer")
                    long sessionMillis,
            List<ClusterNode> nodes,
            @Described(
                            "Names of the nodes that may have neither the store nor"
                                    + " cubes, running or not")
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
            @Described("Address of the listener for other nodes") String address,
            @Described("Version of the program") String version,
            @Described("True if the node has the store") boolean owner,
            @Described("True if a take-over by the node need not build an index") boolean ready,
            @Described(
                            "Lag of the standby of each cube in the last five seconds;"
                                    + " empty for the owner")
                    List<CubeLag> lags) {}

    /**
     * The lag of the standby of a cube on one node.
     *
     * @param seconds whole seconds since it had everything that the owner had acknowledged
     */
    public record CubeLag(
            String cube,
            @Described("Since it had everything that the owner had acknowledged") long seconds) {}

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
            String cube,
            @Described(
                            "Name of the node that has it or takes it over; while"
                                    + " there is none, of the node at which it is placed")
                    String owner,
            @Described("Number of its take-overs, 0 if its log is not in ZooKeeper") long epoch,
            @Described(
                            "At the owner of the store, of an open cube, otherwise its"
                                    + " phase; at another node, `serving` or `opening`")
                    String state,
            @Described(
                            "Name of the node at which it is placed; absent if it is"
                                    + " where the store is")
                    Optional<String> placed) {}

    /**
     * Asks that a node shall have the store or a cube.
     *
     * @param node its name
     * @param cube absent for the store
     */
    public record MoveStoreRequest(
            @Described("New owner of the store or the cube") String node,
            @Described("Without it, the store") Optional<String> cube) {}

    /**
     * Asks that a node shall have neither the store nor cubes.
     *
     * @param node its name
     * @param off whether it may have them again
     */
    public record DrainRequest(
            @Described("Node without the store and cubes") String node,
            @Described("True if the node may have them again") boolean off) {}

    /**
     * An order that was accepted.
     *
     * @param node that it is about
     * @param owner name of the node that has the store
     * @param handsOver whether that node hands the store over now
     * @param cubes names of the placed cubes that move
     */
    public record HandOver(
            @Described("Node of the order") String node,
            @Described("Name of the node that has the store") String owner,
            @Described("True if that node hands the store over now") boolean handsOver,
            @Described("Names of the placed cubes that move") List<String> cubes) {}

    /**
     * An owner whose part an answer does not have.
     *
     * @param node its name; empty if no node serves the cubes now
     * @param cubes the placed cubes that it owns
     * @param why the reason, in words
     */
    public record MissingOwner(
            @Described("Name of the node; absent if none serves the cubes now")
                    Optional<String> node,
            @Described("Placed cubes that it owns") List<String> cubes,
            @Described("Reason") String why) {
        /** Returns the owner and the reason in a sentence without its end. */
        public String words() {
            String names = String.join(", ", cubes);
            return node.map(name -> "Node " + name + (names.isEmpty() ? "" : " with " + names))
                            .orElse("The owner of " + names)
                    + " is missing: "
                    + why;
        }
    }
}
