package io.volute.bookkeeper;

import java.time.Duration;

/**
 * The settings of a node's membership in a cluster.
 *
 * @param zooKeeper servers, as HOST:PORT with commas between them
 * @param path node below which the cluster is, as /volute
 * @param session time after which ZooKeeper gives up a node that does not answer
 * @param lease for which the owner may answer after each renewal; at most half of a session counts
 * @param security TLS with ZooKeeper
 * @param name of this node, unique in the cluster
 * @param address of this node's listener for other nodes, as HOST:PORT
 * @param version of this program, for people
 */
public record ClusterSettings(
        String zooKeeper,
        String path,
        Duration session,
        Duration lease,
        ClientSecurity security,
        String name,
        String address,
        String version) {

    /**
     * Returns the time of a lease.
     *
     * @param agreed the session as ZooKeeper has granted it
     */
    Duration leaseIn(Duration agreed) {
        Duration most = agreed.dividedBy(2);
        return lease.compareTo(most) < 0 ? lease : most;
    }

    String cubesPath() {
        return path + "/cubes";
    }

    String clusterPath() {
        return path + "/cluster";
    }

    String nodesPath() {
        return clusterPath() + "/nodes";
    }

    String nodePath() {
        return nodesPath() + "/" + name;
    }

    String drainedPath() {
        return clusterPath() + "/drained";
    }

    String wantedPath() {
        return clusterPath() + "/wanted";
    }

    String leasePath() {
        return clusterPath() + "/lease";
    }

    String ownerPath() {
        return clusterPath() + "/owner";
    }

    /** Returns the parent of what nodes share about placed cubes. */
    String placedPath() {
        return clusterPath() + "/cubes";
    }

    String placedPath(String cube) {
        return placedPath() + "/" + cube;
    }

    String placementPath(String cube) {
        return placedPath(cube) + "/node";
    }

    String ownerPath(String cube) {
        return placedPath(cube) + "/owner";
    }

    String leasePath(String cube) {
        return placedPath(cube) + "/lease";
    }
}
