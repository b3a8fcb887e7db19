package io.volute.system;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.BucketVersioningStatus;
import software.amazon.awssdk.services.s3.model.DeleteMarkerReplicationStatus;
import software.amazon.awssdk.services.s3.model.ReplicationRule;
import software.amazon.awssdk.services.s3.model.ReplicationRuleStatus;

/** Servers and buckets that replicate to each other. */
public final class ReplicatedStores {
    private ReplicatedStores() {}

    /**
     * Returns options of a server with the targets {@code peer}, another Volute, and {@code plain},
     * the same server as one of S3.
     *
     * @param name of its data directory
     * @param peer port of the other server
     */
    public static ServerProcess.Options options(TemporaryStore work, String name, int peer)
            throws IOException {
        Path secret = work.path().resolve(name + ".credential");
        Files.writeString(secret, ServerProcess.ACCESS_KEY + ":" + ServerProcess.SECRET_KEY);
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
        Path config =
                Files.writeString(
                        work.path().resolve(name + ".conf"),
                        """
                        replication.targets = [
                          { name = peer, endpoint = "http://127.0.0.1:%1$d",
                            credential-file = "%2$s", allow-http = true, allow-loopback = true },
                          { name = plain, endpoint = "http://127.0.0.1:%1$d", type = s3,
                            credential-file = "%2$s", allow-http = true, allow-loopback = true }
                        ]
                        """
                                .formatted(peer, secret));
        return ServerProcess.Options.of(work.path().resolve(name))
                .underLoad()
                .withArguments("--config", config.toString());
    }

    /** Creates a bucket with versioning. */
    public static void create(S3Client s3, String bucket) {
        s3.createBucket(create -> create.bucket(bucket));
        s3.putBucketVersioning(
                put ->
                        put.bucket(bucket)
                                .versioningConfiguration(
                                        to -> to.status(BucketVersioningStatus.ENABLED)));
    }

    /** Replicates a bucket, delete markers included. */
    public static void replicate(S3Client s3, String bucket, String arn) {
        ReplicationRule rule =
                ReplicationRule.builder()
                        .priority(1)
                        .filter(filter -> filter.prefix(""))
                        .status(ReplicationRuleStatus.ENABLED)
                        .deleteMarkerReplication(
                                markers -> markers.status(DeleteMarkerReplicationStatus.ENABLED))
                        .destination(to -> to.bucket(arn))
                        .build();
        s3.putBucketReplication(
                put ->
                        put.bucket(bucket)
                                .replicationConfiguration(
                                        all ->
                                                all.role("arn:aws:iam::000000000000:role/any")
                                                        .rules(rule)));
    }
}
