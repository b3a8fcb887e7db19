package io.volute.server.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.s3.xml.XmlElement;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Codes of refusals as S3 has them, and the elements that say what is wrong. */
final class ErrorDetailsTest extends S3TestCase {
    private static String bucket;

    @BeforeAll
    static void open() {
        bucket = bed.bucket();
        bed.put("/" + bucket + "/k", "content");
    }

    private static String detail(TestResponse answer, String element) {
        return answer.xml("Error").childText(element).orElse("");
    }

    @Test
    void everyErrorNamesTheRequest() {
        XmlElement error = bed.get("/" + bucket + "/missing").xml("Error");
        assertThat(error.childText("RequestId")).contains("REQ1");
        assertThat(error.childText("HostId")).contains("REQ1");
    }

    @Test
    void aBrowserAtTheAddressGetsAPage() {
        String accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
        TestResponse page = bed.request("GET", "/").header("accept", accept).sendAnonymous();
        assertThat(page.status()).isEqualTo(403);
        assertThat(page.header("content-type")).isEqualTo("text/html; charset=utf-8");
        assertThat(page.header("content-security-policy")).startsWith("default-src 'none'");
        assertThat(page.text()).contains("Volute").contains("--endpoint-url");
        // A program that does not mind what it gets, an object, and whoever signs get XML.
        for (TestResponse other :
                new TestResponse[] {
                    bed.request("GET", "/").sendAnonymous(),
                    bed.request("GET", "/").header("accept", "text/html, */*").sendAnonymous(),
                    bed.request("GET", "/" + bucket).header("accept", accept).sendAnonymous(),
                    bed.request("GET", "/?events=x").header("accept", accept).sendAnonymous()
                }) {
            assertThat(other.header("content-type")).isEqualTo("application/xml");
        }
        assertThat(bed.request("GET", "/").header("accept", accept).send().text())
                .contains("ListAllMyBucketsResult");
    }

    private static String tag(String key, String value) {
        return "<Tag><Key>" + key + "</Key><Value>" + value + "</Value></Tag>";
    }

    private static TestResponse tags(String target, String tags) {
        return bed.request("PUT", target + "?tagging")
                .body("<Tagging><TagSet>" + tags + "</TagSet></Tagging>")
                .send();
    }

    @ParameterizedTest
    @CsvSource({"''", "/k"})
    void aRefusedTagIsNamed(String key) {
        String target = "/" + bucket + key;
        TestResponse repeated = tags(target, tag("d", "1") + tag("d", "2"));
        assertThat(repeated.code()).isEqualTo("InvalidTag");
        assertThat(detail(repeated, "TagKey")).isEqualTo("d");
        TestResponse name = tags(target, tag("a!", "1"));
        assertThat(detail(name, "TagKey")).isEqualTo("a!");
        TestResponse value = tags(target, tag("a", "b!"));
        assertThat(detail(value, "TagKey")).isEqualTo("a");
        assertThat(detail(value, "TagValue")).isEqualTo("b!");
        StringBuilder many = new StringBuilder();
        for (int i = 0; i < 51; i++) {
            many.append(tag("k" + i, "v"));
        }
        assertThat(tags(target, many.toString()).code()).isEqualTo("BadRequest");
    }

    @Test
    void aPartThatIsTooSmallOrUnknownIsNamed() {
        String upload = bed.request("POST", "/" + bucket + "/up?uploads").send().uploadId();
        String target = "/" + bucket + "/up?uploadId=" + upload;
        StringBuilder parts = new StringBuilder();
        for (int number = 1; number <= 2; number++) {
            String etag =
                    bed.request("PUT", target + "&partNumber=" + number)
                            .body("a")
                            .send()
                            .header("etag");
            parts.append("<Part><PartNumber>" + number + "</PartNumber>")
                    .append("<ETag>" + etag + "</ETag></Part>");
        }
        TestResponse small = complete(target, parts.toString());
        assertThat(small.code()).isEqualTo("EntityTooSmall");
        assertThat(detail(small, "ProposedSize")).isEqualTo("1");
        assertThat(detail(small, "MinSizeAllowed")).isNotEmpty();
        assertThat(detail(small, "PartNumber")).isEqualTo("1");
        assertThat(detail(small, "ETag")).isEqualTo("0cc175b9c0f1b6a831c399e269772661");
        TestResponse other =
                complete(target, "<Part><PartNumber>7</PartNumber><ETag>\"0\"</ETag></Part>");
        assertThat(other.code()).isEqualTo("InvalidPart");
        assertThat(detail(other, "PartNumber")).isEqualTo("7");
    }

    private static TestResponse complete(String target, String parts) {
        return bed.request("POST", target)
                .body("<CompleteMultipartUpload>" + parts + "</CompleteMultipartUpload>")
                .send();
    }

    @ParameterizedTest
    @CsvSource({
        "'',InvalidLocationConstraint",
        "abc,InvalidLocationConstraint",
        "us-east,InvalidLocationConstraint",
        "EU,IllegalLocationConstraintException",
        "eu-west-1,IllegalLocationConstraintException",
        "us-gov-west-1,IllegalLocationConstraintException"
    })
    void aLocationIsARegionAndThatOfTheServer(String location, String code) {
        String name = bed.freshName();
        assertThat(
                        bed.request("PUT", "/" + name)
                                .body(
                                        "<CreateBucketConfiguration><LocationConstraint>"
                                                + location
                                                + "</LocationConstraint>"
                                                + "</CreateBucketConfiguration>")
                                .send()
                                .code())
                .isEqualTo(code);
        assertThat(bed.get("/" + name).code()).isEqualTo("NoSuchBucket");
    }

    @ParameterizedTest
    @CsvSource({
        "account-regional,NotImplemented",
        "Global,InvalidArgument",
        "'',InvalidArgument",
        "global,200"
    })
    void theOnlyNamespaceIsTheGlobalOne(String namespace, String code) {
        String name = bed.freshName();
        assertThat(
                        bed.request("PUT", "/" + name)
                                .header("x-amz-bucket-namespace", namespace)
                                .send()
                                .code())
                .isEqualTo(code);
        assertThat(bed.request("HEAD", "/" + name).send().status())
                .isEqualTo(code.equals("200") ? 200 : 404);
    }

    @Test
    void aPlusInACopySourceIsABlank() {
        bed.put("/" + bucket + "/c%2B%2B", "plus");
        bed.put("/" + bucket + "/c%20%20", "blanks");
        TestRequest raw =
                bed.request("PUT", "/" + bucket + "/copy")
                        .header("x-amz-copy-source", bucket + "/c++");
        assertThat(raw.send().status()).isEqualTo(200);
        assertThat(bed.get("/" + bucket + "/copy").text()).isEqualTo("blanks");
        TestRequest encoded =
                bed.request("PUT", "/" + bucket + "/copy")
                        .header("x-amz-copy-source", bucket + "/c%2B%2B");
        assertThat(encoded.send().status()).isEqualTo(200);
        assertThat(bed.get("/" + bucket + "/copy").text()).isEqualTo("plus");
    }

    @Test
    void aCopyHasNoBody() {
        String target = "/" + bucket + "/copied";
        String upload = bed.request("POST", target + "?uploads").send().uploadId();
        for (String query : new String[] {"", "?partNumber=1&uploadId=" + upload}) {
            assertThat(
                            bed.request("PUT", target + query)
                                    .header("x-amz-copy-source", bucket + "/k")
                                    .body("other")
                                    .send()
                                    .code())
                    .isEqualTo("InvalidRequest");
        }
        assertThat(bed.get(target).code()).isEqualTo("NoSuchKey");
    }

    @ParameterizedTest
    @CsvSource({"Upper/k", "a/k", "a_b/k", "%20/k"})
    void aCopySourceNamesABucketThatCanBe(String source) {
        TestResponse refused =
                bed.request("PUT", "/" + bucket + "/copy")
                        .header("x-amz-copy-source", source)
                        .send();
        assertThat(refused.code()).isEqualTo("InvalidArgument");
        assertThat(refused.text()).contains("Invalid copy source bucket name");
    }

    @Test
    void aPostToABucketIsAForm() {
        TestResponse answer = bed.request("POST", "/" + bucket).body("x").send();
        assertThat(answer.status()).isEqualTo(412);
        assertThat(answer.code()).isEqualTo("PreconditionFailed");
        assertThat(detail(answer, "Condition")).contains("multipart/form-data");
    }

    @ParameterizedTest
    @CsvSource({"versioning", "tagging", "cors", "lifecycle", "encryption", "replication"})
    void aDocumentThatIsMissingIsNamed(String configuration) {
        assertThat(bed.request("PUT", "/" + bucket + "?" + configuration).send().code())
                .isEqualTo("MissingRequestBodyError");
    }

    @Test
    void attributesAreNamed() {
        String target = "/" + bucket + "/k?attributes";
        assertThat(bed.get(target).code()).isEqualTo("InvalidRequest");
        assertThat(
                        bed.request("GET", target)
                                .header("x-amz-object-attributes", " , ")
                                .send()
                                .code())
                .isEqualTo("InvalidRequest");
        assertThat(
                        bed.request("GET", target)
                                .header("x-amz-object-attributes", "ETag,Size")
                                .send()
                                .code())
                .isEqualTo("InvalidArgument");
    }

    @Test
    void anOverriddenHeaderIsLatin1() {
        String target = "/" + bucket + "/k?response-content-disposition=";
        assertThat(bed.get(target + "a%C2%AE").header("content-disposition"))
                .isEqualTo(new String(new byte[] {'a', (byte) 0xAE}, StandardCharsets.ISO_8859_1));
        assertThat(bed.get(target + "a%E2%80%93").code()).isEqualTo("InvalidArgument");
    }
}
