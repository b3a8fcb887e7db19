package io.volute.server.s3.object;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.s3.S3TestCase;
import io.volute.server.s3.TestAllowance;
import io.volute.server.s3.TestRequest;
import io.volute.server.s3.TestResponse;
import io.volute.server.s3.TestSigner;
import io.volute.server.s3.request.RequestBody;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The server does not gather a document whose sender lacks permission to send it. */
final class UnreadBodiesTest extends S3TestCase {
    private static final String MD5 = "1B2M2Y8AsgTpgAmY7PhCfg==";
    private static final long ANNOUNCED = 2 << 20;

    /** A body that must not be read. */
    private static final RequestBody UNREAD =
            new RequestBody() {
                @Override
                public boolean next() {
                    throw new AssertionError("the body was read");
                }

                @Override
                public ByteBuffer buffer() {
                    throw new AssertionError("the body was read");
                }
            };

    private static String bucketWith(String statement) {
        String bucket = bed.bucketOf(bed.alice());
        String policy =
                ("{'Version':'2012-10-17','Statement':{" + statement + "}}")
                        .replace('\'', '"')
                        .replace("BUCKET", "arn:aws:s3:::" + bucket);
        TestResponse set =
                bed.request("PUT", "/" + bucket + "?policy").body(policy).sendAs(bed.alice());
        assertThat(set.status()).as(set.text()).isEqualTo(204);
        return bucket;
    }

    private static TestRequest unread(String method, String target) {
        return bed.request(method, target)
                .header("content-md5", MD5)
                .header("x-amz-content-sha256", "UNSIGNED-PAYLOAD")
                .contentLength(ANNOUNCED)
                .body(UNREAD);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "'Effect':'Deny','Principal':'*','Action':'s3:*','Resource':'BUCKET/*'",
                "'Effect':'Allow','Principal':'*','Action':'s3:Get*','Resource':'BUCKET/*'",
                "'Effect':'Allow','Principal':'*','Action':'s3:*','Resource':'BUCKET'",
                "'Effect':'Allow','Principal':'*','Action':'s3:*','Resource':'BUCKET/*',"
                        + "'Condition':{'IpAddress':{'aws:SourceIp':'198.51.100.7'}}",
                "'Effect':'Allow','Principal':'*','Action':'s3:*','Resource':'BUCKET/*',"
                        + "'Condition':{'StringLike':{'aws:UserAgent':['a*','b*']}}",
                "'Effect':'Allow','Principal':'*','Action':'s3:*','Resource':'BUCKET/*',"
                        + "'Condition':{'StringEquals':{'s3:RequestObjectTag/a':'b'}}",
                "'Effect':'Allow','Principal':'*','NotAction':'s3:DeleteObject*',"
                        + "'Resource':'BUCKET/*'",
                "'Effect':'Allow','Principal':'*','Action':'s3:*',"
                        + "'Resource':'BUCKET/${aws:nothing}'",
                "'Effect':'Allow','Principal':{'AWS':'arn:aws:iam:::user/carol'},"
                        + "'Action':'s3:*','Resource':'BUCKET/*'",
            })
    void whoMayDeleteNoKeyIsRefusedBeforeTheBody(String statement) {
        String target = "/" + bucketWith(statement) + "?delete";
        assertThat(unread("POST", target).sendAnonymous().code()).isEqualTo("AccessDenied");
        assertThat(unread("POST", target).sendAs(bed.bob()).code()).isEqualTo("AccessDenied");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "'Action':'s3:DeleteObjectVersion','Resource':'BUCKET/*'",
                "'Action':'s3:*','Resource':'BUCKET/k'",
                "'Action':'s3:*','Resource':'BUCKET*k'",
                "'Action':'s3:*','Resource':'BUCKET/*',"
                        + "'Condition':{'StringEquals':{'s3:ExistingObjectTag/a':'b'}}",
                "'NotAction':'s3:Get*','Resource':['BUCKET','BUCKET/k']",
            })
    void whoMayDeleteSomeKeysIsJudgedByEach(String rest) throws Exception {
        String bucket = bucketWith("'Effect':'Allow','Principal':'*'," + rest);
        bed.request("PUT", "/" + bucket + "/k")
                .header("x-amz-tagging", "a=b")
                .body("k")
                .sendAs(bed.alice());
        bed.request("PUT", "/" + bucket + "/x").body("x").sendAs(bed.alice());
        String version = rest.contains("Version") ? "<VersionId>null</VersionId>" : "";
        String document =
                "<Delete><Object><Key>k</Key>"
                        + version
                        + "</Object><Object><Key>x</Key></Object></Delete>";
        TestResponse deleted =
                bed.request("POST", "/" + bucket + "?delete")
                        .body(document)
                        .header(
                                "content-md5",
                                Base64.getEncoder()
                                        .encodeToString(TestSigner.md5(document.getBytes("UTF-8"))))
                        .sendAs(bed.bob());
        assertThat(deleted.text()).contains("<Deleted><Key>k</Key>");
        assertThat(deleted.text()).contains("<Error><Key>x</Key><Code>AccessDenied");
    }

    @Test
    void documentsThatPoliciesLookIntoAreReadOnlyWhenSomethingMayAllow() {
        String bucket =
                bucketWith(
                        "'Effect':'Deny','Principal':'*','Action':'s3:*','Resource':'BUCKET/*',"
                                + "'Condition':{'StringEquals':{'s3:RequestObjectTag/a':'b',"
                                + "'s3:object-lock-legal-hold':'ON'}}");
        for (String call : List.of("tagging", "retention", "legal-hold")) {
            String target = "/" + bucket + "/k?" + call;
            assertThat(unread("PUT", target).sendAnonymous().code()).isEqualTo("AccessDenied");
            assertThat(unread("PUT", target).sendAs(bed.bob()).code()).isEqualTo("AccessDenied");
        }
    }

    @Test
    void anUploadIsLookedUpBeforeItsDocument() {
        String bucket = bed.bucketOf(bed.alice());
        TestResponse put = bed.request("PUT", "/" + bucket + "/k").body("k").sendAs(bed.alice());
        assertThat(put.status()).isEqualTo(200);
        for (String key : List.of("k", "none")) {
            assertThat(
                            unread("POST", "/" + bucket + "/" + key + "?uploadId=x")
                                    .sendAs(bed.alice())
                                    .code())
                    .isEqualTo("NoSuchUpload");
        }
    }

    @Test
    void documentsBeyondTheBudgetAreToldToSlowDown() {
        String bucket = bed.bucketOf(bed.alice());
        TestAllowance none = new TestAllowance(0);
        TestResponse refused =
                bed.request("PUT", "/" + bucket + "?policy")
                        .within(none)
                        .body("{}")
                        .sendAs(bed.alice());
        assertThat(refused.status()).isEqualTo(503);
        assertThat(refused.code()).isEqualTo("SlowDown");
        assertThat(
                        bed.request("PUT", "/" + bucket + "/k")
                                .within(none)
                                .body("an object is no document")
                                .sendAs(bed.alice())
                                .status())
                .isEqualTo(200);
        assertThat(none.events()).contains("authenticated alice");
    }

    /** Reads and writes of objects take none; what has many entries takes heap for them. */
    @Test
    void pagesTakeHeapBeforeTheyAreMade() {
        String bucket = bed.bucketOf(bed.alice());
        TestAllowance none = new TestAllowance(0);
        for (String listing :
                List.of(
                        "prefix=",
                        "list-type=2",
                        "versions",
                        "uploads",
                        "policy",
                        "list-type=2&max-keys=1")) {
            assertThat(
                            bed.request("GET", "/" + bucket + "?" + listing)
                                    .within(none)
                                    .sendAs(bed.alice())
                                    .code())
                    .as(listing)
                    .isEqualTo("SlowDown");
        }
        assertThat(bed.request("GET", "/").within(none).sendAs(bed.alice()).code())
                .isEqualTo("SlowDown");
        TestAllowance small = new TestAllowance(64 << 10);
        assertThat(
                        bed.request("GET", "/" + bucket + "?list-type=2&max-keys=0")
                                .within(small)
                                .sendAs(bed.alice())
                                .status())
                .isEqualTo(200);
        assertThat(
                        bed.request("GET", "/" + bucket + "?list-type=2&max-keys=1")
                                .within(small)
                                .sendAs(bed.alice())
                                .code())
                .isEqualTo("SlowDown");
        assertThat(
                        bed.request("GET", "/" + bucket + "/none")
                                .within(none)
                                .sendAs(bed.alice())
                                .code())
                .isEqualTo("NoSuchKey");
    }
}
