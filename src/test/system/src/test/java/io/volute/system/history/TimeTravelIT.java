package io.volute.system.history;

import static io.volute.system.Store.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.volute.system.Bytes;
import io.volute.system.ExternalClient;
import io.volute.system.FileTree;
import io.volute.system.Past;
import io.volute.system.SharedServer;
import io.volute.system.Store;
import io.volute.system.TemporaryStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CompletedMultipartUpload;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.ListObjectVersionsResponse;
import software.amazon.awssdk.services.s3.model.S3Object;

/** Clients that know nothing of it read the past of a bucket, and restore it. */
@ExtendWith(SharedServer.class)
class TimeTravelIT {
    private final Store store;
    private final S3Client s3;

    TimeTravelIT(Store store) {
        this.store = store;
        this.s3 = store.s3();
    }

    @BeforeAll
    static void onlyHere() {
        assumeThat(System.getProperty("volute.s3.endpoint", ""))
                .as("SKIPPED: other stores have no aliases")
                .isEmpty();
    }

    @Test
    void readsEveryStateThatABucketWasIn() {
        String bucket = store.versionedBucket();
        List<Instant> instants = new ArrayList<>();
        for (String state : List.of("first", "second", "third")) {
            store.put(bucket, "key", state);
            store.put(bucket, "only " + state, state);
            instants.add(Past.between(s3, bucket));
        }
        s3.deleteObject(delete -> delete.bucket(bucket).key("key"));
        String gone = Past.alias(bucket, Past.between(s3, bucket));

        List<String> states = List.of("first", "second", "third");
        for (int i = 0; i < states.size(); i++) {
            Instant instant = instants.get(i);
            String alias = Past.alias(bucket, instant);
            assertThat(store.text(alias, "key")).isEqualTo(states.get(i));
            assertThat(textAt(instant, bucket)).isEqualTo(states.get(i));
            assertThat(
                            s3
                                    .listObjectsV2Paginator(list -> list.bucket(alias).maxKeys(1))
                                    .contents()
                                    .stream()
                                    .map(S3Object::key))
                    .containsExactlyInAnyOrderElementsOf(expected(states.subList(0, i + 1)));
            ListObjectVersionsResponse versions =
                    s3.listObjectVersions(list -> list.bucket(alias).prefix("key"));
            assertThat(versions.name()).isEqualTo(alias);
            assertThat(versions.versions()).hasSize(i + 1);
            assertThat(versions.deleteMarkers()).isEmpty();
        }
        refused(404, "NoSuchKey", () -> store.get(gone, "key"));
        assertThat(s3.listObjectVersions(list -> list.bucket(gone)).deleteMarkers()).hasSize(1);
    }

    /** Reads the content at an instant through the header. */
    private String textAt(Instant instant, String bucket) {
        return s3.getObjectAsBytes(
                        get -> {
                            get.bucket(bucket).key("key");
                            get.overrideConfiguration(
                                    with -> with.putHeader("x-volute-at", instant.toString()));
                        })
                .asUtf8String();
    }

    private static List<String> expected(List<String> states) {
        List<String> keys = new ArrayList<>(List.of("key"));
        states.forEach(state -> keys.add("only " + state));
        return keys;
    }

    @Test
    void thePastCannotBeChangedAndIsNotYetThatOfTomorrow() {
        String bucket = store.versionedBucket();
        store.put(bucket, "key", "kept");
        String alias = Past.alias(bucket, Past.between(s3, bucket));
        assertThat(
                        refused(
                                        405,
                                        "MethodNotAllowed",
                                        () ->
                                                s3.putObject(
                                                        put -> put.bucket(alias).key("key"),
                                                        RequestBody.fromString("changed")))
                                .getMessage())
                .contains("read-only");
        refused(
                405,
                "MethodNotAllowed",
                () -> s3.deleteObject(delete -> delete.bucket(alias).key("key")));
        refused(405, "MethodNotAllowed", () -> s3.deleteBucket(delete -> delete.bucket(alias)));
        refused(400, "InvalidBucketName", () -> store.create(alias));
        String tomorrow = Past.alias(bucket, Past.date(s3, bucket).plusSeconds(86_400));
        refused(400, "InvalidArgument", () -> store.get(tomorrow, "key"));
        assertThat(store.text(alias, "key")).isEqualTo("kept");
    }

    @Test
    void aCopyFromTheAliasIsWhatItWas() {
        String bucket = store.versionedBucket();
        byte[] body = Bytes.random(5, 100);
        String etag = uploadInAPart(bucket, "key", body);
        assertThat(etag).endsWith("-1\"");
        String alias = Past.alias(bucket, Past.between(s3, bucket));
        s3.deleteObject(delete -> delete.bucket(bucket).key("key"));
        // As in S3, the copy is a plain object, whose ETag is the MD5 of the whole.
        String copied =
                s3.copyObject(
                                copy ->
                                        copy.sourceBucket(alias)
                                                .sourceKey("key")
                                                .destinationBucket(bucket)
                                                .destinationKey("back"))
                        .copyObjectResult()
                        .eTag();
        assertThat(copied).isEqualTo("\"" + Bytes.md5Hex(body) + "\"");
        assertThat(store.get(bucket, "back")).isEqualTo(body);
    }

    private String uploadInAPart(String bucket, String key, byte[] body) {
        String id = s3.createMultipartUpload(create -> create.bucket(bucket).key(key)).uploadId();
        String part =
                s3.uploadPart(
                                upload -> upload.bucket(bucket).key(key).uploadId(id).partNumber(1),
                                RequestBody.fromBytes(body))
                        .eTag();
        CompletedMultipartUpload made =
                CompletedMultipartUpload.builder()
                        .parts(CompletedPart.builder().partNumber(1).eTag(part).build())
                        .build();
        return s3.completeMultipartUpload(
                        complete ->
                                complete.bucket(bucket).key(key).uploadId(id).multipartUpload(made))
                .eTag();
    }

    @Test
    void syncFromTheAliasBringsBackTheOldFiles() throws IOException {
        try (TemporaryStore work = TemporaryStore.create("past")) {
            ExternalClient aws =
                    ExternalClient.orSkip(work.path(), List.of("aws"), "--version")
                            .with("AWS_ENDPOINT_URL", store.endpoint().toString());
            String bucket = store.versionedBucket();
            Path tree = Files.createDirectory(work.path().resolve("tree"));
            FileTree.make(tree, 40, 11);
            aws.run("s3", "sync", "--only-show-errors", "tree", "s3://" + bucket).orFail();
            String alias = Past.alias(bucket, Past.between(s3, bucket));
            spoil(bucket);

            assertThat(aws.run("s3", "ls", "--recursive", "s3://" + alias).orFail().lines())
                    .hasSize(40);
            aws.run("s3", "sync", "--only-show-errors", "s3://" + alias, "back").orFail();
            FileTree.assertSame(tree, work.path().resolve("back"));
            assertThat(aws.run("s3", "cp", "back", "s3://" + alias, "--recursive").output())
                    .contains("MethodNotAllowed");

            // Two are so large that they are copied in parts.
            String source = "s3://" + alias + "/";
            String target = "s3://" + bucket + "/";
            aws.run("s3", "cp", "--only-show-errors", "--recursive", source, target).orFail();
            aws.run("s3", "rm", "--only-show-errors", target + "added").orFail();
            aws.run("s3", "sync", "--only-show-errors", target, "restored").orFail();
            FileTree.assertSame(tree, work.path().resolve("restored"));
        }
    }

    /** Writes over one half, deletes the other, and adds something. */
    private void spoil(String bucket) {
        List<S3Object> objects =
                s3.listObjectsV2(list -> list.bucket(bucket)).contents().stream().toList();
        for (int i = 0; i < objects.size(); i++) {
            String key = objects.get(i).key();
            if (i % 2 == 0) {
                store.put(bucket, key, "spoilt");
            } else {
                s3.deleteObject(delete -> delete.bucket(bucket).key(key));
            }
        }
        store.put(bucket, "added", "added");
    }
}
