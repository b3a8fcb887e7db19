package io.volute.server.s3.object;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.s3.S3TestCase;
import io.volute.server.s3.TestResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** PutObject, GetObject, HeadObject and DeleteObject through the protocol. */
final class ObjectOperationsTest extends S3TestCase {
    @ParameterizedTest
    @CsvSource({
        "/other,200",
        "http://other/,200",
        "https://other/,200",
        "other,InvalidRedirectLocation",
        "javascript:x,InvalidRedirectLocation"
    })
    void redirectsGoToASiteOrAPath(String location, String expected) {
        String header = "x-amz-website-redirect-location";
        String target = "/" + bed.bucket() + "/k";
        TestResponse put = bed.request("PUT", target).header(header, location).send();
        assertThat(put.code()).isEqualTo(expected);
    }

    @Test
    void returnsWhatWasPut() {
        String bucket = bed.bucket();
        TestResponse put =
                bed.request("PUT", "/" + bucket + "/a%20dir/k%C3%A4y")
                        .body("hello")
                        .header("content-type", "text/plain")
                        .header("cache-control", "no-store")
                        .header("content-encoding", "aws-chunked,gzip")
                        .header("x-amz-meta-colour", "blue")
                        .header("x-amz-website-redirect-location", "/elsewhere")
                        .send();
        assertThat(put.code()).isEqualTo("200");
        assertThat(put.header("etag")).isEqualTo("\"5d41402abc4b2a76b9719d911017c592\"");
        assertThat(put.hasHeader("x-amz-version-id")).isFalse();

        TestResponse got = bed.get("/" + bucket + "/a%20dir/k%C3%A4y");
        assertThat(got.text()).isEqualTo("hello");
        assertThat(got.header("content-type")).isEqualTo("text/plain");
        assertThat(got.header("cache-control")).isEqualTo("no-store");
        assertThat(got.header("content-encoding")).isEqualTo("gzip");
        assertThat(got.header("x-amz-meta-colour")).isEqualTo("blue");
        assertThat(got.header("x-amz-website-redirect-location")).isEqualTo("/elsewhere");
        assertThat(got.header("last-modified")).isEqualTo("Sat, 21 Nov 2026 10:00:00 GMT");
        assertThat(got.header("accept-ranges")).isEqualTo("bytes");
        assertThat(got.hasHeader("x-amz-checksum-crc64nvme")).isFalse();
        assertThat(
                        bed.request("GET", "/" + bucket + "/a%20dir/k%C3%A4y")
                                .header("x-amz-checksum-mode", "ENABLED")
                                .send()
                                .header("x-amz-checksum-crc64nvme"))
                .isEqualTo(put.header("x-amz-checksum-crc64nvme"))
                .isNotEmpty();
    }

    @Test
    void headAnnouncesLengthWithoutBody() {
        String bucket = bed.bucket();
        bed.put("/" + bucket + "/k", "12345");
        TestResponse head = bed.request("HEAD", "/" + bucket + "/k").send();
        assertThat(head.status()).isEqualTo(200);
        assertThat(head.response().content())
                .isEqualTo(new io.volute.server.s3.request.S3Response.Content.None(5));
        assertThat(head.header("content-type")).isEqualTo("binary/octet-stream");
        TestResponse missing = bed.request("HEAD", "/" + bucket + "/no").send();
        assertThat(missing.status()).isEqualTo(404);
        assertThat(missing.body()).isEmpty();
    }

    @Test
    void deletesAndReportsMissingKeys() {
        String bucket = bed.bucket();
        bed.put("/" + bucket + "/k", "12345");
        assertThat(bed.request("DELETE", "/" + bucket + "/k").send().status()).isEqualTo(204);
        assertThat(bed.get("/" + bucket + "/k").code()).isEqualTo("NoSuchKey");
        assertThat(bed.request("DELETE", "/" + bucket + "/k").send().status()).isEqualTo(204);
        assertThat(bed.get("/nosuchbucket/k").code()).isEqualTo("NoSuchBucket");
    }
}
