package io.volute.system.s3;

import static io.volute.system.Store.refused;
import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.Clients;
import io.volute.system.ServerProcess;
import io.volute.system.SharedServer;
import io.volute.system.Store;
import io.volute.system.TemporaryStore;
import io.volute.system.VoluteCommand;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.BucketVersioningStatus;
import software.amazon.awssdk.services.s3.model.DefaultRetention;
import software.amazon.awssdk.services.s3.model.DeleteObjectsResponse;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.ObjectIdentifier;
import software.amazon.awssdk.services.s3.model.ObjectLockConfiguration;
import software.amazon.awssdk.services.s3.model.ObjectLockEnabled;
import software.amazon.awssdk.services.s3.model.ObjectLockLegalHoldStatus;
import software.amazon.awssdk.services.s3.model.ObjectLockMode;
import software.amazon.awssdk.services.s3.model.ObjectLockRetention;
import software.amazon.awssdk.services.s3.model.ObjectLockRetentionMode;

/** Tests Object Lock through the AWS SDK as the root user. It binds that user like all others. */
@ExtendWith(SharedServer.class)
class ObjectLockIT {
    private static final Instant UNTIL =
            Instant.now().plus(Duration.ofDays(40)).truncatedTo(ChronoUnit.SECONDS);

    private final Store store;
    private final S3Client s3;

    ObjectLockIT(Store store) {
        this.store = store;
        this.s3 = store.s3();
    }

    /** A bucket that gets Object Lock when it is there already. */
    private String lockedBucket() {
        String bucket = store.versionedBucket();
        configure(bucket, to -> {});
        return bucket;
    }

    private void configure(String bucket, Consumer<ObjectLockConfiguration.Builder> terms) {
        s3.putObjectLockConfiguration(
                put ->
                        put.bucket(bucket)
                                .objectLockConfiguration(
                                        to ->
                                                terms.accept(
                                                        to.objectLockEnabled(
                                                                ObjectLockEnabled.ENABLED))));
    }

    private void retain(String bucket, ObjectLockRetentionMode mode, Instant until) {
        s3.putObjectRetention(
                put ->
                        put.bucket(bucket)
                                .key("key")
                                .retention(to -> to.mode(mode).retainUntilDate(until)));
    }

    private void hold(String bucket, ObjectLockLegalHoldStatus status) {
        s3.putObjectLegalHold(
                put -> put.bucket(bucket).key("key").legalHold(to -> to.status(status)));
    }

    private void delete(String bucket, String version, boolean bypass) {
        s3.deleteObject(
                delete ->
                        delete.bucket(bucket)
                                .key("key")
                                .versionId(version)
                                .bypassGovernanceRetention(bypass));
    }

    private HeadObjectResponse head(String bucket) {
        return s3.headObject(head -> head.bucket(bucket).key("key"));
    }

    @Test
    void governanceGivesWayToWhoMayAndSaysSo() {
        String bucket = lockedBucket();
        String version = store.put(bucket, "key", "body").versionId();
        retain(bucket, ObjectLockRetentionMode.GOVERNANCE, UNTIL);
        ObjectLockRetention kept =
                s3.getObjectRetention(get -> get.bucket(bucket).key("key")).retention();
        assertThat(kept.mode()).isEqualTo(ObjectLockRetentionMode.GOVERNANCE);
        assertThat(kept.retainUntilDate()).isEqualTo(UNTIL);
        refused(403, "AccessDenied", () -> delete(bucket, version, false));
        Instant sooner = UNTIL.minus(Duration.ofDays(1));
        refused(
                403,
                "AccessDenied",
                () -> retain(bucket, ObjectLockRetentionMode.GOVERNANCE, sooner));
        delete(bucket, version, true);
        refused(404, "NoSuchVersion", () -> store.version(bucket, "key", version));
    }

    @Test
    void complianceAndLegalHoldBindTheRoot() {
        String bucket = lockedBucket();
        String version = store.put(bucket, "key", "body").versionId();
        retain(bucket, ObjectLockRetentionMode.COMPLIANCE, UNTIL);
        hold(bucket, ObjectLockLegalHoldStatus.ON);
        assertThat(head(bucket).objectLockMode()).isEqualTo(ObjectLockMode.COMPLIANCE);
        assertThat(head(bucket).objectLockLegalHoldStatus())
                .isEqualTo(ObjectLockLegalHoldStatus.ON);
        s3.deleteObject(delete -> delete.bucket(bucket).key("key"));
        refused(403, "AccessDenied", () -> delete(bucket, version, true));
        DeleteObjectsResponse many =
                s3.deleteObjects(
                        delete ->
                                delete.bucket(bucket)
                                        .bypassGovernanceRetention(true)
                                        .delete(
                                                of ->
                                                        of.objects(
                                                                ObjectIdentifier.builder()
                                                                        .key("key")
                                                                        .versionId(version)
                                                                        .build())));
        assertThat(many.deleted()).isEmpty();
        assertThat(many.errors())
                .singleElement()
                .satisfies(error -> assertThat(error.code()).isEqualTo("AccessDenied"));
        refused(
                409,
                "InvalidBucketState",
                () -> store.versioning(bucket, BucketVersioningStatus.SUSPENDED));
        refused(409, "BucketNotEmpty", () -> s3.deleteBucket(delete -> delete.bucket(bucket)));
        assertThat(store.version(bucket, "key", version).asUtf8String()).isEqualTo("body");
    }

    @Test
    void newObjectsAreLockedByTheirBucketOrByThemselves() {
        String bucket = store.bucket() + "-locked";
        s3.createBucket(create -> create.bucket(bucket).objectLockEnabledForBucket(true));
        DefaultRetention week =
                DefaultRetention.builder().mode(ObjectLockRetentionMode.GOVERNANCE).days(7).build();
        configure(bucket, to -> to.rule(rule -> rule.defaultRetention(week)));
        store.put(bucket, "key", "body");
        HeadObjectResponse byBucket = head(bucket);
        assertThat(byBucket.objectLockMode()).isEqualTo(ObjectLockMode.GOVERNANCE);
        assertThat(byBucket.objectLockRetainUntilDate())
                .isBetween(
                        byBucket.lastModified().plus(Duration.ofDays(7)),
                        byBucket.lastModified().plus(Duration.ofDays(7)).plusSeconds(1));
        s3.putObject(
                put ->
                        put.bucket(bucket)
                                .key("key")
                                .objectLockMode(ObjectLockMode.COMPLIANCE)
                                .objectLockRetainUntilDate(UNTIL)
                                .objectLockLegalHoldStatus(ObjectLockLegalHoldStatus.ON),
                RequestBody.fromString("other"));
        assertThat(head(bucket).objectLockMode()).isEqualTo(ObjectLockMode.COMPLIANCE);
        assertThat(head(bucket).objectLockRetainUntilDate()).isEqualTo(UNTIL);
        assertThat(s3.getObjectLegalHold(get -> get.bucket(bucket).key("key")).legalHold().status())
                .isEqualTo(ObjectLockLegalHoldStatus.ON);
    }

    @Test
    void withoutObjectLockThereIsNothingToLock() {
        String bucket = store.versionedBucket();
        store.put(bucket, "key", "body");
        refused(400, "InvalidRequest", () -> hold(bucket, ObjectLockLegalHoldStatus.ON));
        refused(
                400,
                "InvalidRequest",
                () -> retain(bucket, ObjectLockRetentionMode.GOVERNANCE, UNTIL));
        refused(
                404,
                "ObjectLockConfigurationNotFoundError",
                () -> s3.getObjectLockConfiguration(get -> get.bucket(bucket)));
    }

    /** Killed, and the index made again from the log. */
    @Test
    void locksOutliveAKillAndTheirChangesAreProven() throws Exception {
        try (TemporaryStore work = TemporaryStore.create("object-lock")) {
            ServerProcess.Options options = ServerProcess.Options.of(work.data());
            String version;
            try (ServerProcess server = ServerProcess.start(options);
                    S3Client client = Clients.once(server.endpoint())) {
                client.createBucket(
                        create -> create.bucket("bucket").objectLockEnabledForBucket(true));
                version =
                        client.putObject(
                                        put -> put.bucket("bucket").key("key"),
                                        RequestBody.fromString("body"))
                                .versionId();
                client.putObjectLegalHold(
                        put ->
                                put.bucket("bucket")
                                        .key("key")
                                        .legalHold(to -> to.status(ObjectLockLegalHoldStatus.ON)));
                server.kill();
            }
            TemporaryStore.deleteTree(work.data().resolve("cubes/default/index"));
            try (ServerProcess server = ServerProcess.start(options);
                    S3Client client = Clients.once(server.endpoint())) {
                refused(
                        403,
                        "AccessDenied",
                        () ->
                                client.deleteObject(
                                        delete ->
                                                delete.bucket("bucket")
                                                        .key("key")
                                                        .versionId(version)));
                assertThat(VoluteCommand.done(server, "provenance", "show", "s3://bucket/key"))
                        .contains("write", "lock");
                assertThat(VoluteCommand.done(server, "audit", "--all", "--contents"))
                        .contains("2 of 2 entries verified, 0 findings");
            }
        }
    }
}
