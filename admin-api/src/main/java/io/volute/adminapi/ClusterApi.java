package io.volute.adminapi;

import java.time.Instant;
import java.util.List;

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
     */
    public record Cluster(
            String owner,
            Instant since,
            long takeOverMillis,
            long sessionMillis,
            List<ClusterNode> nodes) {}

    /**
     * A node.
     *
     * @param address of its listener for other nodes
     * @param version of its program
     * @param owner whether it has the store
     */
    public record ClusterNode(String name, String address, String version, boolean owner) {}
}
