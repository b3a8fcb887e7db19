package io.volute.bookkeeper;

import java.time.Duration;

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
        long mirrorBytes) {

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

    String cubePath(String cube) {
        return path + "/cubes/" + cube;
    }
}
