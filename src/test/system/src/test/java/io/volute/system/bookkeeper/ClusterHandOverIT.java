package io.volute.system.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.ServerProcess;
import io.volute.system.Store;
import io.volute.system.TemporaryStore;
import io.volute.system.VoluteCommand;
import io.volute.system.VoluteCommand.Said;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.s3.S3Client;

/** An operator moves the store and drains nodes, while clients with the SDK's retries use it. */
class ClusterHandOverIT {
    private static final String BUCKET = "shared";
    private static final int ACKNOWLEDGED_BETWEEN = 8;

    private final List<SteadyClient> clients = new ArrayList<>();

    /** Orders of the operator, while a client of each node is at work. */
    private interface Orders {
        void run() throws Exception;
    }

    private void underLoad(ClusterNodes nodes, Orders orders) throws Exception {
        try (S3Client first = nodes.client(0);
                S3Client second = nodes.client(1);
                SteadyClient one = new SteadyClient(first, BUCKET);
                SteadyClient two = new SteadyClient(second, BUCKET)) {
            one.awaitAcknowledged(ACKNOWLEDGED_BETWEEN);
            two.awaitAcknowledged(ACKNOWLEDGED_BETWEEN);
            orders.run();
            one.awaitAcknowledged(ACKNOWLEDGED_BETWEEN);
            two.awaitAcknowledged(ACKNOWLEDGED_BETWEEN);
            clients.add(one);
            clients.add(two);
        } catch (AssertionError e) {
            throw new AssertionError(nodes.logs(), e);
        }
    }

    private static String owner(ServerProcess node) throws Exception {
        return String.valueOf(VoluteCommand.json(node, "cluster", "status").get("owner"));
    }

    private static void refuses(ServerProcess node, String why, String... command)
            throws Exception {
        Said said = VoluteCommand.run(node, command);
        assertThat(said.code()).isEqualTo(1);
        assertThat(said.text()).contains(why);
    }

    @Test
    void movesAndDrainsLoseNothingAndGiveNoErrors() throws Exception {
        BookieCluster bookies = BookieCluster.shared();
        try (TemporaryStore directory = TemporaryStore.create("nodes");
                ClusterNodes nodes = ClusterNodes.start(directory, bookies.zooKeeper(), 3);
                S3Client s3 = nodes.client(2)) {
            new Store(nodes.node(0).endpoint(), s3).create(BUCKET);
            ServerProcess any = nodes.node(2);
            assertThat(owner(any)).isEqualTo("node0");
            // An upgrade goes on with the next node when this one shows the new version.
            String version = VoluteCommand.runAlone("version").text().replace("volute", "").strip();
            assertThat(VoluteCommand.done(any, "cluster", "nodes")).contains("  " + version + "  ");
            underLoad(
                    nodes,
                    () -> {
                        VoluteCommand.done(any, "cluster", "move", "node1");
                        assertThat(owner(any)).isEqualTo("node1");
                        VoluteCommand.done(any, "cluster", "move", "node0");
                        assertThat(owner(any)).isEqualTo("node0");
                    });
            underLoad(
                    nodes,
                    () -> {
                        VoluteCommand.done(any, "cluster", "drain", "node1");
                        VoluteCommand.done(any, "cluster", "drain", "node0");
                        assertThat(owner(any)).isEqualTo("node2");
                    });
            for (SteadyClient each : clients) {
                assertThat(each.errors()).as(nodes.logs()).isEmpty();
                each.requireAll(s3);
            }
            refusesWhatNoNodeCanDo(nodes);
            drainsStayThroughRestarts(nodes);
        }
    }

    private static void refusesWhatNoNodeCanDo(ClusterNodes nodes) throws Exception {
        ServerProcess any = nodes.node(1);
        refuses(any, "no node node7 runs: there are [node0, node1", "cluster", "move", "node7");
        refuses(any, "node node2 has the store already", "cluster", "move", "node2");
        refuses(any, "volute cluster drain node0 --off", "cluster", "move", "node0");
        refuses(any, "no other node could have the store", "cluster", "drain", "node2");
        refuses(any, "node node2 is not drained", "cluster", "drain", "node2", "--off");
    }

    /** A drained node that starts again does not take the store from one that is not drained. */
    private static void drainsStayThroughRestarts(ClusterNodes nodes) throws Exception {
        assertThat(nodes.node(0).stop()).isZero();
        nodes.restart(0);
        ServerProcess any = nodes.node(1);
        Map<String, Object> status = VoluteCommand.json(any, "cluster", "status");
        assertThat(status).containsEntry("drained", List.of("node0", "node1"));
        VoluteCommand.done(any, "cluster", "drain", "node1", "--off");
        nodes.node(2).kill();
        assertThat(owner(nodes.node(0))).isEqualTo("node1");
        // Only a drained node is left.
        nodes.node(1).kill();
        assertThat(owner(nodes.node(0))).isEqualTo("node0");
    }
}
