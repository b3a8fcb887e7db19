package io.volute.system.s3;

import static io.volute.system.Store.refused;
import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.SharedServer;
import io.volute.system.Store;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.BucketVersioningStatus;
import software.amazon.awssdk.services.s3.model.DeleteMarkerEntry;
import software.amazon.awssdk.services.s3.model.DeleteObjectResponse;
import software.amazon.awssdk.services.s3.model.DeleteObjectsResponse;
import software.amazon.awssdk.services.s3.model.ListObjectVersionsResponse;
import software.amazon.awssdk.services.s3.model.ObjectIdentifier;
import software.amazon.awssdk.services.s3.model.ObjectVersion;
import software.amazon.awssdk.services.s3.model.S3Exception;

@ExtendWith(SharedServer.class)
class VersioningIT {
    private final Store store;
    private final S3Client s3;

    VersioningIT(Store store) {
        this.store = store;
        this.s3 = store.s3();
    }

    private ListObjectVersionsResponse versions(String bucket) {
        return s3.listObjectVersions(list -> list.bucket(bucket));
    }

    private DeleteObjectResponse delete(String bucket, String key) {
        return s3.deleteObject(delete -> delete.bucket(bucket).key(key));
    }

    private DeleteObjectResponse delete(String bucket, String key, String version) {
        return s3.deleteObject(delete -> delete.bucket(bucket).key(key).versionId(version));
    }

    @Test
    void everyPutIsAVersionThatStays() {
        String bucket = store.versionedBucket();
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            ids.add(store.put(bucket, "key", "body " + i).versionId());
        }
        assertThat(ids).doesNotHaveDuplicates().doesNotContainNull();
        for (int i = 0; i < 5; i++) {
            assertThat(store.version(bucket, "key", ids.get(i)).asUtf8String())
                    .isEqualTo("body " + i);
        }
        assertThat(store.text(bucket, "key")).isEqualTo("body 4");
        List<ObjectVersion> listed = versions(bucket).versions();
        assertThat(listed.stream().map(ObjectVersion::versionId).toList())
                .containsExactlyElementsOf(ids.reversed());
        assertThat(listed.stream().map(ObjectVersion::isLatest).toList())
                .containsExactly(true, false, false, false, false);
    }

    @Test
    void aDeleteHidesBehindAMarkerAndRemovingItBringsTheObjectBack() {
        String bucket = store.versionedBucket();
        String version = store.put(bucket, "key", "body").versionId();
        DeleteObjectResponse deleted = delete(bucket, "key");
        assertThat(deleted.deleteMarker()).isTrue();
        S3Exception gone = refused(404, "NoSuchKey", () -> store.get(bucket, "key"));
        assertThat(
                        gone.awsErrorDetails()
                                .sdkHttpResponse()
                                .firstMatchingHeader("x-amz-delete-marker"))
                .contains("true");
        assertThat(gone.awsErrorDetails().sdkHttpResponse().firstMatchingHeader("x-amz-version-id"))
                .contains(deleted.versionId());
        refused(405, "MethodNotAllowed", () -> store.version(bucket, "key", deleted.versionId()));
        assertThat(store.version(bucket, "key", version).asUtf8String()).isEqualTo("body");
        assertThat(s3.listObjectsV2(list -> list.bucket(bucket)).contents()).isEmpty();

        DeleteObjectResponse undone = delete(bucket, "key", deleted.versionId());
        assertThat(undone.deleteMarker()).isTrue();
        assertThat(undone.versionId()).isEqualTo(deleted.versionId());
        assertThat(store.text(bucket, "key")).isEqualTo("body");
    }

    @Test
    void threeDeletesLeaveThreeMarkers() {
        String bucket = store.versionedBucket();
        delete(bucket, "never-there");
        delete(bucket, "never-there");
        delete(bucket, "never-there");
        List<DeleteMarkerEntry> markers = versions(bucket).deleteMarkers();
        assertThat(markers).hasSize(3);
        assertThat(markers.stream().filter(DeleteMarkerEntry::isLatest)).hasSize(1);
        assertThat(markers.getFirst().isLatest()).isTrue();
    }

    @Test
    void deletingTheNewestVersionUncoversTheOneBefore() {
        String bucket = store.versionedBucket();
        String first = store.put(bucket, "key", "first").versionId();
        String second = store.put(bucket, "key", "second").versionId();
        delete(bucket, "key", second);
        assertThat(store.text(bucket, "key")).isEqualTo("first");
        refused(404, "NoSuchVersion", () -> store.version(bucket, "key", second));
        delete(bucket, "key", first);
        refused(404, "NoSuchKey", () -> store.get(bucket, "key"));
        assertThat(versions(bucket).versions()).isEmpty();
    }

    @Test
    void whatWasThereBeforeVersioningIsTheNullVersion() {
        String bucket = store.bucket();
        store.put(bucket, "key", "before");
        store.versioning(bucket, BucketVersioningStatus.ENABLED);
        String after = store.put(bucket, "key", "after").versionId();
        assertThat(store.version(bucket, "key", "null").asUtf8String()).isEqualTo("before");
        assertThat(versions(bucket).versions().stream().map(ObjectVersion::versionId).toList())
                .containsExactly(after, "null");
    }

    @Test
    void suspendedPutsReplaceOnlyTheNullVersion() {
        String bucket = store.versionedBucket();
        String kept = store.put(bucket, "key", "kept").versionId();
        store.versioning(bucket, BucketVersioningStatus.SUSPENDED);
        store.put(bucket, "key", "null 1");
        store.put(bucket, "key", "null 2");
        assertThat(versions(bucket).versions().stream().map(ObjectVersion::versionId).toList())
                .containsExactly("null", kept);
        assertThat(store.text(bucket, "key")).isEqualTo("null 2");
        DeleteObjectResponse deleted = delete(bucket, "key");
        assertThat(deleted.versionId()).isEqualTo("null");
        assertThat(deleted.deleteMarker()).isTrue();
        assertThat(versions(bucket).versions().stream().map(ObjectVersion::versionId).toList())
                .containsExactly(kept);
        assertThat(versions(bucket).deleteMarkers())
                .singleElement()
                .satisfies(marker -> assertThat(marker.versionId()).isEqualTo("null"));
        assertThat(store.version(bucket, "key", kept).asUtf8String()).isEqualTo("kept");
    }

    @Test
    void enablingAgainKeepsTheNullVersionAmongTheOthers() {
        String bucket = store.bucket();
        store.versioning(bucket, BucketVersioningStatus.SUSPENDED);
        store.put(bucket, "key", "null");
        store.versioning(bucket, BucketVersioningStatus.ENABLED);
        String newer = store.put(bucket, "key", "newer").versionId();
        store.versioning(bucket, BucketVersioningStatus.SUSPENDED);
        store.put(bucket, "key", "null again");
        assertThat(versions(bucket).versions().stream().map(ObjectVersion::versionId).toList())
                .containsExactly("null", newer);
        assertThat(store.version(bucket, "key", "null").asUtf8String()).isEqualTo("null again");
    }

    @Test
    void batchDeleteTakesVersionsAndMakesMarkers() {
        String bucket = store.versionedBucket();
        String first = store.put(bucket, "a", "first").versionId();
        store.put(bucket, "a", "second");
        store.put(bucket, "b", "body");
        DeleteObjectsResponse deleted =
                s3.deleteObjects(
                        delete ->
                                delete.bucket(bucket)
                                        .delete(
                                                which ->
                                                        which.objects(
                                                                ObjectIdentifier.builder()
                                                                        .key("a")
                                                                        .versionId(first)
                                                                        .build(),
                                                                ObjectIdentifier.builder()
                                                                        .key("b")
                                                                        .build())));
        assertThat(deleted.errors()).isEmpty();
        assertThat(deleted.deleted()).hasSize(2);
        refused(404, "NoSuchVersion", () -> store.version(bucket, "a", first));
        assertThat(store.text(bucket, "a")).isEqualTo("second");
        refused(404, "NoSuchKey", () -> store.get(bucket, "b"));
        assertThat(versions(bucket).versions()).hasSize(2);
        assertThat(versions(bucket).deleteMarkers()).hasSize(1);
    }

    @Test
    void unknownAndMalformedVersionIdsAreToldApart() {
        String bucket = store.versionedBucket();
        String gone = store.put(bucket, "key", "body").versionId();
        delete(bucket, "key", gone);
        store.put(bucket, "key", "other");
        refused(404, "NoSuchVersion", () -> store.version(bucket, "key", gone));
        refused(400, "InvalidArgument", () -> store.version(bucket, "key", "not a version"));
        // Deleting what is not there succeeds, as for keys.
        delete(bucket, "key", gone);
        assertThat(store.text(bucket, "key")).isEqualTo("other");
    }

    @Test
    void tagsBelongToOneVersion() {
        String bucket = store.versionedBucket();
        String first =
                s3.putObject(
                                put -> put.bucket(bucket).key("key").tagging("which=first"),
                                RequestBody.fromString("first"))
                        .versionId();
        store.put(bucket, "key", "second");
        assertThat(s3.getObjectTagging(get -> get.bucket(bucket).key("key")).tagSet()).isEmpty();
        assertThat(
                        s3.getObjectTagging(get -> get.bucket(bucket).key("key").versionId(first))
                                .tagSet())
                .singleElement()
                .satisfies(tag -> assertThat(tag.value()).isEqualTo("first"));
    }

    @Test
    void listingVersionsPagesThroughKeysAndVersions() {
        String bucket = store.versionedBucket();
        List<String> expected = new ArrayList<>();
        for (String key : List.of("a", "b", "c")) {
            List<String> ids = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                ids.add(key + " " + store.put(bucket, key, key + i).versionId());
            }
            ids.add(key + " " + delete(bucket, key).versionId());
            expected.addAll(ids.reversed());
        }
        for (int pageSize : List.of(1, 2, 3, 7, 1000)) {
            List<String> seen = new ArrayList<>();
            String keyMarker = null;
            String versionMarker = null;
            ListObjectVersionsResponse page;
            do {
                String key = keyMarker;
                String version = versionMarker;
                page =
                        s3.listObjectVersions(
                                list ->
                                        list.bucket(bucket)
                                                .maxKeys(pageSize)
                                                .keyMarker(key)
                                                .versionIdMarker(version));
                // The SDK parts versions from markers; a marker is the newest of its key here.
                page.deleteMarkers().forEach(m -> seen.add(m.key() + " " + m.versionId()));
                page.versions().forEach(v -> seen.add(v.key() + " " + v.versionId()));
                assertThat(page.versions().size() + page.deleteMarkers().size())
                        .isLessThanOrEqualTo(pageSize);
                keyMarker = page.nextKeyMarker();
                versionMarker = page.nextVersionIdMarker();
            } while (Boolean.TRUE.equals(page.isTruncated()));
            assertThat(seen).as("page size %s", pageSize).hasSameElementsAs(expected);
            assertThat(seen).as("page size %s", pageSize).doesNotHaveDuplicates();
        }
    }
}
