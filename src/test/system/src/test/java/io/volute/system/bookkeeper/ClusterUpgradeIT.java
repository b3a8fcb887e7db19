package io.volute.system.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.Clients;
import io.volute.system.Store;
import io.volute.system.TemporaryStore;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.s3.S3Client;

/** An upgrade: one node after another is stopped and started, the owner last, under load. */
class ClusterUpgradeIT {
    private static final String BUCKET = "upgraded";
    private static final int NODES = 3;
    private static final int CLIENTS = 2;
    private static final int ACKNOWLEDGED_BETWEEN = 10;

    @Test
    void clientsSeeNoErrorWhileOneNodeAfterAnotherIsReplaced() throws Exception {
        BookieCluster bookies = BookieCluster.shared();
        try (TemporaryStore directory = TemporaryStore.create("nodes");
                ClusterNodes nodes = ClusterNodes.start(directory, bookies.zooKeeper(), NODES);
                LoadBalancer balancer = new LoadBalancer(endpoints(nodes));
                S3Client s3 = Clients.sync(balancer.endpoint())) {
            new Store(balancer.endpoint(), s3).create(BUCKET);
            List<SteadyClient> clients = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(new SteadyClient(Clients.sync(balancer.endpoint()), BUCKET));
            }
            int owner = nodes.owner();
            for (int i = 1; i <= NODES; i++) {
                int node = (owner + i) % NODES;
                assertThat(nodes.owner())
                        .as("a stop of another node elects nobody")
                        .isEqualTo(owner);
                assertThat(nodes.node(node).stop()).isZero();
                awaitAcknowledged(clients);
                nodes.restart(node);
                awaitAcknowledged(clients);
            }
            assertThat(nodes.owner()).isNotEqualTo(owner);
            for (SteadyClient each : clients) {
                each.close();
                assertThat(each.errors()).as(nodes.logs()).isEmpty();
                each.requireAll(s3);
            }
        }
    }

    private static List<URI> endpoints(ClusterNodes nodes) {
        return IntStream.range(0, NODES).mapToObj(i -> nodes.node(i).endpoint()).toList();
    }

    private static void awaitAcknowledged(List<SteadyClient> clients) throws InterruptedException {
        for (SteadyClient each : clients) {
            each.awaitAcknowledged(ACKNOWLEDGED_BETWEEN);
        }
    }
}
