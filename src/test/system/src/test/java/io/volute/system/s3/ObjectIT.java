package io.volute.system.s3;

import static io.volute.system.Store.refused;
import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.Bytes;
import io.volute.system.SharedServer;
import io.volute.system.Store;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.core.ResponseBytes;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.DeleteObjectsResponse;
import software.amazon.awssdk.services.s3.model.DeletedObject;
import software.amazon.awssdk.services.s3.model.GetObjectAttributesResponse;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.ObjectAttributes;
import software.amazon.awssdk.services.s3.model.ObjectIdentifier;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.Tag;
import software.amazon.awssdk.services.s3.model.Tagging;

@ExtendWith(SharedServer.class)
class ObjectIT {
    private final Store store;
    private final S3Client s3;

    ObjectIT(Store store) {
        this.store = store;
        this.s3 = store.s3();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 1023, 4096, 65_535, 65_536, 65_537, 1 << 20, (9 << 20) + 7})
    void comesBackByteForByte(int length) {
        String bucket = store.bucket();
        byte[] body = Bytes.random(length, length);
        String etag = store.put(bucket, "key", body).eTag();
        assertThat(etag).isEqualTo('"' + Bytes.md5Hex(body) + '"');
        assertThat(store.get(bucket, "key")).isEqualTo(body);
        HeadObjectResponse head = s3.headObject(request -> request.bucket(bucket).key("key"));
        assertThat(head.contentLength()).isEqualTo(length);
        assertThat(head.eTag()).isEqualTo(etag);
        assertThat(head.lastModified()).isBeforeOrEqualTo(Instant.now().plusSeconds(2));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a",
                "with space",
                "plus+and%percent",
                "ünïcödé/\u65e5\u672c\u8a9e/\ud83d\udc1a",
                "a//b",
                "/leading",
                "trailing/",
                "~!@$&'()*,;=:._-",
                "?query=1#fragment",
                "\"quoted\" <tag> \\back",
                "..",
                "a/../b",
                "./a"
            })
    void keepsItsKeyExactly(String key) {
        String bucket = store.bucket();
        store.put(bucket, key, key);
        assertThat(store.text(bucket, key)).isEqualTo(key);
        assertThat(s3.listObjectsV2(list -> list.bucket(bucket)).contents())
                .singleElement()
                .satisfies(only -> assertThat(only.key()).isEqualTo(key));
        s3.deleteObject(delete -> delete.bucket(bucket).key(key));
        refused(404, "NoSuchKey", () -> store.get(bucket, key));
    }

    @Test
    void keysGoToExactly1024Bytes() {
        String bucket = store.bucket();
        String longest = "ü".repeat(512);
        store.put(bucket, longest, "body");
        assertThat(store.text(bucket, longest)).isEqualTo("body");
        refused(400, "KeyTooLongError", () -> store.put(bucket, longest + "x", "body"));
    }

    @Test
    void keepsItsHeadersAndMetadata() {
        String bucket = store.bucket();
        s3.putObject(
                put ->
                        put.bucket(bucket)
                                .key("key")
                                .contentType("text/x-volute; charset=utf-8")
                                .cacheControl("max-age=60")
                                .contentDisposition("attachment; filename=\"f.txt\"")
                                .contentEncoding("gzip")
                                .contentLanguage("de-CH")
                                .expires(Instant.ofEpochSecond(1_900_000_000))
                                .metadata(Map.of("colour", "blue", "mixed-case", "A b  C")),
                RequestBody.fromString("body"));
        HeadObjectResponse head = s3.headObject(request -> request.bucket(bucket).key("key"));
        assertThat(head.contentType()).isEqualTo("text/x-volute; charset=utf-8");
        assertThat(head.cacheControl()).isEqualTo("max-age=60");
        assertThat(head.contentDisposition()).isEqualTo("attachment; filename=\"f.txt\"");
        assertThat(head.contentEncoding()).isEqualTo("gzip");
        assertThat(head.contentLanguage()).isEqualTo("de-CH");
        assertThat(head.expiresString()).isEqualTo("Sun, 17 Mar 2030 17:46:40 GMT");
        assertThat(head.metadata()).containsEntry("colour", "blue").hasSize(2);
        GetObjectResponse get =
                s3.getObjectAsBytes(request -> request.bucket(bucket).key("key")).response();
        assertThat(get.metadata()).isEqualTo(head.metadata());
        assertThat(get.contentType()).isEqualTo(head.contentType());
    }

    @Test
    void withoutContentTypeIsAStreamOfBytes() {
        String bucket = store.bucket();
        s3.putObject(
                put -> put.bucket(bucket).key("key"), RequestBody.fromBytes(new byte[] {1, 2, 3}));
        assertThat(s3.headObject(head -> head.bucket(bucket).key("key")).contentType())
                .isIn("application/octet-stream", "binary/octet-stream");
    }

    @Test
    void thatIsNotThereIsRefusedByName() {
        String bucket = store.bucket();
        refused(404, "NoSuchKey", () -> store.get(bucket, "missing"));
        refused(404, "", () -> s3.headObject(head -> head.bucket(bucket).key("missing")));
        refused(404, "NoSuchBucket", () -> store.get("no-such-bucket-here", "key"));
        refused(404, "NoSuchBucket", () -> store.put("no-such-bucket-here", "key", "body"));
        s3.deleteObject(delete -> delete.bucket(bucket).key("missing"));
    }

    @Test
    void overwritingReplacesBytesAndAttributes() {
        String bucket = store.bucket();
        s3.putObject(
                put -> put.bucket(bucket).key("key").metadata(Map.of("old", "1")),
                RequestBody.fromString("first"));
        store.put(bucket, "key", "second");
        ResponseBytes<GetObjectResponse> now =
                s3.getObjectAsBytes(get -> get.bucket(bucket).key("key"));
        assertThat(now.asUtf8String()).isEqualTo("second");
        assertThat(now.response().metadata()).isEmpty();
        assertThat(now.response().versionId()).isNull();
    }

    @Test
    void answersOverridesOfItsHeaders() {
        String bucket = store.bucket();
        store.put(bucket, "key", "body");
        GetObjectResponse response =
                s3.getObjectAsBytes(
                                get ->
                                        get.bucket(bucket)
                                                .key("key")
                                                .responseContentType("text/csv")
                                                .responseCacheControl("no-cache")
                                                .responseContentDisposition("inline")
                                                .responseContentEncoding("identity")
                                                .responseContentLanguage("fr"))
                        .response();
        assertThat(response.contentType()).isEqualTo("text/csv");
        assertThat(response.cacheControl()).isEqualTo("no-cache");
        assertThat(response.contentDisposition()).isEqualTo("inline");
        assertThat(response.contentEncoding()).isEqualTo("identity");
        assertThat(response.contentLanguage()).isEqualTo("fr");
    }

    @Test
    void withTheWrongContentMd5IsNotStored() {
        String bucket = store.bucket();
        byte[] body = Bytes.random(3, 100_000);
        refused(
                400,
                "BadDigest",
                () ->
                        s3.putObject(
                                put ->
                                        put.bucket(bucket)
                                                .key("key")
                                                .contentMD5(Bytes.md5Base64(new byte[] {1})),
                                RequestBody.fromBytes(body)));
        refused(404, "NoSuchKey", () -> store.get(bucket, "key"));
        s3.putObject(
                put -> put.bucket(bucket).key("key").contentMD5(Bytes.md5Base64(body)),
                RequestBody.fromBytes(body));
        assertThat(store.get(bucket, "key")).isEqualTo(body);
    }

    // ---- ranges

    private ResponseBytes<GetObjectResponse> range(String bucket, String range) {
        return s3.getObjectAsBytes(get -> get.bucket(bucket).key("key").range(range));
    }

    @Test
    void rangesAreExact() {
        String bucket = store.bucket();
        byte[] body = Bytes.random(9, 300_001);
        store.put(bucket, "key", body);
        record Case(String range, int begin, int end) {}
        List<Case> cases =
                List.of(
                        new Case("bytes=0-0", 0, 1),
                        new Case("bytes=5-9", 5, 10),
                        new Case("bytes=65530-65545", 65_530, 65_546),
                        new Case("bytes=300000-", 300_000, 300_001),
                        new Case("bytes=-7", 300_001 - 7, 300_001),
                        new Case("bytes=-999999", 0, 300_001),
                        new Case("bytes=299999-999999", 299_999, 300_001));
        for (Case each : cases) {
            ResponseBytes<GetObjectResponse> part = range(bucket, each.range());
            assertThat(part.asByteArray())
                    .as(each.range())
                    .isEqualTo(java.util.Arrays.copyOfRange(body, each.begin(), each.end()));
            assertThat(part.response().contentRange())
                    .isEqualTo("bytes " + each.begin() + "-" + (each.end() - 1) + "/300001");
            assertThat(part.response().sdkHttpResponse().statusCode()).isEqualTo(206);
        }
        refused(416, "InvalidRange", () -> range(bucket, "bytes=300001-"));
        refused(416, "InvalidRange", () -> range(bucket, "bytes=-0"));
    }

    @Test
    void rangesOfNonsenseAreIgnored() {
        String bucket = store.bucket();
        store.put(bucket, "key", "0123456789");
        for (String nonsense : List.of("bytes=9-5", "lines=0-1", "bytes=a-b")) {
            assertThat(range(bucket, nonsense).asUtf8String()).as(nonsense).isEqualTo("0123456789");
        }
    }

    @Test
    void headAnswersRangesToo() {
        String bucket = store.bucket();
        store.put(bucket, "key", "0123456789");
        HeadObjectResponse head =
                s3.headObject(get -> get.bucket(bucket).key("key").range("bytes=2-4"));
        assertThat(head.contentLength()).isEqualTo(3);
    }

    // ---- tags and attributes

    private List<Tag> tags(String bucket) {
        return s3.getObjectTagging(get -> get.bucket(bucket).key("key")).tagSet();
    }

    private static Tag tag(String key, String value) {
        return Tag.builder().key(key).value(value).build();
    }

    @Test
    void tagsComeWithThePutOrLater() {
        String bucket = store.bucket();
        s3.putObject(
                put -> put.bucket(bucket).key("key").tagging("project=volute&empty="),
                RequestBody.fromString("body"));
        assertThat(tags(bucket))
                .containsExactlyInAnyOrder(tag("project", "volute"), tag("empty", ""));
        assertThat(s3.getObjectAsBytes(get -> get.bucket(bucket).key("key")).response().tagCount())
                .isEqualTo(2);
        s3.putObjectTagging(
                put ->
                        put.bucket(bucket)
                                .key("key")
                                .tagging(
                                        Tagging.builder()
                                                .tagSet(tag("ключ", "значение"), tag("a", "b c"))
                                                .build()));
        assertThat(tags(bucket))
                .containsExactlyInAnyOrder(tag("ключ", "значение"), tag("a", "b c"));
        assertThat(store.text(bucket, "key")).isEqualTo("body");
        s3.deleteObjectTagging(delete -> delete.bucket(bucket).key("key"));
        assertThat(tags(bucket)).isEmpty();
    }

    @Test
    void elevenTagsOrATagTwiceAreRefused() {
        String bucket = store.bucket();
        store.put(bucket, "key", "body");
        List<Tag> eleven = new ArrayList<>();
        for (int i = 0; i < 11; i++) {
            eleven.add(tag("t" + i, "v"));
        }
        S3Exception tooMany =
                refused(
                        400,
                        "",
                        () ->
                                s3.putObjectTagging(
                                        put ->
                                                put.bucket(bucket)
                                                        .key("key")
                                                        .tagging(to -> to.tagSet(eleven))));
        assertThat(tooMany.awsErrorDetails().errorCode()).isIn("BadRequest", "InvalidTag");
        refused(
                400,
                "InvalidTag",
                () ->
                        s3.putObjectTagging(
                                put ->
                                        put.bucket(bucket)
                                                .key("key")
                                                .tagging(
                                                        to ->
                                                                to.tagSet(
                                                                        tag("a", "1"),
                                                                        tag("a", "2")))));
        assertThat(tags(bucket)).isEmpty();
    }

    @Test
    void attributesNameSizeTagAndChecksum() {
        String bucket = store.bucket();
        byte[] body = Bytes.random(4, 5_000);
        store.put(bucket, "key", body);
        GetObjectAttributesResponse attributes =
                s3.getObjectAttributes(
                        get ->
                                get.bucket(bucket)
                                        .key("key")
                                        .objectAttributes(
                                                ObjectAttributes.E_TAG,
                                                ObjectAttributes.OBJECT_SIZE,
                                                ObjectAttributes.CHECKSUM,
                                                ObjectAttributes.STORAGE_CLASS));
        assertThat(attributes.eTag()).isEqualTo(Bytes.md5Hex(body));
        assertThat(attributes.objectSize()).isEqualTo(5_000);
        assertThat(attributes.checksum().checksumCRC32()).isNotEmpty();
        assertThat(attributes.storageClassAsString()).isEqualTo("STANDARD");
    }

    // ---- batch delete

    @Test
    void manyAreDeletedAtOnceAndMissingOnesCountAsDeleted() {
        String bucket = store.bucket();
        List<ObjectIdentifier> names = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            String key = "k/" + i + "&<é>";
            names.add(ObjectIdentifier.builder().key(key).build());
            if (i % 2 == 0) {
                store.put(bucket, key, "body");
            }
        }
        store.put(bucket, "stays", "body");
        DeleteObjectsResponse deleted =
                s3.deleteObjects(
                        delete -> delete.bucket(bucket).delete(which -> which.objects(names)));
        assertThat(deleted.errors()).isEmpty();
        assertThat(deleted.deleted().stream().map(DeletedObject::key))
                .containsExactlyInAnyOrderElementsOf(
                        names.stream().map(ObjectIdentifier::key).toList());
        assertThat(s3.listObjectsV2(list -> list.bucket(bucket)).contents())
                .singleElement()
                .satisfies(only -> assertThat(only.key()).isEqualTo("stays"));
    }

    @Test
    void quietBatchDeleteNamesOnlyErrors() {
        String bucket = store.bucket();
        store.put(bucket, "a", "body");
        DeleteObjectsResponse deleted =
                s3.deleteObjects(
                        delete ->
                                delete.bucket(bucket)
                                        .delete(
                                                which ->
                                                        which.quiet(true)
                                                                .objects(
                                                                        ObjectIdentifier.builder()
                                                                                .key("a")
                                                                                .build())));
        assertThat(deleted.deleted()).isEmpty();
        assertThat(deleted.errors()).isEmpty();
        refused(404, "NoSuchKey", () -> store.get(bucket, "a"));
    }
}
