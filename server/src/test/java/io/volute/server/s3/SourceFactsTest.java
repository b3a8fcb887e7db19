package io.volute.server.s3;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Facts about the source of an imported version: who may state them, and where they are shown. */
final class SourceFactsTest extends S3TestCase {
    private static final String ID = "x-volute-source-version-id";
    private static final String TIME = "x-volute-source-last-modified";
    private static final String PLACE = "x-volute-source";

    private String bucket;

    @BeforeEach
    void make() {
        bucket = bed.bucketOf(bed.alice());
    }

    private void allowBob(String actions) {
        String policy =
                "{'Statement':{'Effect':'Allow',"
                        + "'Principal':{'AWS':'arn:aws:iam::000000000000:user/bob'},"
                        + "'Action':[ACTIONS],'Resource':'arn:aws:s3:::BUCKET/*'}}";
        TestResponse put =
                bed.request("PUT", "/" + bucket + "?policy")
                        .body(
                                policy.replace("ACTIONS", actions)
                                        .replace("BUCKET", bucket)
                                        .replace('\'', '"'))
                        .sendAs(bed.alice());
        assertThat(put.status()).as(put.text()).isEqualTo(204);
    }

    @Test
    void theyAreStoredAndShownBesideTheVersionsOwn() {
        TestResponse put =
                bed.request("PUT", "/" + bucket + "/k")
                        .header(PLACE, "http://192.0.2.1:9000/photos/k")
                        .header(ID, "8a7e")
                        .header(TIME, "2020-01-02T03:04:05.678Z")
                        .body("content")
                        .send();
        assertThat(put.status()).as(put.text()).isEqualTo(200);
        TestResponse head = bed.request("HEAD", "/" + bucket + "/k").send();
        assertThat(head.header(ID)).isEqualTo("8a7e");
        assertThat(head.header(TIME)).isEqualTo("2020-01-02T03:04:05.678Z");
        assertThat(head.header(PLACE)).isEqualTo("http://192.0.2.1:9000/photos/k");
        assertThat(head.header("last-modified")).contains("2026");
    }

    @Test
    void anUploadInPartsHasThemToo() {
        String begun =
                bed.request("POST", "/" + bucket + "/k?uploads").header(ID, "8a7e").send().text();
        String upload = begun.replaceAll("(?s).*<UploadId>(.*)</UploadId>.*", "$1");
        String at = "/" + bucket + "/k?uploadId=" + upload;
        String etag = bed.request("PUT", at + "&partNumber=1").body("part").send().header("etag");
        bed.request("POST", at)
                .body(
                        "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>"
                                + etag
                                + "</ETag></Part></CompleteMultipartUpload>")
                .send();
        assertThat(bed.request("HEAD", "/" + bucket + "/k").send().header(ID)).isEqualTo("8a7e");
    }

    /** A writer does not make up where an object came from. */
    @ParameterizedTest
    @ValueSource(strings = {ID, TIME, PLACE})
    void aWriterCannotStateThem(String name) {
        String value = name.equals(TIME) ? "2020-01-02T03:04:05Z" : "v";
        allowBob("'s3:*'");
        TestRequest put = bed.request("PUT", "/" + bucket + "/k").header(name, value).body("b");
        assertThat(put.sendAs(bed.bob()).code()).isEqualTo("AccessDenied");
        assertThat(
                        bed.request("POST", "/" + bucket + "/k?uploads")
                                .header(name, value)
                                .sendAs(bed.bob())
                                .code())
                .isEqualTo("AccessDenied");
        assertThat(bed.request("HEAD", "/" + bucket + "/k").send().status()).isEqualTo(404);
    }

    @Test
    void aCopyIsNotFromThere() {
        bed.request("PUT", "/" + bucket + "/k").header(ID, "8a7e").body("content").send();
        TestResponse copy =
                bed.request("PUT", "/" + bucket + "/copy")
                        .header("x-amz-copy-source", "/" + bucket + "/k")
                        .send();
        assertThat(copy.status()).as(copy.text()).isEqualTo(200);
        assertThat(bed.request("HEAD", "/" + bucket + "/copy").send().header(ID)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"yesterday", "2020-13-01T00:00:00Z", ""})
    void aTimeThatIsNoneIsRefused(String time) {
        assertThat(
                        bed.request("PUT", "/" + bucket + "/k")
                                .header(TIME, time)
                                .body("content")
                                .send()
                                .code())
                .isEqualTo("InvalidArgument");
    }
}
