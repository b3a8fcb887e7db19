package io.volute.server.s3.past;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.s3.S3TestCase;
import io.volute.server.s3.TestRequest;
import io.volute.server.s3.TestResponse;
import io.volute.server.s3.TestSigner;
import java.time.Instant;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** The past as the source of copies: how it is restored. */
final class CopyFromPastTest extends S3TestCase {

    private static TestRequest copy(String target, String source) {
        return bed.request("PUT", target).header("x-amz-copy-source", source);
    }

    @Test
    void bringsBackWhatWasDeleted() {
        String bucket = bed.versionedBucket();
        bed.put("/" + bucket + "/k%20%C3%A4", "content");
        Instant then = bed.pause();
        bed.request("DELETE", "/" + bucket + "/k%20%C3%A4").send();
        bed.pause();
        String source = Past.alias(bucket, then) + "/k%20%C3%A4";
        assertThat(copy("/" + bucket + "/k%20%C3%A4", source).send().status()).isEqualTo(200);
        assertThat(bed.get("/" + bucket + "/k%20%C3%A4").text()).isEqualTo("content");
    }

    @Test
    void copiesWhatTheVersionCarried() {
        String bucket = bed.versionedBucket();
        String first =
                bed.request("PUT", "/" + bucket + "/k")
                        .header("content-type", "text/plain")
                        .header("x-amz-meta-a", "1")
                        .header("x-amz-tagging", "t=v")
                        .header(
                                "x-amz-checksum-sha256",
                                "7XACtDnprIRfIjV9giusFERzD722AW0+yUMil7nsn3M=")
                        .body("content")
                        .send()
                        .header("x-amz-version-id");
        String alias = Past.alias(bucket, bed.pause());
        bed.put("/" + bucket + "/k", "spoilt");
        bed.pause();

        // Onto itself, without a change: it is one, for the source is another state.
        TestResponse copied = copy("/" + bucket + "/k", "/" + alias + "/k").send();
        assertThat(copied.status()).as(copied.text()).isEqualTo(200);
        assertThat(copied.header("x-amz-copy-source-version-id")).isEqualTo(first);
        assertThat(copied.xml("CopyObjectResult").childText("ETag"))
                .contains("\"9a0364b9e99bb480dd25e1f0284c8555\"");
        assertThat(copied.xml("CopyObjectResult").childText("ChecksumSHA256"))
                .contains("7XACtDnprIRfIjV9giusFERzD722AW0+yUMil7nsn3M=");
        TestResponse got = bed.get("/" + bucket + "/k");
        assertThat(got.text()).isEqualTo("content");
        assertThat(got.header("content-type")).isEqualTo("text/plain");
        assertThat(got.header("x-amz-meta-a")).isEqualTo("1");
        assertThat(got.header("x-amz-tagging-count")).isEqualTo("1");
        assertThat(got.header("x-amz-version-id")).isNotEqualTo(first);

        assertThat(
                        copy("/" + bucket + "/r", alias + "/k?versionId=" + first)
                                .header("x-amz-metadata-directive", "REPLACE")
                                .header("x-amz-checksum-algorithm", "CRC32")
                                .send()
                                .text())
                .contains("<ChecksumCRC32>");
        assertThat(bed.get("/" + bucket + "/r").hasHeader("x-amz-meta-a")).isFalse();
    }

    @Test
    void conditionsOfSourceAndTargetHold() {
        String bucket = bed.versionedBucket();
        String etag = bed.put("/" + bucket + "/k", "one").header("etag");
        String alias = Past.alias(bucket, bed.pause());
        String newEtag = bed.put("/" + bucket + "/k", "two").header("etag");
        bed.request("DELETE", "/" + bucket + "/k").send();
        String deleted = Past.alias(bucket, bed.pause());
        assertThat(
                        copy("/" + bucket + "/c", alias + "/k")
                                .header("x-amz-copy-source-if-match", newEtag)
                                .send()
                                .code())
                .isEqualTo("PreconditionFailed");
        assertThat(copy("/" + bucket + "/c", deleted + "/k").send().code()).isEqualTo("NoSuchKey");
        for (int expected : new int[] {200, 412}) {
            assertThat(
                            copy("/" + bucket + "/c", alias + "/k")
                                    .header("x-amz-copy-source-if-match", etag)
                                    .header("if-none-match", "*")
                                    .send()
                                    .status())
                    .isEqualTo(expected);
        }
        assertThat(bed.get("/" + bucket + "/c").text()).isEqualTo("one");
    }

    @Test
    void whatWasUploadedInPartsComesBackAsOneBody() {
        String bucket = bed.versionedBucket();
        upload(bucket, "k", "a".repeat(70_000), "tail");
        String alias = Past.alias(bucket, bed.pause());
        bed.put("/" + bucket + "/k", "spoilt");
        bed.pause();
        TestResponse copied = copy("/" + bucket + "/k", alias + "/k").send();
        assertThat(copied.status()).as(copied.text()).isEqualTo(200);
        TestResponse got = bed.get("/" + bucket + "/k");
        assertThat(got.text()).isEqualTo("a".repeat(70_000) + "tail");
        String md5 = HexFormat.of().formatHex(TestSigner.md5(got.body()));
        assertThat(got.header("etag")).isEqualTo("\"" + md5 + "\"");
    }

    @Test
    void partsAreCopiedFromThePast() {
        String bucket = bed.versionedBucket();
        bed.put("/" + bucket + "/k", "0123456789");
        String alias = Past.alias(bucket, bed.pause());
        bed.put("/" + bucket + "/k", "spoilt");
        bed.pause();
        String id = bed.request("POST", "/" + bucket + "/u?uploads").send().uploadId();
        TestResponse part =
                copy("/" + bucket + "/u?uploadId=" + id + "&partNumber=1", alias + "/k")
                        .header("x-amz-copy-source-range", "bytes=2-5")
                        .send();
        assertThat(part.status()).as(part.text()).isEqualTo(200);
        complete(bucket, "u", id, part.xml("CopyPartResult").childText("ETag").orElseThrow());
        assertThat(bed.get("/" + bucket + "/u").text()).isEqualTo("2345");
    }

    @Test
    void refusesWhatReadingThereWouldRefuse() {
        String bucket = bed.bucketOf(bed.alice());
        bed.request("PUT", "/" + bucket + "/k").body("alice's").sendAs(bed.alice());
        Instant then = bed.pause();
        String own = bed.bucketOf(bed.bob());
        String source = Past.alias(bucket, then) + "/k";
        assertThat(copy("/" + own + "/k", source).sendAs(bed.bob()).code())
                .isEqualTo("AccessDenied");
        assertThat(
                        copy("/" + bucket + "/c", source)
                                .header("x-amz-source-expected-bucket-owner", "bob")
                                .sendAs(bed.alice())
                                .code())
                .isEqualTo("AccessDenied");
        TestResponse early =
                copy("/" + own + "/k", Past.alias(own, then.plusSeconds(600)) + "/k").send();
        assertThat(early.code()).isEqualTo("InvalidArgument");
        assertThat(early.text()).contains("not over yet");
        assertThat(copy("/" + own + "/k", Past.alias(own, then) + "/k").send().code())
                .isEqualTo("NoSuchBucket");
        // The header is about the request, which is a write.
        assertThat(
                        copy("/" + bucket + "/c", bucket + "/k")
                                .header("x-volute-at", then.toString())
                                .sendAs(bed.alice())
                                .code())
                .isEqualTo("InvalidArgument");
    }

    private static void upload(String bucket, String key, String... parts) {
        String id = bed.request("POST", "/" + bucket + "/" + key + "?uploads").send().uploadId();
        String[] etags = new String[parts.length];
        for (int i = 0; i < parts.length; i++) {
            String target = "/" + bucket + "/" + key + "?uploadId=" + id + "&partNumber=" + (i + 1);
            etags[i] = bed.put(target, parts[i]).header("etag");
        }
        complete(bucket, key, id, etags);
    }

    private static void complete(String bucket, String key, String id, String... etags) {
        StringBuilder document = new StringBuilder("<CompleteMultipartUpload>");
        for (int i = 0; i < etags.length; i++) {
            document.append("<Part><PartNumber>").append(i + 1).append("</PartNumber><ETag>");
            document.append(etags[i]).append("</ETag></Part>");
        }
        TestResponse completed =
                bed.request("POST", "/" + bucket + "/" + key + "?uploadId=" + id)
                        .body(document + "</CompleteMultipartUpload>")
                        .send();
        assertThat(completed.status()).as(completed.text()).isEqualTo(200);
    }
}
