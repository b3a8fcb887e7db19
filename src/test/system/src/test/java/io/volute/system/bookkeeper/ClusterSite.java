package io.volute.system.bookkeeper;

import io.volute.system.Clients;
import io.volute.system.ServerProcess;
import io.volute.system.TemporaryStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import software.amazon.awssdk.services.s3.S3Client;

/**
 * A cluster, whose nodes reach ZooKeeper through a relay each.
 *
 * @param once a client of each node without retries
 */
record ClusterSite(
        BookieCluster bookies, ClusterNodes nodes, List<TcpRelay> relays, List<S3Client> once)
        implements AutoCloseable {
    static final int NODES = 3;

    /** A condition that the end of a fault waits for. */
    interface Wait {
        void await() throws Exception;
    }

    static ClusterSite start(TemporaryStore directory, BookieCluster bookies) throws IOException {
        List<TcpRelay> relays = new ArrayList<>();
        for (int i = 0; i < NODES; i++) {
            relays.add(TcpRelay.to(bookies.zooKeeperPort()));
        }
        ClusterNodes nodes =
                ClusterNodes.start(
                        directory,
                        bookies.zooKeeper(),
                        NODES,
                        node ->
                                Map.of(
                                        "VOLUTE_LOG_BOOKKEEPER_ZOOKEEPER",
                                        "127.0.0.1:" + relays.get(node).port()));
        List<S3Client> once = new ArrayList<>();
        for (int i = 0; i < NODES; i++) {
            once.add(Clients.once(nodes.node(i).endpoint()));
        }
        return new ClusterSite(bookies, nodes, relays, once);
    }

    /** Kills a node, and starts it again. */
    void kill(int node, Wait until) throws Exception {
        nodes.node(node).kill();
        until.await();
        nodes.restart(node);
    }

    /** Suspends a process. */
    static void stop(long process, Wait until) throws Exception {
        ServerProcess.signal("STOP", process);
        try {
            until.await();
        } finally {
            ServerProcess.signal("CONT", process);
        }
    }

    /** Cuts a node off from ZooKeeper. */
    void cutOff(int node, Wait until) throws Exception {
        relays.get(node).cut();
        try {
            until.await();
        } finally {
            relays.get(node).mend();
        }
    }

    /** Kills a bookie, and starts it again. */
    void killBookie(int bookie, Wait until) throws Exception {
        bookies.killBookie(bookie);
        until.await();
        bookies.startBookie(bookie);
    }

    @Override
    public void close() throws IOException {
        once.forEach(S3Client::close);
        nodes.close();
        for (TcpRelay each : relays) {
            each.close();
        }
    }
}
