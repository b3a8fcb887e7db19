package io.volute.system.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.ServerProcess;
import io.volute.system.TemporaryStore;
import io.volute.system.VoluteCommand;
import io.volute.system.VoluteCommand.Said;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.s3.S3Client;

/**
 * An operator moves cubes and drains their nodes, while clients with the SDK's retries use them.
 */
class CubeOrdersIT {
    private static final int ACKNOWLEDGED_BETWEEN = 8;

    private static List<String> owners(ServerProcess node) throws Exception {
        List<String> owners = new ArrayList<>();
        if (VoluteCommand.json(node, "cluster", "status").get("cubes") instanceof List<?> cubes) {
            for (Object each : cubes) {
                if (each instanceof Map<?, ?> cube) {
                    owners.add(
                            cube.get("cube") + " " + cube.get("owner") + " " + cube.get("state"));
                }
            }
        }
        return owners;
    }

    private static void refuses(ServerProcess node, String why, String... command)
            throws Exception {
        Said said = VoluteCommand.run(node, command);
        assertThat(said.code()).as(said.text()).isEqualTo(1);
        assertThat(said.text()).contains(why);
    }

    @Test
    void cubesMoveByOrderAndLoseNothing() throws Exception {
        BookieCluster bookies = BookieCluster.shared();
        try (TemporaryStore directory = TemporaryStore.create("nodes");
                ClusterNodes nodes = ClusterNodes.start(directory, bookies.zooKeeper(), 3);
                S3Client s3 = nodes.client(2)) {
            ServerProcess any = nodes.node(2);
            for (String cube : List.of("films", "photos")) {
                VoluteCommand.done(any, "cube", "create", cube);
                VoluteCommand.done(any, "bucket", "create", "in-" + cube, "--cube", cube);
            }
            assertThat(owners(any))
                    .containsExactly(
                            "default node0 healthy", "films node0 healthy", "photos node0 healthy");
            try (S3Client first = nodes.client(0);
                    S3Client second = nodes.client(1);
                    SteadyClient one = new SteadyClient(first, "in-photos");
                    SteadyClient two = new SteadyClient(second, "in-films")) {
                awaitAll(List.of(one, two));
                assertThat(VoluteCommand.done(any, "cluster", "move", "photos", "node1"))
                        .contains("node node1 has cube photos");
                assertThat(owners(any)).contains("photos node1 serving", "films node0 healthy");
                awaitAll(List.of(one, two));
                VoluteCommand.done(any, "cluster", "move", "films", "node1");
                awaitAll(List.of(one, two));
                assertThat(VoluteCommand.done(any, "cluster", "drain", "node1"))
                        .contains("node node1 is drained", "films", "photos");
                assertThat(owners(any)).noneMatch(each -> each.contains("node1"));
                awaitAll(List.of(one, two));
                VoluteCommand.done(any, "cluster", "move", "node2");
                VoluteCommand.done(any, "cluster", "drain", "node1", "--off");
                VoluteCommand.run(any, "cluster", "move", "photos", "node2");
                VoluteCommand.done(any, "cluster", "move", "films", "node1");
                awaitAll(List.of(one, two));
                assertThat(owners(any))
                        .containsExactly(
                                "default node2 healthy",
                                "films node1 serving",
                                "photos node2 healthy");
                assertThat(one.errors()).as(nodes.logs()).isEmpty();
                assertThat(two.errors()).as(nodes.logs()).isEmpty();
                one.requireAll(s3);
                two.requireAll(s3);
            } catch (AssertionError e) {
                throw new AssertionError(nodes.logs(), e);
            }
            refuses(any, "no cube nope: there are", "cluster", "move", "nope", "node1");
            refuses(any, "volute cluster move node1", "cluster", "move", "default", "node1");
            refuses(any, "no node node7 runs", "cluster", "move", "films", "node7");
            refuses(any, "has cube films already", "cluster", "move", "films", "node1");
        }
    }

    private static void awaitAll(List<SteadyClient> clients) throws Exception {
        for (SteadyClient each : clients) {
            each.awaitAcknowledged(ACKNOWLEDGED_BETWEEN);
        }
    }
}
