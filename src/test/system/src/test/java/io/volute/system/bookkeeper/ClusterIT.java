package io.volute.system.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.system.ServerProcess;
import io.volute.system.Store;
import io.volute.system.TemporaryStore;
import java.io.IOException;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;

/**
 * Three nodes with one store: forwarding, reads from a standby, take-over, and starts that are
 * refused.
 */
class ClusterIT {
    private static final String BUCKET = "shared";

    private final Map<String, byte[]> acknowledged = new TreeMap<>();

    private void put(S3Client s3, String key, int bytes) {
        byte[] content = new byte[bytes];
        new SplittableRandom(key.hashCode()).nextBytes(content);
        s3.putObject(request -> request.bucket(BUCKET).key(key), RequestBody.fromBytes(content));
        acknowledged.put(key, content);
    }

    private void requireAll(S3Client s3) {
        acknowledged.forEach(
                (key, content) ->
                        assertThat(
                                        s3.getObjectAsBytes(
                                                        request -> request.bucket(BUCKET).key(key))
                                                .asByteArray())
                                .as(key)
                                .isEqualTo(content));
    }

    private void putSome(S3Client s3, String prefix) {
        for (int i = 0; i < 10; i++) {
            put(s3, prefix + i, 4096);
        }
        put(s3, prefix + "large", 9_000_000);
    }

    @Test
    void anotherNodeTakesOverWhenTheOwnerIsLost() throws Exception {
        BookieCluster bookies = BookieCluster.shared();
        try (TemporaryStore directory = TemporaryStore.create("nodes");
                ClusterNodes nodes = ClusterNodes.start(directory, bookies.zooKeeper(), 3);
                S3Client first = nodes.client(0);
                S3Client second = nodes.client(1);
                S3Client third = nodes.client(2)) {
            new Store(nodes.node(1).endpoint(), second).create(BUCKET);
            putSome(first, "first-");
            putSome(second, "second-");
            requireAll(third);

            nodes.awaitStandbys();
            new StandbyReader(nodes.node(0), nodes.node(1)).check();
            nodes.node(0).kill();
            putSome(second, "after-kill-");
            requireAll(third);
            requireAll(second);
            assertThat(nodes.node(nodes.owner()).log())
                    .contains("entries replayed")
                    .doesNotContain("rebuilding the index");

            refusesTwoNodesWithOneName(nodes);
            refusesOtherKeys(nodes);

            nodes.restart(0);
            int owner = nodes.node(1).log().contains("this node has the store") ? 1 : 2;
            try (S3Client back = nodes.client(0)) {
                requireAll(back);
                assertThat(nodes.node(owner).stop()).isZero();
                putSome(back, "after-stop-");
                nodes.restart(owner);
                requireAll(back);
            }
        }
    }

    private static void refusesTwoNodesWithOneName(ClusterNodes nodes) throws IOException {
        ServerProcess.Options twin = nodes.options(1, ClusterNodes.SECRET);
        assertThatThrownBy(() -> ServerProcess.start(twin))
                .hasMessageContaining("another node with the name node1 runs at 127.0.0.1:")
                .hasMessageContaining("choose another cluster.name");
    }

    private static void refusesOtherKeys(ClusterNodes nodes) throws IOException {
        ServerProcess.Options stranger = nodes.options(4, ClusterNodes.SECRET);
        assertThatThrownBy(() -> ServerProcess.start(stranger))
                .hasMessageContaining("the master key")
                .hasMessageContaining("is missing");
        nodes.copyKeys(5);
        ServerProcess.Options outsider = nodes.options(5, "another-secret-than-theirs");
        assertThatThrownBy(() -> ServerProcess.start(outsider))
                .hasMessageContaining("cluster.secret-file is not that of the cluster")
                .hasMessageContaining("Copy the directory 'keys'");
    }
}
