package io.volute.server.s3.encryption;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.s3.S3TestCase;
import io.volute.server.s3.TestRequest;
import io.volute.server.s3.TestResponse;
import io.volute.server.s3.past.Past;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Encryption contexts of SSE-KMS, as S3 takes, keeps and answers them. */
final class EncryptionContextTest extends S3TestCase {
    private static final String MODE = "x-amz-server-side-encryption";
    private static final String CONTEXT = MODE + "-context";
    private static final String HR = base64("{\"team\":\"hr\"}");

    private String bucket;

    @BeforeEach
    void makeBucket() {
        bucket = "/" + bed.versionedBucket();
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private static TestRequest sealed(TestRequest request) {
        return request.header(MODE, "aws:kms").header(CONTEXT, HR);
    }

    private static void assertRepeated(TestResponse answer) {
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        assertThat(answer.header(CONTEXT)).isEqualTo(HR);
    }

    /** S3 answers the context to writes alone. */
    private static void assertReadable(String path) {
        TestResponse got = bed.get(path);
        assertThat(got.text()).isEqualTo("content");
        assertThat(got.header(MODE)).isEqualTo("aws:kms");
        assertThat(got.header(CONTEXT)).isEmpty();
    }

    @Test
    void anObjectHasItNowAndInThePast() {
        assertRepeated(sealed(bed.request("PUT", bucket + "/k").body("content")).send());
        assertReadable(bucket + "/k");
        Instant then = bed.pause();
        bed.put(bucket + "/k", "plain");
        assertReadable("/" + Past.alias(bucket.substring(1), then) + "/k");
    }

    @Test
    void anUploadHasIt() {
        TestResponse begun = sealed(bed.request("POST", bucket + "/k?uploads")).send();
        assertRepeated(begun);
        String id = begun.uploadId();
        TestResponse part =
                bed.request("PUT", bucket + "/k?partNumber=1&uploadId=" + id)
                        .body("content")
                        .send();
        assertThat(part.header(CONTEXT)).isEmpty();
        TestResponse done =
                bed.request("POST", bucket + "/k?uploadId=" + id)
                        .body(
                                "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>"
                                        + part.header("etag")
                                        + "</ETag></Part></CompleteMultipartUpload>")
                        .send();
        assertThat(done.status()).as(done.text()).isEqualTo(200);
        assertReadable(bucket + "/k");
    }

    /** A copy has the context that its request names, not that of its source. */
    @Test
    void copiesNameTheirOwn() {
        sealed(bed.request("PUT", bucket + "/k").body("content")).send();
        TestRequest copy =
                bed.request("PUT", bucket + "/copy").header("x-amz-copy-source", bucket + "/k");
        assertRepeated(sealed(copy).send());
        assertReadable(bucket + "/copy");
        TestResponse without =
                bed.request("PUT", bucket + "/without")
                        .header("x-amz-copy-source", bucket + "/copy")
                        .header(MODE, "aws:kms")
                        .send();
        assertThat(without.header(CONTEXT)).isEmpty();
        assertReadable(bucket + "/without");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"a\":1}",
                "{\"a\":{\"b\":\"c\"}}",
                "[\"a\"]",
                "text",
                "{\"a\":\"b\"} more",
                "{\"aws:s3:arn\":\"arn:aws:s3:::other/k\"}"
            })
    void whatIsNoMapOfTextsIsRefused(String json) {
        TestResponse refused =
                bed.request("PUT", bucket + "/k")
                        .header(MODE, "aws:kms")
                        .header(CONTEXT, base64(json))
                        .body("content")
                        .send();
        assertThat(refused.code()).as(refused.text()).isEqualTo("InvalidArgument");
        assertThat(refused.text()).contains(CONTEXT);
    }

    @Test
    void itIsBase64AndBelongsToNamedKeys() {
        for (String mode : new String[] {"AES256", ""}) {
            TestRequest put = bed.request("PUT", bucket + "/k").header(CONTEXT, HR).body("content");
            TestResponse refused = (mode.isEmpty() ? put : put.header(MODE, mode)).send();
            assertThat(refused.code()).isEqualTo("InvalidArgument");
        }
        TestResponse refused =
                bed.request("PUT", bucket + "/k")
                        .header(MODE, "aws:kms")
                        .header(CONTEXT, "{}")
                        .body("content")
                        .send();
        assertThat(refused.code()).isEqualTo("InvalidArgument");
        bed.put(bucket + "/k", "content");
        TestResponse read = bed.request("GET", bucket + "/k").header(CONTEXT, HR).send();
        assertThat(read.code()).isEqualTo("InvalidArgument");
    }
}
