package io.volute.system.s3;

import static io.volute.system.Store.refused;
import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.Bytes;
import io.volute.system.SharedServer;
import io.volute.system.Store;
import java.time.Instant;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CopyObjectRequest;
import software.amazon.awssdk.services.s3.model.CopyObjectResponse;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.MetadataDirective;
import software.amazon.awssdk.services.s3.model.TaggingDirective;

@ExtendWith(SharedServer.class)
class CopyIT {
    private final Store store;
    private final S3Client s3;

    CopyIT(Store store) {
        this.store = store;
        this.s3 = store.s3();
    }

    private String source(byte[] body) {
        String bucket = store.bucket();
        s3.putObject(
                put ->
                        put.bucket(bucket)
                                .key("source")
                                .contentType("text/csv")
                                .metadata(Map.of("a", "1"))
                                .tagging("t=1"),
                RequestBody.fromBytes(body));
        return bucket;
    }

    /** Copies "source" to a key of the same bucket. */
    private CopyObjectResponse copy(
            String bucket, String target, Consumer<CopyObjectRequest.Builder> more) {
        return s3.copyObject(
                copy ->
                        copy.sourceBucket(bucket)
                                .sourceKey("source")
                                .destinationBucket(bucket)
                                .destinationKey(target)
                                .applyMutation(more));
    }

    @Test
    void takesBytesMetadataAndTagsAlong() {
        byte[] body = Bytes.random(1, 2 << 20);
        String bucket = source(body);
        String other = store.bucket();
        CopyObjectResponse copied =
                s3.copyObject(
                        copy ->
                                copy.sourceBucket(bucket)
                                        .sourceKey("source")
                                        .destinationBucket(other)
                                        .destinationKey("target ü"));
        assertThat(copied.copyObjectResult().eTag()).isEqualTo('"' + Bytes.md5Hex(body) + '"');
        assertThat(store.get(other, "target ü")).isEqualTo(body);
        HeadObjectResponse head = s3.headObject(get -> get.bucket(other).key("target ü"));
        assertThat(head.contentType()).isEqualTo("text/csv");
        assertThat(head.metadata()).isEqualTo(Map.of("a", "1"));
        assertThat(s3.getObjectTagging(get -> get.bucket(other).key("target ü")).tagSet())
                .hasSize(1);
    }

    @Test
    void replacesMetadataAndTagsWhenAsked() {
        String bucket = source(new byte[] {1});
        copy(
                bucket,
                "target",
                copy ->
                        copy.metadataDirective(MetadataDirective.REPLACE)
                                .metadata(Map.of("b", "2"))
                                .contentType("text/html")
                                .taggingDirective(TaggingDirective.REPLACE)
                                .tagging("u=2"));
        HeadObjectResponse head = s3.headObject(get -> get.bucket(bucket).key("target"));
        assertThat(head.metadata()).isEqualTo(Map.of("b", "2"));
        assertThat(head.contentType()).isEqualTo("text/html");
        assertThat(s3.getObjectTagging(get -> get.bucket(bucket).key("target")).tagSet())
                .singleElement()
                .satisfies(tag -> assertThat(tag.key()).isEqualTo("u"));
    }

    @Test
    void ontoItselfNeedsAChange() {
        String bucket = source(new byte[] {1, 2});
        refused(400, "InvalidRequest", () -> copy(bucket, "source", copy -> {}));
        copy(
                bucket,
                "source",
                copy ->
                        copy.metadataDirective(MetadataDirective.REPLACE)
                                .metadata(Map.of("c", "3")));
        assertThat(store.get(bucket, "source")).containsExactly(1, 2);
        assertThat(s3.headObject(head -> head.bucket(bucket).key("source")).metadata())
                .isEqualTo(Map.of("c", "3"));
    }

    @Test
    void outlivesItsSource() {
        byte[] body = Bytes.random(2, 300_000);
        String bucket = source(body);
        copy(bucket, "target", copy -> {});
        s3.deleteObject(delete -> delete.bucket(bucket).key("source"));
        assertThat(store.get(bucket, "target")).isEqualTo(body);
    }

    @Test
    void takesAnOldVersion() {
        String bucket = store.versionedBucket();
        String first = store.put(bucket, "source", "first").versionId();
        store.put(bucket, "source", "second");
        CopyObjectResponse copied = copy(bucket, "target", copy -> copy.sourceVersionId(first));
        assertThat(copied.copySourceVersionId()).isEqualTo(first);
        assertThat(copied.versionId()).isNotEmpty();
        assertThat(store.text(bucket, "target")).isEqualTo("first");
    }

    @Test
    void ofNothingIsRefused() {
        String bucket = store.bucket();
        refused(
                404,
                "NoSuchKey",
                () ->
                        s3.copyObject(
                                copy ->
                                        copy.sourceBucket(bucket)
                                                .sourceKey("missing")
                                                .destinationBucket(bucket)
                                                .destinationKey("target")));
        refused(
                404,
                "NoSuchBucket",
                () ->
                        s3.copyObject(
                                copy ->
                                        copy.sourceBucket("no-such-bucket-here")
                                                .sourceKey("missing")
                                                .destinationBucket(bucket)
                                                .destinationKey("target")));
    }

    @Test
    void obeysConditionsOnItsSource() {
        String bucket = source(new byte[] {1});
        String etag = s3.headObject(head -> head.bucket(bucket).key("source")).eTag();
        refused(
                412,
                "PreconditionFailed",
                () -> copy(bucket, "target", copy -> copy.copySourceIfMatch("\"other\"")));
        refused(
                412,
                "PreconditionFailed",
                () -> copy(bucket, "target", copy -> copy.copySourceIfNoneMatch(etag)));
        refused(
                412,
                "PreconditionFailed",
                () ->
                        copy(
                                bucket,
                                "target",
                                copy ->
                                        copy.copySourceIfUnmodifiedSince(
                                                Instant.ofEpochSecond(1_000_000_000))));
        copy(bucket, "target", copy -> copy.copySourceIfMatch(etag));
        assertThat(store.get(bucket, "target")).containsExactly(1);
    }
}
