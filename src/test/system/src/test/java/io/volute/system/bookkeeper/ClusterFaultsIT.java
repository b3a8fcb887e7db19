package io.volute.system.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.Store;
import io.volute.system.TemporaryStore;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;

/**
 * A client with the retries of every SDK, while each process of a cluster is killed and started
 * again in turn; and the time until writes are acknowledged after the loss of an owner. Longer with
 * {@code -Dvolute.takeOver.objects=100000 -Dvolute.takeOver.runs=30}.
 */
class ClusterFaultsIT {
    private static final String BUCKET = "shared";
    private static final int OBJECTS = Integer.getInteger("volute.takeOver.objects", 500);
    private static final int RUNS = Integer.getInteger("volute.takeOver.runs", 2);
    private static final int OBJECT_BYTES = 1024;
    private static final int ACKNOWLEDGED_BETWEEN = 8;

    /** An action of the operator, or of misfortune. */
    private interface Action {
        void run() throws IOException;
    }

    @Test
    void nothingIsLostAndNoErrorIsSeenWhileEachProcessIsKilled() throws Exception {
        try (TemporaryStore servers = TemporaryStore.create("bookies");
                TemporaryStore directory = TemporaryStore.create("nodes");
                BookieCluster bookies =
                        BookieCluster.start(Files.createDirectories(servers.data()));
                ClusterNodes nodes = ClusterNodes.start(directory, bookies.zooKeeper(), 3)) {
            try (S3Client s3 = nodes.client(0)) {
                new Store(nodes.node(0).endpoint(), s3).create(BUCKET);
            }
            List<SteadyClient> clients = new ArrayList<>();
            int first = nodes.owner();
            clients.add(
                    during(
                            nodes,
                            (first + 1) % 3,
                            () -> nodes.node(first).kill(),
                            () -> nodes.restart(first)));
            int next = nodes.owner();
            int other = (next + 1) % 3;
            clients.add(
                    during(
                            nodes,
                            (next + 2) % 3,
                            () -> nodes.node(other).kill(),
                            () -> nodes.restart(other)));
            for (int i = 0; i < 3; i++) {
                int bookie = i;
                clients.add(
                        during(
                                nodes,
                                other,
                                () -> bookies.killBookie(bookie),
                                () -> bookies.startBookie(bookie)));
            }
            clients.add(during(nodes, other, bookies::killZooKeeper, bookies::startZooKeeper));
            try (S3Client s3 = nodes.client(other)) {
                for (SteadyClient each : clients) {
                    assertThat(each.errors()).isEmpty();
                    each.requireAll(s3);
                }
            }
        }
    }

    /** Runs a client before, during and after the loss of a process. */
    private static SteadyClient during(ClusterNodes nodes, int node, Action loss, Action repair)
            throws Exception {
        try (S3Client s3 = nodes.client(node);
                SteadyClient client = new SteadyClient(s3, BUCKET)) {
            client.awaitAcknowledged(ACKNOWLEDGED_BETWEEN);
            loss.run();
            repair.run();
            client.awaitAcknowledged(ACKNOWLEDGED_BETWEEN);
            return client;
        } catch (AssertionError e) {
            throw new AssertionError(nodes.logs(), e);
        }
    }

    @Test
    void anotherNodeAcknowledgesWritesSoonAfterTheLossOfTheOwner() throws Exception {
        try (TemporaryStore servers = TemporaryStore.create("bookies");
                TemporaryStore directory = TemporaryStore.create("nodes");
                BookieCluster bookies =
                        BookieCluster.start(Files.createDirectories(servers.data()));
                ClusterNodes nodes = ClusterNodes.start(directory, bookies.zooKeeper(), 3)) {
            try (S3Client s3 = nodes.client(0)) {
                new Store(nodes.node(0).endpoint(), s3).create(BUCKET);
                byte[] content = new byte[OBJECT_BYTES];
                new SplittableRandom(1).nextBytes(content);
                SteadyClient.putMany(s3, BUCKET, OBJECTS, content);
            }
            List<Long> millis = new ArrayList<>();
            nodes.awaitStandbys();
            for (int run = 0; run < RUNS; run++) {
                int lost = nodes.owner();
                try (S3Client s3 = nodes.client((lost + 1) % 3)) {
                    String key = "after-" + run;
                    nodes.node(lost).kill();
                    long begun = System.nanoTime();
                    s3.putObject(
                            request -> request.bucket(BUCKET).key(key),
                            RequestBody.fromString(key));
                    millis.add((System.nanoTime() - begun) / 1_000_000);
                }
                nodes.restart(lost);
                nodes.awaitStandbys();
            }
            Collections.sort(millis);
            System.out.printf(
                    "take-over with %d objects: median %d ms, worst %d ms of %d%n",
                    OBJECTS, millis.get(millis.size() / 2), millis.getLast(), RUNS);
            assertThat(millis).hasSize(RUNS);
        }
    }
}
