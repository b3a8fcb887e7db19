package io.volute.system.replication;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.AdminAnswers;
import io.volute.system.Bytes;
import io.volute.system.Clients;
import io.volute.system.ReplicatedStores;
import io.volute.system.ServerProcess;
import io.volute.system.TemporaryStore;
import io.volute.system.VoluteCommand;
import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.ListObjectVersionsResponse;
import software.amazon.awssdk.services.s3.model.ObjectLockEnabled;
import software.amazon.awssdk.services.s3.model.ObjectLockLegalHoldStatus;
import software.amazon.awssdk.services.s3.model.ObjectLockMode;
import software.amazon.awssdk.services.s3.model.ObjectLockRetentionMode;
import software.amazon.awssdk.services.s3.model.ObjectVersion;
import software.amazon.awssdk.services.s3.model.ServerSideEncryption;
import software.amazon.awssdk.services.s3.model.Tag;

/** Replication between two servers, each a target of the other: features of S3 and of a run. */
class ReplicationFeaturesIT {
    private static final String PEER = "arn:volute:replication::peer:";
    private static final String PLAIN = "arn:volute:replication::plain:";

    /** The least size of a part besides the last. */
    private static final int PART_BYTES = 5 << 20;

    private static TemporaryStore work;
    private static ServerProcess source;
    private static ServerProcess target;
    private static S3Client here;
    private static S3Client there;

    /** The name of the test's bucket on either side. */
    private String bucket;

    @BeforeAll
    static void startBoth() throws Exception {
        work = TemporaryStore.create("replication-features");
        int sourcePort = ServerProcess.freePort();
        int targetPort = ServerProcess.freePort();
        source =
                ServerProcess.start(
                        ReplicatedStores.options(work, "source", targetPort).withPort(sourcePort));
        target =
                ServerProcess.start(
                        ReplicatedStores.options(work, "target", sourcePort).withPort(targetPort));
        here = Clients.sync(source.endpoint());
        there = Clients.sync(target.endpoint());
    }

    @AfterAll
    static void stopBoth() throws Exception {
        here.close();
        there.close();
        source.close();
        target.close();
        work.close();
    }

    @BeforeEach
    void nameTheBucket(TestInfo test) {
        bucket = test.getTestMethod().orElseThrow().getName().toLowerCase(Locale.ROOT);
    }

    private void createBoth() {
        ReplicatedStores.create(here, bucket);
        ReplicatedStores.create(there, bucket);
    }

    private void createBothWithLocks() {
        for (S3Client s3 : List.of(here, there)) {
            s3.createBucket(create -> create.bucket(bucket).objectLockEnabledForBucket(true));
        }
    }

    private void put(S3Client s3, String key, String content) {
        s3.putObject(put -> put.bucket(bucket).key(key), RequestBody.fromString(content));
    }

    private HeadObjectResponse head(S3Client s3, String key) {
        return s3.headObject(head -> head.bucket(bucket).key(key));
    }

    private String content(S3Client s3, String key) {
        return s3.getObjectAsBytes(get -> get.bucket(bucket).key(key)).asUtf8String();
    }

    private List<ObjectVersion> versions(S3Client s3) {
        return list(s3).versions();
    }

    private List<String> states(S3Client s3) {
        return versions(s3).stream()
                .map(each -> each.key() + " " + each.eTag() + " " + each.isLatest())
                .toList();
    }

    private ListObjectVersionsResponse list(S3Client s3) {
        return s3.listObjectVersions(list -> list.bucket(bucket));
    }

    /** Waits until nothing waits on either side, and returns the number of refused changes. */
    private static long await() throws IOException {
        return new AdminAnswers(source.endpoint()).awaitReplication()
                + new AdminAnswers(target.endpoint()).awaitReplication();
    }

    private static void assertDelivered() throws IOException {
        assertThat(await()).as(source.log() + target.log()).isZero();
    }

    @Test
    void bothWaysWithoutLoops() throws Exception {
        createBoth();
        ReplicatedStores.replicate(here, bucket, PEER + bucket);
        ReplicatedStores.replicate(there, bucket, PEER + bucket);
        put(here, "ours", "1");
        put(there, "theirs", "2");
        assertDelivered();
        put(here, "theirs", "3");
        assertDelivered();
        here.deleteObject(delete -> delete.bucket(bucket).key("ours"));
        assertDelivered();
        for (S3Client each : List.of(here, there)) {
            assertThat(content(each, "theirs")).isEqualTo("3");
            assertThat(versions(each)).extracting(ObjectVersion::key).hasSize(3);
            assertThat(list(each).deleteMarkers()).hasSize(1);
        }
        assertThat(head(here, "theirs").replicationStatusAsString()).isEqualTo("COMPLETED");
        assertThat(head(there, "theirs").replicationStatusAsString()).isEqualTo("REPLICA");
    }

    private void putParts(String key) {
        String upload =
                here.createMultipartUpload(create -> create.bucket(bucket).key(key)).uploadId();
        List<CompletedPart> parts = new ArrayList<>();
        for (int number = 1; number <= 2; number++) {
            int part = number;
            byte[] bytes = Bytes.random(part, part == 1 ? PART_BYTES : 70_000);
            String etag =
                    here.uploadPart(
                                    put ->
                                            put.bucket(bucket)
                                                    .key(key)
                                                    .uploadId(upload)
                                                    .partNumber(part),
                                    RequestBody.fromBytes(bytes))
                            .eTag();
            parts.add(CompletedPart.builder().partNumber(part).eTag(etag).build());
        }
        here.completeMultipartUpload(
                complete ->
                        complete.bucket(bucket)
                                .key(key)
                                .uploadId(upload)
                                .multipartUpload(all -> all.parts(parts)));
    }

    private void assertSameParts(String key) {
        assertThat(head(there, key).eTag()).isEqualTo(head(here, key).eTag()).endsWith("-2\"");
        HeadObjectResponse second =
                there.headObject(head -> head.bucket(bucket).key(key).partNumber(2));
        assertThat(second.partsCount()).isEqualTo(2);
        assertThat(second.contentLength()).isEqualTo(70_000);
        assertThat(there.getObjectAsBytes(get -> get.bucket(bucket).key(key)).asByteArray())
                .isEqualTo(here.getObjectAsBytes(get -> get.bucket(bucket).key(key)).asByteArray());
    }

    @Test
    void partsKeepTheirSizesAndTheEtag() throws Exception {
        createBoth();
        ReplicatedStores.replicate(here, bucket, PEER + bucket);
        putParts("a");
        assertDelivered();
        assertSameParts("a");
        assertThat(head(there, "a").replicationStatusAsString()).isEqualTo("REPLICA");
    }

    @Test
    void retentionAndLegalHoldFollow() throws Exception {
        createBothWithLocks();
        ReplicatedStores.replicate(here, bucket, PEER + bucket);
        Instant until = Instant.now().plus(1, ChronoUnit.DAYS).truncatedTo(ChronoUnit.SECONDS);
        here.putObject(
                put ->
                        put.bucket(bucket)
                                .key("a")
                                .objectLockMode(ObjectLockMode.GOVERNANCE)
                                .objectLockRetainUntilDate(until)
                                .objectLockLegalHoldStatus(ObjectLockLegalHoldStatus.ON),
                RequestBody.fromString("1"));
        assertDelivered();
        HeadObjectResponse copy = head(there, "a");
        assertThat(copy.objectLockMode()).isEqualTo(ObjectLockMode.GOVERNANCE);
        assertThat(copy.objectLockRetainUntilDate()).isEqualTo(until);
        assertThat(copy.objectLockLegalHoldStatus()).isEqualTo(ObjectLockLegalHoldStatus.ON);

        Instant longer = until.plus(1, ChronoUnit.HOURS);
        retain(longer);
        assertDelivered();
        assertThat(head(there, "a").objectLockRetainUntilDate()).isEqualTo(longer);
        retain(until);
        here.putObjectLegalHold(
                put ->
                        put.bucket(bucket)
                                .key("a")
                                .legalHold(to -> to.status(ObjectLockLegalHoldStatus.OFF)));
        assertDelivered();
        assertThat(head(there, "a").objectLockRetainUntilDate()).isEqualTo(longer);
        assertThat(head(there, "a").objectLockLegalHoldStatus())
                .isEqualTo(ObjectLockLegalHoldStatus.ON);
        assertThat(versions(there)).hasSize(1);
    }

    private void retain(Instant until) {
        here.putObjectRetention(
                put ->
                        put.bucket(bucket)
                                .key("a")
                                .bypassGovernanceRetention(true)
                                .retention(
                                        to ->
                                                to.mode(ObjectLockRetentionMode.GOVERNANCE)
                                                        .retainUntilDate(until)));
    }

    @Test
    void encryptedBodiesAreEncryptedThere() throws Exception {
        createBoth();
        ReplicatedStores.replicate(here, bucket, PEER + bucket);
        for (int bytes : List.of(10, 200_000)) {
            here.putObject(
                    put ->
                            put.bucket(bucket)
                                    .key("k" + bytes)
                                    .serverSideEncryption(ServerSideEncryption.AES256),
                    RequestBody.fromBytes(Bytes.random(bytes, bytes)));
        }
        assertDelivered();
        for (int bytes : List.of(10, 200_000)) {
            HeadObjectResponse copy = head(there, "k" + bytes);
            assertThat(copy.serverSideEncryption()).isEqualTo(ServerSideEncryption.AES256);
            assertThat(copy.eTag()).isEqualTo(head(here, "k" + bytes).eTag());
            assertThat(
                            there.getObjectAsBytes(get -> get.bucket(bucket).key("k" + bytes))
                                    .asByteArray())
                    .isEqualTo(Bytes.random(bytes, bytes));
        }
    }

    @Test
    void anyServerOfS3GetsOrdinaryRequests() throws Exception {
        createBoth();
        put(here, "before", "1");
        put(here, "before", "2");
        ReplicatedStores.replicate(here, bucket, PLAIN + bucket);
        put(here, "a", "1");
        put(here, "a", "2");
        here.putObjectTagging(
                put ->
                        put.bucket(bucket)
                                .key("a")
                                .tagging(
                                        to ->
                                                to.tagSet(
                                                        Tag.builder()
                                                                .key("k")
                                                                .value("v")
                                                                .build())));
        put(here, "gone", "1");
        here.deleteObject(delete -> delete.bucket(bucket).key("gone"));
        putParts("parts");
        assertDelivered();
        assertThat(content(there, "a")).isEqualTo("2");
        assertThat(head(there, "a").tagCount()).isEqualTo(1);
        assertThat(head(there, "a").replicationStatusAsString()).isNull();
        assertThat(head(here, "a").replicationStatusAsString()).isEqualTo("COMPLETED");
        assertSameParts("parts");
        assertThat(versions(there)).extracting(ObjectVersion::key).hasSize(4);
        assertThat(list(there).deleteMarkers()).hasSize(1);

        // A run sends the newest version alone, and nothing twice.
        for (int round = 0; round < 2; round++) {
            VoluteCommand.done(source, "replication", "start", bucket);
            assertDelivered();
        }
        assertThat(content(there, "before")).isEqualTo("2");
        assertThat(versions(there)).hasSize(5);
        assertThat(list(there).deleteMarkers()).hasSize(1);
    }

    @Test
    void existingVersionsAreSentInOrderAndOnce() throws Exception {
        createBoth();
        for (int i = 0; i < 3; i++) {
            put(here, "a", "content " + i);
        }
        here.deleteObject(delete -> delete.bucket(bucket).key("b"));
        putParts("parts");
        ReplicatedStores.replicate(here, bucket, PEER + bucket);
        assertDelivered();
        assertThat(versions(there)).isEmpty();
        for (int round = 0; round < 2; round++) {
            VoluteCommand.done(source, "replication", "start", bucket);
            assertDelivered();
        }
        assertThat(states(there)).isEqualTo(states(here)).hasSize(4);
        assertThat(list(there).deleteMarkers()).hasSize(1);
        assertSameParts("parts");
        assertThat(head(there, "a").replicationStatusAsString()).isEqualTo("REPLICA");
        assertThat(VoluteCommand.done(source, "replication", "status", bucket))
                .contains("finished", "parts");
    }

    @Test
    void refusedChangesAreShownAndSentAgain() throws Exception {
        here.createBucket(create -> create.bucket(bucket).objectLockEnabledForBucket(true));
        ReplicatedStores.create(there, bucket);
        ReplicatedStores.replicate(here, bucket, PEER + bucket);
        here.putObject(
                put ->
                        put.bucket(bucket)
                                .key("held")
                                .objectLockLegalHoldStatus(ObjectLockLegalHoldStatus.ON),
                RequestBody.fromString("1"));
        assertThat(await()).isEqualTo(1);
        assertThat(head(here, "held").replicationStatusAsString()).isEqualTo("FAILED");
        assertThat(VoluteCommand.done(source, "replication", "status", bucket))
                .contains("REFUSED KEY", "version", "held");
        there.putObjectLockConfiguration(
                put ->
                        put.bucket(bucket)
                                .objectLockConfiguration(
                                        to -> to.objectLockEnabled(ObjectLockEnabled.ENABLED)));
        assertThat(VoluteCommand.done(source, "replication", "retry", bucket)).startsWith("1 ");
        assertDelivered();
        assertThat(head(here, "held").replicationStatusAsString()).isEqualTo("COMPLETED");
        assertThat(head(there, "held").objectLockLegalHoldStatus())
                .isEqualTo(ObjectLockLegalHoldStatus.ON);
    }
}
