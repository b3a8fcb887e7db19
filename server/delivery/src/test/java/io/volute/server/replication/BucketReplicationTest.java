package io.volute.server.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.volute.adminapi.ReplicationApi.RefusedChange;
import io.volute.adminapi.ReplicationApi.Replication;
import io.volute.adminapi.ReplicationApi.ReplicationTarget;
import io.volute.server.config.ReplicationConfig;
import io.volute.server.s3.S3TestBed;
import io.volute.server.s3.S3TestCase;
import io.volute.server.s3.TestRequest;
import io.volute.server.s3.TestResponse;
import io.volute.server.s3.replication.ReplicationMessage;
import io.volute.versioning.Outbox.Message;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.VersionId;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Replication: its configuration, the messages of changes, replicas, and other buckets. */
class BucketReplicationTest extends S3TestCase {
    private static final String FAR = "replicate:far";
    private static final String STORE = "00000000-0000-0000-0000-000000000001/away/";
    private static final String FIRST = STORE + VersionId.format(7, false);
    private static final String SECOND = STORE + VersionId.format(8, false);

    private String bucket;

    @BeforeEach
    void makeBucket() {
        bucket = bed.versionedBucket();
    }

    @AfterEach
    void takeAll() throws IOException {
        bed.store().outbox().remove(FAR, messages());
    }

    private TestResponse set(String source, String arn) {
        return bed.request("PUT", "/" + source + "?replication")
                .body(
                        "<ReplicationConfiguration><Role>any</Role><Rule><Priority>1</Priority>"
                                + "<Filter><Prefix>in/</Prefix></Filter><Status>Enabled</Status>"
                                + "<DeleteMarkerReplication><Status>Enabled</Status>"
                                + "</DeleteMarkerReplication><DeleteReplication><Status>Enabled"
                                + "</Status></DeleteReplication><Destination><Bucket>"
                                + arn
                                + "</Bucket></Destination></Rule></ReplicationConfiguration>")
                .send();
    }

    private void replicate() {
        assertThat(set(bucket, "arn:volute:replication::far:copy").status()).isEqualTo(200);
    }

    private List<Message> messages() throws IOException {
        return bed.store().outbox().next(FAR, 100);
    }

    private List<String> changes() throws IOException {
        List<String> changes = new ArrayList<>();
        for (Message each : messages()) {
            ReplicationMessage change = ReplicationMessage.decode(each.content().orElseThrow());
            changes.add(change.kind() + " " + change.key() + " to " + change.destination());
        }
        return changes;
    }

    private TestResponse replica(String method, String key, String origin) {
        TestRequest request =
                bed.request(method, "/" + bucket + "/" + key).header("x-volute-replica", origin);
        return (method.equals("PUT") ? request.body(origin) : request).send();
    }

    /** A target of type s3 shows what it got last, so it must not get an older version then. */
    @Test
    void anOlderVersionIsOvertakenOnceTheNewestIsDelivered() throws IOException {
        replicate();
        bed.put("/" + bucket + "/in/a", "1");
        bed.put("/" + bucket + "/in/a", "2");
        List<Message> both = messages();
        ReplicationMessage older = ReplicationMessage.decode(both.get(0).content().orElseThrow());
        ReplicationMessage newer = ReplicationMessage.decode(both.get(1).content().orElseThrow());
        Sources sources = new Sources(bed.store(), new UUID(0, 1), Optional.empty());
        // It is refused, so its retry comes behind the delivery of the newer one.
        bed.store().outbox().move(FAR, both.subList(0, 1), "unreplicated:far");
        assertThat(sources.isOvertaken(older, "far")).isFalse();
        bed.store().outbox().remove(FAR, both.subList(1, 2));
        assertThat(sources.isOvertaken(older, "far")).isTrue();
        assertThat(sources.isOvertaken(older, "near")).isFalse();
        assertThat(sources.isOvertaken(newer, "far")).isFalse();
        // It opens no connection.
        Sink sink =
                new S3Sink(
                        "far",
                        sources,
                        ReplicationRightsTest.rights(bed),
                        ReplicationConfig.Type.S3,
                        new S3Requests(null),
                        () -> S3TestBed.NOW);
        assertThat(sink.apply(older)).contains(S3Sink.OVERTAKEN);
        bed.store().outbox().remove("unreplicated:far", both.subList(0, 1));
    }

    /** Takes everything. */
    private static final class Taking implements Sink {
        private final List<String> taken = Collections.synchronizedList(new ArrayList<>());

        @Override
        public Optional<String> apply(ReplicationMessage change) {
            taken.add(change.kind() + " " + change.key());
            return Optional.empty();
        }

        @Override
        public void close() {}
    }

    /** The version bears the number of its message, so the key is known; a removal leaves none. */
    @Test
    void thePresentStateIsSentInsteadOfAMessageThatCannotBeRead(@TempDir Path directory)
            throws IOException {
        S3TestBed inMemory = bed;
        try (S3TestBed onDisk = new S3TestBed(directory)) {
            bed = onDisk;
            bucket = bed.versionedBucket();
            thePresentStateIsSent(directory);
        } finally {
            bed = inMemory;
        }
    }

    private void thePresentStateIsSent(Path directory) throws IOException {
        replicate();
        bed.put("/" + bucket + "/in/a", "1");
        bed.put("/" + bucket + "/in/b", "1");
        bed.request("DELETE", "/" + bucket + "/in/c").send();
        String gone = bed.put("/" + bucket + "/in/d", "1").header("x-amz-version-id");
        bed.request("DELETE", "/" + bucket + "/in/d?versionId=" + gone).send();
        bed.put("/" + bucket + "/in/e", "1");
        List<Message> all = messages();
        assertThat(all).hasSize(6);
        for (int damaged : List.of(1, 2, 4)) {
            byte[] content = all.get(damaged).content().orElseThrow();
            assertThat(S3TestBed.damage(directory, content)).isEqualTo(1);
        }
        assertThat(messages()).hasSize(6).filteredOn(each -> each.damage().isPresent()).hasSize(3);
        assertThat(status("/" + bucket + "/in/b")).isEqualTo("PENDING");
        Taking sink = new Taking();
        ReplicaDelivery delivery =
                new ReplicaDelivery("far", bed.store(), List.of(sink), () -> S3TestBed.NOW);
        delivery.look();
        assertThat(sink.taken)
                .containsExactlyInAnyOrder(
                        "VERSION in/a",
                        "VERSION in/b",
                        "TAGS in/b",
                        "LOCK in/b",
                        "MARKER in/c",
                        "VERSION in/d",
                        "VERSION in/e");
        assertThat(delivery.unreadable()).isEqualTo(3);
        assertThat(messages()).isEmpty();
        assertThat(status("/" + bucket + "/in/b")).isEqualTo("COMPLETED");
    }

    private String status(String target) {
        return bed.request("HEAD", target).send().header("x-amz-replication-status");
    }

    @Test
    void itIsReadAsItWasSetAndRemoved() {
        replicate();
        assertThat(bed.get("/" + bucket + "?replication").text())
                .contains("<Role>any</Role>", "arn:volute:replication::far:copy", "<ID>");
        assertThat(bed.request("DELETE", "/" + bucket + "?replication").send().status())
                .isEqualTo(204);
        assertThat(bed.get("/" + bucket + "?replication").code())
                .isEqualTo("ReplicationConfigurationNotFoundError");
    }

    @Test
    void refusesDestinationsThatCannotTakeReplicas() {
        assertThat(set(bucket, "arn:volute:replication::near:copy").code())
                .isEqualTo("InvalidArgument");
        assertThat(set(bucket, "arn:aws:s3:::nosuchbucket").code()).isEqualTo("InvalidRequest");
        assertThat(set(bucket, "arn:aws:s3:::" + bucket).code()).isEqualTo("InvalidRequest");
        assertThat(set(bucket, "arn:aws:s3:::" + bed.bucket()).code()).isEqualTo("InvalidRequest");
        assertThat(set(bed.bucket(), "arn:volute:replication::far:copy").code())
                .isEqualTo("InvalidRequest");
    }

    @Test
    void versioningStaysWhileThereIsReplication() {
        replicate();
        TestResponse refused =
                bed.request("PUT", "/" + bucket + "?versioning")
                        .body(
                                "<VersioningConfiguration><Status>Suspended</Status>"
                                        + "</VersioningConfiguration>")
                        .send();
        assertThat(refused.code()).isEqualTo("InvalidBucketState");
    }

    @Test
    void eachChangeHasItsMessageInOrder() throws IOException {
        replicate();
        String version = bed.put("/" + bucket + "/in/a", "1").header("x-amz-version-id");
        bed.put("/" + bucket + "/out/a", "1");
        bed.request("PUT", "/" + bucket + "/in/a?tagging")
                .body("<Tagging><TagSet><Tag><Key>k</Key><Value>v</Value></Tag></TagSet></Tagging>")
                .send();
        bed.request("DELETE", "/" + bucket + "/in/a").send();
        bed.request("DELETE", "/" + bucket + "/in/a?versionId=" + version).send();
        assertThat(changes())
                .containsExactly(
                        "VERSION in/a to copy",
                        "TAGS in/a to copy",
                        "MARKER in/a to copy",
                        "REMOVAL in/a to copy");
    }

    @Test
    void theStatusFollowsTheMessage() throws IOException {
        replicate();
        String key = "/" + bucket + "/in/a";
        bed.put(key, "1");
        bed.put("/" + bucket + "/out", "1");
        assertThat(status(key)).isEqualTo("PENDING");
        assertThat(bed.request("HEAD", "/" + bucket + "/out").send())
                .matches(answer -> !answer.hasHeader("x-amz-replication-status"));
        bed.store().outbox().move(FAR, messages(), "unreplicated:far");
        assertThat(status(key)).isEqualTo("FAILED");
        List<Message> failed = bed.store().outbox().next("unreplicated:far", 10);
        bed.store().outbox().move("unreplicated:far", failed, FAR);
        assertThat(status(key)).isEqualTo("PENDING");
        bed.store().outbox().remove(FAR, messages());
        assertThat(status(key)).isEqualTo("COMPLETED");
    }

    @Test
    void aReplicaIsMadeOnceAndInOrder() throws IOException {
        replicate();
        assertThat(replica("PUT", "in/a", FIRST).status()).isEqualTo(200);
        assertThat(replica("PUT", "in/a", FIRST).code()).isEqualTo("PreconditionFailed");
        assertThat(replica("DELETE", "in/a", SECOND).status()).isEqualTo(204);
        assertThat(replica("DELETE", "in/a", SECOND).code()).isEqualTo("PreconditionFailed");
        assertThat(replica("PUT", "in/b", SECOND).status()).isEqualTo(200);
        assertThat(replica("PUT", "in/b", FIRST).code()).isEqualTo("ConditionalRequestConflict");
        assertThat(status("/" + bucket + "/in/b")).isEqualTo("REPLICA");
        assertThat(changes()).as("replicas are not replicated again").isEmpty();
        assertThat(replica("PUT", "in/c", "nonsense").code()).isEqualTo("InvalidArgument");
    }

    /** A claim concerns its version alone, also that of the root. */
    @Test
    void whatComesBehindAClaimIsReplicated() throws IOException {
        replicate();
        String last = STORE + VersionId.format(1L << 50, false);
        assertThat(replica("PUT", "in/a", last).status()).isEqualTo(200);
        assertThat(replica("DELETE", "in/b", last).status()).isEqualTo(204);
        assertThat(changes()).isEmpty();
        bed.put("/" + bucket + "/in/a", "own");
        bed.request("DELETE", "/" + bucket + "/in/a").send();
        bed.put("/" + bucket + "/in/b", "own");
        bed.request("PUT", "/" + bucket + "/in/c")
                .header("x-amz-copy-source", "/" + bucket + "/in/b")
                .send();
        assertThat(changes())
                .containsExactly(
                        "VERSION in/a to copy",
                        "MARKER in/a to copy",
                        "VERSION in/b to copy",
                        "VERSION in/c to copy");
    }

    @Test
    void anotherStoreFindsItsReplica() {
        assertThat(replica("PUT", "a", FIRST).status()).isEqualTo(200);
        bed.put("/" + bucket + "/a", "own");
        TestRequest head =
                bed.request("HEAD", "/" + bucket + "/a").header("x-volute-replica-of", FIRST);
        String id = head.send().header("x-amz-version-id");
        assertThat(status("/" + bucket + "/a?versionId=" + id)).isEqualTo("REPLICA");
        assertThat(
                        bed.request("HEAD", "/" + bucket + "/a")
                                .header("x-volute-replica-of", SECOND)
                                .send()
                                .status())
                .isEqualTo(404);
    }

    @Test
    void aCopyOfAReplicaIsNone() {
        assertThat(replica("PUT", "a", FIRST).status()).isEqualTo(200);
        bed.request("PUT", "/" + bucket + "/b")
                .header("x-amz-copy-source", "/" + bucket + "/a")
                .send();
        assertThat(bed.request("HEAD", "/" + bucket + "/b").send())
                .matches(answer -> answer.status() == 200)
                .matches(answer -> !answer.hasHeader("x-amz-replication-status"));
    }

    @Test
    void anotherBucketOfTheStoreGetsTheChanges() throws IOException {
        String copy = bed.versionedBucket();
        assertThat(set(bucket, "arn:aws:s3:::" + copy).status()).isEqualTo(200);
        String key = "/in/a";
        bed.request("PUT", "/" + bucket + key)
                .header("x-amz-tagging", "k=v")
                .header("x-amz-meta-m", "n")
                .body("content")
                .send();
        bed.request("DELETE", "/" + bucket + "/in/b").send();
        String first = bed.put("/" + bucket + "/in/c", "1").header("x-amz-version-id");
        bed.request("DELETE", "/" + bucket + "/in/c?versionId=" + first).send();
        StoreSink sink =
                new StoreSink(
                        new Sources(bed.store(), new UUID(0, 1), Optional.empty()),
                        ReplicationRightsTest.rights(bed),
                        () -> S3TestBed.NOW.plusSeconds(1));
        List<Message> all = bed.store().outbox().next("replicate:local", 100);
        for (int round = 0; round < 2; round++) {
            for (Message each : all) {
                assertThat(sink.apply(ReplicationMessage.decode(each.content().orElseThrow())))
                        .isEmpty();
            }
        }
        bed.store().outbox().remove("replicate:local", all);
        assertThat(all).hasSize(4);
        TestResponse replica = bed.get("/" + copy + key);
        assertThat(replica.text()).isEqualTo("content");
        assertThat(replica.header("x-amz-meta-m")).isEqualTo("n");
        assertThat(replica.header("x-amz-tagging-count")).isEqualTo("1");
        assertThat(replica.header("x-amz-replication-status")).isEqualTo("REPLICA");
        assertThat(status("/" + bucket + key)).isEqualTo("COMPLETED");
        assertThat(bed.get("/" + copy + "?versions").xml("ListVersionsResult").all("DeleteMarker"))
                .hasSize(1);
        assertThat(bed.get("/" + copy + "?versions").xml("ListVersionsResult").all("Version"))
                .hasSize(1);
    }

    @Test
    void theReportCountsWhatWaitsAndWhatWasRefused() throws IOException {
        ReplicaDelivery delivery =
                new ReplicaDelivery("far", bed.store(), List.of(), () -> S3TestBed.NOW);
        ReplicationReport report =
                new ReplicationReport(
                        bed.store().outbox(),
                        () -> S3TestBed.NOW.plusSeconds(61),
                        Map.of("far", delivery));
        replicate();
        bed.put("/" + bucket + "/in/a", "1");
        bed.put("/" + bucket + "/in/b", "1");
        String version = bed.put("/" + bucket + "/in/c", "1").header("x-amz-version-id");
        List<Message> waiting = messages();
        assertThat(report.ofAll(List.of()).targets())
                .filteredOn(ReplicationTarget::configured)
                .containsExactly(
                        new ReplicationTarget("far", true, 0, 0, 3, 61_000, 0, Optional.empty()));
        bed.store().outbox().move(FAR, waiting.subList(2, 3), "unreplicated:far");
        Replication ofBucket = report.of(new BucketName(bucket), List.of());
        assertThat(ofBucket.targets())
                .filteredOn(ReplicationTarget::configured)
                .extracting(ReplicationTarget::waiting, ReplicationTarget::refused)
                .containsExactly(tuple(2L, 1L));
        assertThat(ofBucket.refused())
                .containsExactly(
                        new RefusedChange("far", "version", "in/c", version, waiting.get(2).at()));
        assertThat(ofBucket.complete()).isTrue();
        Replication ofOther = report.of(new BucketName(bed.bucket()), List.of());
        assertThat(ofOther.targets())
                .extracting(ReplicationTarget::waiting, ReplicationTarget::refused)
                .containsOnly(tuple(0L, 0L));
        assertThat(ofOther.refused()).isEmpty();
        List<Message> refused = bed.store().outbox().next("unreplicated:far", 10);
        bed.store().outbox().remove("unreplicated:far", refused);
    }

    @Test
    void aTargetThatTheSettingsLackIsReported() throws IOException {
        ReplicationReport report =
                new ReplicationReport(bed.store().outbox(), () -> S3TestBed.NOW, Map.of());
        replicate();
        bed.put("/" + bucket + "/in/a", "1");
        assertThat(report.unknown()).contains("far");
        assertThat(report.ofAll(List.of()).targets())
                .filteredOn(each -> each.name().equals("far"))
                .extracting(ReplicationTarget::configured, ReplicationTarget::waiting)
                .containsExactly(tuple(false, 1L));
    }

    /** A copy shares the parts of its source, but its ETag is that of one body. */
    @Test
    void aCopyOfAMultipartObjectIsSentAsOneBody() throws IOException {
        String key = "/" + bucket + "/in/parts";
        String target =
                key + "?uploadId=" + bed.request("POST", key + "?uploads").send().uploadId();
        StringBuilder document = new StringBuilder("<CompleteMultipartUpload>");
        for (int number = 1; number <= 2; number++) {
            TestResponse part =
                    bed.request("PUT", target + "&partNumber=" + number)
                            .body("a".repeat(70_000))
                            .send();
            document.append("<Part><PartNumber>" + number + "</PartNumber><ETag>")
                    .append(part.header("etag") + "</ETag></Part>");
        }
        bed.request("POST", target).body(document + "</CompleteMultipartUpload>").send();
        replicate();
        bed.request("PUT", "/" + bucket + "/in/copy")
                .header("x-amz-copy-source", bucket + "/in/parts")
                .send();
        Message message = messages().getLast();
        ReplicationMessage change = ReplicationMessage.decode(message.content().orElseThrow());
        assertThat(change.key()).isEqualTo("in/copy");
        Sources sources = new Sources(bed.store(), new UUID(0, 1), Optional.empty());
        try (Sources.Content content = sources.open(change)) {
            assertThat(content.parts()).isEmpty();
            assertThat(content.reader().parts()).hasSize(2);
        }
    }
}
