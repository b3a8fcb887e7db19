package io.volute.system.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.system.ServerProcess;
import io.volute.system.TemporaryStore;
import io.volute.system.VoluteCommand;
import io.volute.system.VoluteCommand.Said;
import java.util.Map;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.ServerSideEncryption;

/** Encrypted objects in cubes of two nodes, which change one keyring and have it in memory. */
class ClusterKeysIT {
    /** A node that hangs is still an owner when an erasure has waited for it. */
    private static final Map<String, String> LONG_SESSION =
            Map.of("VOLUTE_LOG_BOOKKEEPER_SESSION_TIMEOUT", "40s");

    private static void put(S3Client s3, String bucket, String key) {
        s3.putObject(
                each ->
                        each.bucket(bucket)
                                .key(key)
                                .serverSideEncryption(ServerSideEncryption.AES256),
                RequestBody.fromString("content of " + key));
    }

    private static void requireReadable(S3Client s3, String bucket, String key) {
        assertThat(s3.getObjectAsBytes(each -> each.bucket(bucket).key(key)).asUtf8String())
                .isEqualTo("content of " + key);
    }

    private static void requireErased(S3Client s3, String bucket, String key) {
        assertThatThrownBy(() -> s3.getObjectAsBytes(each -> each.bucket(bucket).key(key)))
                .isInstanceOfSatisfying(
                        S3Exception.class,
                        e -> assertThat(e.awsErrorDetails().errorCode()).contains("InvalidObject"));
    }

    private static void shred(ServerProcess node, String object) throws Exception {
        assertThat(VoluteCommand.done(node, "shred", "s3://" + object, "--yes"))
                .contains("shredded");
    }

    @Test
    void anErasureReachesTheMemoryOfAllOwners() throws Exception {
        BookieCluster bookies = BookieCluster.shared();
        try (TemporaryStore directory = TemporaryStore.create("nodes");
                ClusterNodes nodes =
                        ClusterNodes.start(
                                directory, bookies.zooKeeper(), 2, each -> LONG_SESSION);
                S3Client s3 = nodes.client(0)) {
            ServerProcess store = nodes.node(0);
            VoluteCommand.done(store, "cube", "create", "hot");
            VoluteCommand.done(store, "bucket", "create", "photos", "--cube", "hot");
            VoluteCommand.done(store, "bucket", "create", "records");
            for (String key : new String[] {"a", "b"}) {
                put(s3, "photos", key);
                requireReadable(s3, "photos", key);
            }
            nodes.awaitStandbys();
            try {
                VoluteCommand.done(store, "cluster", "move", "hot", "node1");
                bothNodesChangeTheKeyring(nodes, s3);
                theNextOwnerHasNoErasedKey(nodes, s3);
                anErasureWaitsForANodeThatHangs(nodes, s3);
            } catch (AssertionError e) {
                throw new AssertionError(nodes.logs(), e);
            }
        }
    }

    private static void bothNodesChangeTheKeyring(ClusterNodes nodes, S3Client s3)
            throws Exception {
        ServerProcess store = nodes.node(0);
        VoluteCommand.done(store, "encryption", "rotate", "aws/s3");
        put(s3, "records", "c");
        put(s3, "records", "d");
        put(s3, "photos", "c");
        shred(store, "records/c");
        shred(store, "photos/a");
        requireErased(s3, "records", "c");
        requireErased(s3, "photos", "a");
        for (String key : new String[] {"b", "c"}) {
            requireReadable(s3, "photos", key);
        }
        requireReadable(s3, "records", "d");
    }

    /** The node of the store had opened the keys of these objects before they were moved. */
    private static void theNextOwnerHasNoErasedKey(ClusterNodes nodes, S3Client s3)
            throws Exception {
        VoluteCommand.done(nodes.node(0), "cluster", "move", "hot", "node0");
        requireErased(s3, "photos", "a");
        for (String key : new String[] {"b", "c"}) {
            requireReadable(s3, "photos", key);
        }
    }

    private static void anErasureWaitsForANodeThatHangs(ClusterNodes nodes, S3Client s3)
            throws Exception {
        ServerProcess store = nodes.node(0);
        VoluteCommand.done(store, "cluster", "move", "hot", "node1");
        ServerProcess hanging = nodes.node(1);
        ServerProcess.signal("STOP", hanging.pid());
        try {
            assertThat(VoluteCommand.run(store, "shred", "s3://records/d", "--yes"))
                    .satisfies(said -> assertThat(said.code()).isNotZero())
                    .extracting(Said::text, InstanceOfAssertFactories.STRING)
                    .contains("destroyed in the keyring")
                    .contains("node1")
                    .contains("Repeat the request");
            requireErased(s3, "records", "d");
        } finally {
            ServerProcess.signal("CONT", hanging.pid());
        }
        shred(store, "records/d");
    }
}
