package io.volute.server.s3.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.s3.S3TestCase;
import io.volute.server.s3.TestRequest;
import io.volute.server.s3.TestResponse;
import io.volute.server.s3.TestSigner;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A caller without permission to list or read does not learn what exists. Requests have one
 * reading.
 */
final class ToldToStrangersTest extends S3TestCase {
    private static String bucket;

    /** Bob may write and read below {@code bob/}, and may list nothing. */
    @BeforeAll
    static void makeBucket() {
        bucket = bed.bucketOf(bed.alice());
        String policy =
                ("{'Version':'2012-10-17','Statement':[{'Effect':'Allow','Principal':{'AWS':"
                                + "'arn:aws:iam:::user/bob'},'Action':['s3:PutObject*',"
                                + "'s3:DeleteObject'],'Resource':'BUCKET/*'},{'Effect':'Allow',"
                                + "'Principal':{'AWS':'arn:aws:iam:::user/bob'},"
                                + "'Action':'s3:GetObject','Resource':'BUCKET/bob/*'}]}")
                        .replace('\'', '"')
                        .replace("BUCKET", "arn:aws:s3:::" + bucket);
        assertThat(
                        bed.request("PUT", "/" + bucket + "?policy")
                                .body(policy)
                                .sendAs(bed.alice())
                                .status())
                .isEqualTo(204);
        for (String key : List.of("secret", "bob/own")) {
            assertThat(
                            bed.request("PUT", "/" + bucket + "/" + key)
                                    .body("x")
                                    .sendAs(bed.alice())
                                    .status())
                    .isEqualTo(200);
        }
    }

    private static String ofBob(TestRequest request) {
        return request.sendAs(bed.bob()).code();
    }

    private static TestRequest request(String method, String key) {
        return bed.request(method, "/" + bucket + "/" + key);
    }

    @Test
    void everybodyLearnsThatThereIsNoBucket() {
        String missing = "/" + bed.freshName();
        for (String method : List.of("GET", "HEAD", "DELETE")) {
            for (String target : List.of(missing, missing + "/k")) {
                assertThat(bed.request(method, target).sendAnonymous().status())
                        .as(method + target)
                        .isEqualTo(404);
                assertThat(
                                bed.request(method, target.replace(missing, "/" + bucket))
                                        .sendAnonymous()
                                        .status())
                        .as(method + target)
                        .isEqualTo(403);
            }
        }
        assertThat(bed.get(missing).code()).isEqualTo("NoSuchBucket");
        assertThat(bed.request("PUT", missing + "/k").body("x").sendAnonymous().code())
                .isEqualTo("NoSuchBucket");
        assertThat(bed.request("PUT", missing).sendAnonymous().code()).isEqualTo("AccessDenied");
        assertThat(bed.request("PUT", missing + "?x-id=CreateBucket").sendAnonymous().code())
                .isEqualTo("AccessDenied");
        assertThat(bed.request("GET", "/").sendAnonymous().code()).isEqualTo("AccessDenied");
        assertThat(bed.request("GET", "/No_Bucket").sendAnonymous().code())
                .isEqualTo("AccessDenied");
    }

    @ParameterizedTest
    @ValueSource(strings = {"PUT", "DELETE"})
    void aConditionTellsNothingOfKeysThatMayNotBeRead(String method) {
        for (String key : List.of("secret", "missing")) {
            assertThat(ofBob(request(method, key).header("if-match", "\"0\"")))
                    .as(key)
                    .isEqualTo("AccessDenied");
        }
        assertThat(ofBob(request(method, "bob/own").header("if-match", "\"0\"")))
                .isEqualTo("PreconditionFailed");
        if (method.equals("PUT")) {
            assertThat(ofBob(request(method, "bob/missing").header("if-match", "\"0\"")))
                    .isEqualTo("AccessDenied");
        }
    }

    @Test
    void aConditionInAListOfKeysTellsNothing() throws Exception {
        StringBuilder document = new StringBuilder("<Delete>");
        for (String key : List.of("secret", "missing", "bob/own")) {
            document.append("<Object><Key>" + key + "</Key><ETag>\"0\"</ETag></Object>");
        }
        String text = document + "</Delete>";
        TestResponse answer =
                bed.request("POST", "/" + bucket + "?delete")
                        .body(text)
                        .header(
                                "content-md5",
                                Base64.getEncoder()
                                        .encodeToString(TestSigner.md5(text.getBytes("UTF-8"))))
                        .sendAs(bed.bob());
        assertThat(answer.text())
                .contains("<Key>secret</Key><Code>AccessDenied</Code>")
                .contains("<Key>missing</Key><Code>AccessDenied</Code>")
                .contains("<Key>bob/own</Key><Code>PreconditionFailed</Code>");
    }

    @ParameterizedTest
    @CsvSource({
        "secret, AccessDenied",
        "missing, AccessDenied",
        "bob/missing, AccessDenied",
        "bob/own, 200"
    })
    void aCopyTellsNothingOfItsSource(String source, String code) {
        assertThat(
                        ofBob(
                                request("PUT", "bob/copy")
                                        .header("x-amz-copy-source", "/" + bucket + "/" + source)))
                .isEqualTo(code);
    }

    @Test
    void whoMayListIsToldOfACopyWithoutSource() {
        assertThat(
                        request("PUT", "copy")
                                .header("x-amz-copy-source", "/" + bucket + "/missing")
                                .sendAs(bed.alice())
                                .code())
                .isEqualTo("NoSuchKey");
    }

    @ParameterizedTest
    @ValueSource(strings = {"secret?tagging", "missing?tagging"})
    void tagsOfWhatIsNotThereAreDenied(String target) {
        String tags = "<Tagging><TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet></Tagging>";
        assertThat(ofBob(request("PUT", target).body(tags)))
                .isEqualTo(target.startsWith("secret") ? "200" : "AccessDenied");
    }

    @ParameterizedTest
    @ValueSource(strings = {"//x", "//", "///", "//bucket/key"})
    void aKeyWithoutABucketIsNoListOfBuckets(String path) {
        TestResponse answer = bed.request("GET", path).send();
        assertThat(answer.code()).isEqualTo("InvalidURI");
    }

    /** Signed or not, in both kinds of signature and without one. */
    @Test
    void aHeaderOfTheProtocolIsThereOnce() {
        for (String name : List.of("x-amz-tagging", "x-amz-acl", "x-volute-actor")) {
            TestRequest put = request("PUT", "twice").header(name, "one").unsigned(name, "two");
            assertThat(put.sendAs(bed.alice()).code()).as(name).isEqualTo("InvalidArgument");
            assertThat(put.sendAnonymous().code()).as(name).isEqualTo("InvalidArgument");
            assertThat(put.sendPresigned(60).code()).as(name).isEqualTo("InvalidArgument");
        }
        // Lines of metadata are joined, and signed so.
        assertThat(
                        request("PUT", "twice")
                                .header("x-amz-meta-a", "one")
                                .unsigned("x-amz-meta-a", "two")
                                .sendAs(bed.alice())
                                .code())
                .isEqualTo("SignatureDoesNotMatch");
    }
}
