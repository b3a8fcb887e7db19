package io.volute.bookkeeper;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The settings of the clients of ZooKeeper and BookKeeper.
 *
 * @param zooKeeper servers, as HOST:PORT with commas between them
 * @param path node below which the cubes and the ledgers are, as /volute
 * @param session time after which ZooKeeper gives up a process that does not answer
 * @param security TLS with the servers
 * @param ensemble bookies of one ledger
 * @param writeQuorum bookies that get each entry
 * @param ackQuorum bookies that must have an entry on disk before it counts
 * @param owner name of this server for people, as HOST:PORT
 * @param cluster the node of a cluster that this server is; empty for none
 * @param mirrorBytes bytes that the local mirrors of sealed segments of one cube take at most
 */
public record BookKeeperSettings(
        String zooKeeper,
        String path,
        Duration session,
        ClientSecurity security,
        int ensemble,
        int writeQuorum,
        int ackQuorum,
        String owner,
        Optional<InCluster> cluster,
        long mirrorBytes) {

    /**
     * A node of a cluster, as its cubes need it.
     *
     * @param name of the node
     * @param lease returns whether the node has the lease of the store or of that cube
     */
    public record InCluster(String name, Predicate<String> lease) {}

    public BookKeeperSettings {
        if (ackQuorum < 1 || writeQuorum < ackQuorum || ensemble < writeQuorum) {
            throw new IllegalArgumentException(
                    "the ensemble of "
                            + ensemble
                            + ", the write quorum of "
                            + writeQuorum
                            + " and the ack quorum of "
                            + ackQuorum
                            + " must not grow");
        }
    }

    /** Returns the address of the metadata of ledgers. */
    String metadataUri() {
        return "zk+longhierarchical://" + zooKeeper.replace(',', ';') + ledgersPath();
    }

    String ledgersPath() {
        return path + "/ledgers";
    }

    /** Returns the content of the node that shows who has a cube open. */
    byte[] ownerText() {
        return (owner + cluster.map(node -> "\n" + mark(node.name())).orElse(""))
                .getBytes(StandardCharsets.UTF_8);
    }

    /** Returns whether a node of a cluster wrote such a content. */
    static boolean isOf(byte[] ownerText, String node) {
        return new String(ownerText, StandardCharsets.UTF_8)
                .lines()
                .skip(1)
                .anyMatch(mark(node)::equals);
    }

    private static String mark(String node) {
        return "node " + node;
    }

    String cubePath(String cube) {
        return path + "/cubes/" + cube;
    }
}
