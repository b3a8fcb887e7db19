package io.volute.system.s3;

import static io.volute.system.Store.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.volute.system.Bytes;
import io.volute.system.Clients;
import io.volute.system.SharedServer;
import io.volute.system.Store;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import software.amazon.awssdk.core.ResponseBytes;
import software.amazon.awssdk.core.async.AsyncRequestBody;
import software.amazon.awssdk.core.async.AsyncResponseTransformer;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3AsyncClient;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CompleteMultipartUploadResponse;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.ListPartsResponse;
import software.amazon.awssdk.services.s3.model.MultipartUpload;
import software.amazon.awssdk.services.s3.model.Part;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.UploadPartCopyRequest;
import software.amazon.awssdk.services.s3.model.UploadPartCopyResponse;

@ExtendWith(SharedServer.class)
class MultipartIT {
    private static final int PART = 5 << 20;
    private final Store store;
    private final S3Client s3;

    MultipartIT(Store store) {
        this.store = store;
        this.s3 = store.s3();
    }

    private String begin(String bucket, String key) {
        return s3.createMultipartUpload(create -> create.bucket(bucket).key(key)).uploadId();
    }

    private CompletedPart part(String bucket, String key, String upload, int number, byte[] body) {
        String etag =
                s3.uploadPart(
                                put ->
                                        put.bucket(bucket)
                                                .key(key)
                                                .uploadId(upload)
                                                .partNumber(number),
                                RequestBody.fromBytes(body))
                        .eTag();
        assertThat(etag).isEqualTo('"' + Bytes.md5Hex(body) + '"');
        return CompletedPart.builder().partNumber(number).eTag(etag).build();
    }

    private CompleteMultipartUploadResponse complete(
            String bucket, String key, String upload, List<CompletedPart> parts) {
        return s3.completeMultipartUpload(
                complete ->
                        complete.bucket(bucket)
                                .key(key)
                                .uploadId(upload)
                                .multipartUpload(with -> with.parts(parts)));
    }

    /** The ETag of a multipart object: the MD5 of the parts' MD5s and their number. */
    private static String etagOf(List<byte[]> parts) {
        ByteArrayOutputStream digests = new ByteArrayOutputStream();
        parts.forEach(part -> digests.writeBytes(Bytes.digest("MD5", part)));
        return '"' + Bytes.md5Hex(digests.toByteArray()) + "-" + parts.size() + '"';
    }

    private static byte[] joined(List<byte[]> parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        parts.forEach(all::writeBytes);
        return all.toByteArray();
    }

    @Test
    void partsBecomeOneObject() {
        String bucket = store.bucket();
        List<byte[]> bodies =
                List.of(Bytes.random(1, PART), Bytes.random(2, PART + 123), Bytes.random(3, 77));
        String upload =
                s3.createMultipartUpload(
                                create ->
                                        create.bucket(bucket)
                                                .key("key")
                                                .contentType("video/x")
                                                .metadata(Map.of("m", "1"))
                                                .tagging("t=1"))
                        .uploadId();
        List<CompletedPart> parts = new ArrayList<>();
        for (int number : new int[] {3, 1, 2}) {
            parts.add(part(bucket, "key", upload, number, bodies.get(number - 1)));
        }
        refused(404, "NoSuchKey", () -> store.get(bucket, "key"));
        CompleteMultipartUploadResponse done =
                complete(bucket, "key", upload, List.of(parts.get(1), parts.get(2), parts.get(0)));
        assertThat(done.eTag()).isEqualTo(etagOf(bodies));
        ResponseBytes<GetObjectResponse> whole =
                s3.getObjectAsBytes(get -> get.bucket(bucket).key("key"));
        assertThat(whole.asByteArray()).isEqualTo(joined(bodies));
        assertThat(whole.response().eTag()).isEqualTo(etagOf(bodies));
        assertThat(whole.response().contentType()).isEqualTo("video/x");
        assertThat(whole.response().metadata()).isEqualTo(Map.of("m", "1"));
        assertThat(whole.response().tagCount()).isEqualTo(1);

        ResponseBytes<GetObjectResponse> second =
                s3.getObjectAsBytes(get -> get.bucket(bucket).key("key").partNumber(2));
        assertThat(second.asByteArray()).isEqualTo(bodies.get(1));
        assertThat(second.response().partsCount()).isEqualTo(3);
        byte[] across =
                s3.getObjectAsBytes(
                                get -> get.bucket(bucket).key("key").range("bytes=5242870-5242889"))
                        .asByteArray();
        assertThat(across).isEqualTo(Arrays.copyOfRange(joined(bodies), 5_242_870, 5_242_890));
        assertThat(s3.listMultipartUploads(list -> list.bucket(bucket)).uploads()).isEmpty();
        refused(
                404,
                "NoSuchUpload",
                () -> s3.listParts(list -> list.bucket(bucket).key("key").uploadId(upload)));
    }

    @Test
    void partNumbersMayHaveGapsAndPartsMayBeLeftOut() {
        String bucket = store.bucket();
        String upload = begin(bucket, "key");
        byte[] head = Bytes.random(1, PART);
        byte[] tail = Bytes.random(2, 5);
        CompletedPart last = part(bucket, "key", upload, 9_999, tail);
        part(bucket, "key", upload, 500, Bytes.random(3, 50));
        CompletedPart first = part(bucket, "key", upload, 7, head);
        complete(bucket, "key", upload, List.of(first, last));
        assertThat(store.get(bucket, "key")).isEqualTo(joined(List.of(head, tail)));
    }

    @Test
    void anUploadedPartIsReplacedByTheNext() {
        String bucket = store.bucket();
        String upload = begin(bucket, "key");
        CompletedPart old = part(bucket, "key", upload, 1, Bytes.random(1, 100));
        byte[] body = Bytes.random(2, 200);
        CompletedPart now = part(bucket, "key", upload, 1, body);
        refused(400, "InvalidPart", () -> complete(bucket, "key", upload, List.of(old)));
        complete(bucket, "key", upload, List.of(now));
        assertThat(store.get(bucket, "key")).isEqualTo(body);
    }

    @Test
    void partsAreListedInPages() {
        String bucket = store.bucket();
        String upload = begin(bucket, "key");
        for (int number = 1; number <= 7; number++) {
            part(bucket, "key", upload, number * 10, Bytes.random(number, number));
        }
        List<Integer> seen = new ArrayList<>();
        Integer marker = null;
        ListPartsResponse page;
        do {
            Integer after = marker;
            page =
                    s3.listParts(
                            list ->
                                    list.bucket(bucket)
                                            .key("key")
                                            .uploadId(upload)
                                            .maxParts(3)
                                            .partNumberMarker(after));
            for (Part each : page.parts()) {
                seen.add(each.partNumber());
                assertThat(each.size()).isEqualTo(each.partNumber() / 10);
            }
            marker = page.nextPartNumberMarker();
        } while (Boolean.TRUE.equals(page.isTruncated()));
        assertThat(seen).containsExactly(10, 20, 30, 40, 50, 60, 70);
        s3.abortMultipartUpload(abort -> abort.bucket(bucket).key("key").uploadId(upload));
        refused(404, "NoSuchUpload", () -> part(bucket, "key", upload, 1, Bytes.random(1, 1)));
        refused(
                404,
                "NoSuchUpload",
                () ->
                        s3.abortMultipartUpload(
                                abort ->
                                        abort.bucket(bucket)
                                                .key("key")
                                                .uploadId("no-such-upload")));
    }

    @Test
    void wrongCompletionsAreRefusedAndLeaveTheUpload() {
        String bucket = store.bucket();
        String upload = begin(bucket, "key");
        CompletedPart one = part(bucket, "key", upload, 1, Bytes.random(1, 1_000));
        CompletedPart two = part(bucket, "key", upload, 2, Bytes.random(2, 1_000));
        refused(400, "InvalidPartOrder", () -> complete(bucket, "key", upload, List.of(two, one)));
        refused(400, "EntityTooSmall", () -> complete(bucket, "key", upload, List.of(one, two)));
        CompletedPart wrong =
                CompletedPart.builder().partNumber(1).eTag('"' + "0".repeat(32) + '"').build();
        refused(400, "InvalidPart", () -> complete(bucket, "key", upload, List.of(wrong)));
        CompletedPart missing = one.toBuilder().partNumber(5).build();
        refused(400, "InvalidPart", () -> complete(bucket, "key", upload, List.of(missing)));
        refused(400, "MalformedXML", () -> complete(bucket, "key", upload, List.of()));
        refused(404, "NoSuchUpload", () -> complete(bucket, "key", "nonsense", List.of(one)));
        complete(bucket, "key", upload, List.of(one));
        assertThat(store.get(bucket, "key")).isEqualTo(Bytes.random(1, 1_000));
    }

    @Test
    void partNumbersGoFrom1To10000() {
        String bucket = store.bucket();
        String upload = begin(bucket, "key");
        for (int wrong : new int[] {0, 10_001}) {
            refused(
                    400,
                    "InvalidArgument",
                    () -> part(bucket, "key", upload, wrong, new byte[] {1}));
        }
        part(bucket, "key", upload, 10_000, new byte[] {1});
    }

    private UploadPartCopyResponse copyPart(
            String bucket,
            String upload,
            int number,
            Consumer<UploadPartCopyRequest.Builder> more) {
        return s3.uploadPartCopy(
                copy ->
                        copy.sourceBucket(bucket)
                                .sourceKey("source é")
                                .destinationBucket(bucket)
                                .destinationKey("key")
                                .uploadId(upload)
                                .partNumber(number)
                                .applyMutation(more));
    }

    @Test
    void partsAreCopiedFromObjects() {
        String bucket = store.bucket();
        byte[] source = Bytes.random(5, PART + 1_000);
        store.put(bucket, "source é", source);
        String upload = begin(bucket, "key");
        UploadPartCopyResponse first =
                copyPart(bucket, upload, 1, copy -> copy.copySourceRange("bytes=0-" + (PART - 1)));
        UploadPartCopyResponse second = copyPart(bucket, upload, 2, copy -> {});
        S3Exception beyond =
                catchThrowableOfType(
                        S3Exception.class,
                        () ->
                                copyPart(
                                        bucket,
                                        upload,
                                        3,
                                        copy -> copy.copySourceRange("bytes=0-99999999")));
        // Amazon has been seen to answer either.
        assertThat(beyond.awsErrorDetails().errorCode()).isIn("InvalidArgument", "InvalidRange");
        s3.deleteObject(delete -> delete.bucket(bucket).key("source é"));
        complete(
                bucket,
                "key",
                upload,
                List.of(
                        CompletedPart.builder()
                                .partNumber(1)
                                .eTag(first.copyPartResult().eTag())
                                .build(),
                        CompletedPart.builder()
                                .partNumber(2)
                                .eTag(second.copyPartResult().eTag())
                                .build()));
        assertThat(store.get(bucket, "key"))
                .isEqualTo(joined(List.of(Arrays.copyOf(source, PART), source)));
    }

    @Test
    void completionObeysConditions() {
        String bucket = store.bucket();
        String etag = store.put(bucket, "key", "there").eTag();
        String upload = begin(bucket, "key");
        CompletedPart part = part(bucket, "key", upload, 1, new byte[] {7});
        refused(
                412,
                "PreconditionFailed",
                () ->
                        s3.completeMultipartUpload(
                                complete ->
                                        complete.bucket(bucket)
                                                .key("key")
                                                .uploadId(upload)
                                                .ifNoneMatch("*")
                                                .multipartUpload(with -> with.parts(part))));
        assertThat(store.text(bucket, "key")).isEqualTo("there");
        s3.completeMultipartUpload(
                complete ->
                        complete.bucket(bucket)
                                .key("key")
                                .uploadId(upload)
                                .ifMatch(etag)
                                .multipartUpload(with -> with.parts(part)));
        assertThat(store.get(bucket, "key")).containsExactly(7);
    }

    @Test
    void uploadsAreListedByKeyWithPrefixAndDelimiter() {
        String bucket = store.bucket();
        List<String> keys = List.of("a", "dir/1", "dir/2", "dir2/x", "z");
        keys.forEach(key -> begin(bucket, key));
        assertThat(
                        s3.listMultipartUploads(list -> list.bucket(bucket)).uploads().stream()
                                .map(MultipartUpload::key))
                .containsExactlyElementsOf(keys);
        var grouped = s3.listMultipartUploads(list -> list.bucket(bucket).delimiter("/"));
        assertThat(grouped.uploads().stream().map(MultipartUpload::key)).containsExactly("a", "z");
        assertThat(grouped.commonPrefixes().stream().map(prefix -> prefix.prefix()))
                .containsExactly("dir/", "dir2/");
        assertThat(
                        s3
                                .listMultipartUploads(list -> list.bucket(bucket).prefix("dir/"))
                                .uploads()
                                .stream()
                                .map(MultipartUpload::key))
                .containsExactly("dir/1", "dir/2");
        var page = s3.listMultipartUploads(list -> list.bucket(bucket).maxUploads(2));
        assertThat(page.isTruncated()).isTrue();
        var rest =
                s3.listMultipartUploads(
                        list ->
                                list.bucket(bucket)
                                        .keyMarker(page.nextKeyMarker())
                                        .uploadIdMarker(page.nextUploadIdMarker()));
        assertThat(rest.uploads().stream().map(MultipartUpload::key))
                .containsExactly("dir/2", "dir2/x", "z");
    }

    @Test
    void theAsynchronousClientSplitsByItself() {
        String bucket = store.bucket();
        byte[] body = Bytes.random(8, 23 << 20);
        try (S3AsyncClient async = Clients.async(store.endpoint())) {
            async.putObject(put -> put.bucket(bucket).key("key"), AsyncRequestBody.fromBytes(body))
                    .join();
            assertThat(s3.headObject(head -> head.bucket(bucket).key("key")).eTag()).contains("-");
            byte[] read =
                    async.getObject(
                                    get -> get.bucket(bucket).key("key"),
                                    AsyncResponseTransformer.toBytes())
                            .join()
                            .asByteArray();
            assertThat(read).isEqualTo(body);
            async.copyObject(
                            copy ->
                                    copy.sourceBucket(bucket)
                                            .sourceKey("key")
                                            .destinationBucket(bucket)
                                            .destinationKey("copy"))
                    .join();
        }
        assertThat(store.get(bucket, "copy")).isEqualTo(body);
    }
}
