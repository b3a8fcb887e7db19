package io.volute.distribution.cluster;

import io.volute.server.http.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The ports of a cluster on this machine: S3 of the nodes from the first one on, and the others a
 * hundred and more above.
 *
 * @param first port of S3 of the first node
 */
record ClusterPorts(int first) {
    static final int NODES = 3;
    static final int BOOKIES = 3;
    private static final int HOPS = 100;
    private static final int METRICS = 110;
    private static final int ZOOKEEPER = 120;
    private static final int BOOKIE = 130;

    int s3(int node) {
        return first + node;
    }

    int hops(int node) {
        return first + HOPS + node;
    }

    int metrics(int node) {
        return first + METRICS + node;
    }

    int zooKeeper() {
        return first + ZOOKEEPER;
    }

    int bookie(int number) {
        return first + BOOKIE + number;
    }

    /** Fails if a port is taken. */
    void requireFree() throws IOException {
        List<Integer> all =
                IntStream.range(0, NODES)
                        .flatMap(i -> IntStream.of(s3(i), hops(i), metrics(i), bookie(i)))
                        .boxed()
                        .toList();
        for (int port : all) {
            requireFree(port);
        }
        requireFree(zooKeeper());
    }

    private void requireFree(int port) throws IOException {
        try {
            HttpServer.requireFree(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        } catch (IOException e) {
            throw new IOException(
                    "port "
                            + port
                            + " is taken: stop the program that has it, or choose others with"
                            + " --port (the cluster uses "
                            + first
                            + " to "
                            + bookie(BOOKIES - 1)
                            + ")",
                    e);
        }
    }
}
