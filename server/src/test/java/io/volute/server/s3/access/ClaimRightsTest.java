package io.volute.server.s3.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.auditlog.AuditTrail;
import io.volute.server.auth.policy.Authority;
import io.volute.server.credentials.Credential;
import io.volute.server.credentials.Credential.Kind;
import io.volute.server.credentials.CredentialStore;
import io.volute.server.credentials.FixedCredentials;
import io.volute.server.s3.S3Protocol;
import io.volute.server.s3.S3Settings;
import io.volute.server.s3.S3TestBed;
import io.volute.server.s3.S3TestCase;
import io.volute.server.s3.TestBody;
import io.volute.server.s3.TestRequest;
import io.volute.server.s3.TestResponse;
import io.volute.server.s3.TestSigner;
import io.volute.server.s3.request.RequestBody;
import io.volute.versioning.value.VersionId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests the rights to claim that a version is a replica or an import. {@code s3:*} gives none, nor
 * does a policy of the bucket, which {@code s3:*} may write.
 */
final class ClaimRightsTest extends S3TestCase {
    private static final String REPLICA = "x-volute-replica";
    private static final String SOURCE = "x-volute-source";
    private static final String ORIGIN =
            "00000000-0000-0000-0000-000000000009/away/" + VersionId.format(1L << 50, false);
    private static final String ALL_OF_S3 = "'Action':'s3:*'";
    private static final String CLAIMS =
            "'Action':['s3:*','volute:ClaimReplica','volute:ImportObject']";

    private static final TestSigner CAROL =
            new TestSigner("CAROL", "carolsecret", S3TestBed.DATE, S3TestBed.REGION);

    private String bucket;
    private String rights = ALL_OF_S3;
    private Instant now = S3TestBed.NOW;

    @BeforeEach
    void make() {
        bucket = bed.versionedBucket();
    }

    private static String json(String text) {
        return text.replace('\'', '"');
    }

    private S3Protocol as(Kind kind) {
        Optional<Credential.Session> session =
                kind == Kind.ROLE
                        ? Optional.of(
                                new Credential.Session(
                                        "run", "BOB", "bob", Instant.MAX, Optional.empty()))
                        : Optional.empty();
        Credential carol =
                new Credential("CAROL", "carolsecret", "carol", "Carol", kind, 0, session);
        CredentialStore users = S3TestBed.credentials().or(new FixedCredentials(List.of(carol)));
        return new S3Protocol(
                bed.store(),
                users,
                new Authority(who -> who.principal().equals("carol") ? policies() : List.of()),
                new S3Settings(S3TestBed.REGION, List.of(), () -> now, true),
                AuditTrail.NONE);
    }

    /** The policies of carol as they are now. */
    private List<String> policies() {
        return List.of(json("{'Statement':{'Effect':'Allow'," + rights + ",'Resource':'*'}}"));
    }

    private TestResponse send(TestRequest request) {
        return request.over(as(Kind.USER)).sendAs(CAROL);
    }

    private TestRequest request(String method, String target) {
        return bed.request(method, "/" + bucket + target);
    }

    private TestRequest put(String header) {
        return request("PUT", "/k").header(header, value(header)).body("content");
    }

    private static String value(String header) {
        return header.equals(REPLICA)
                ? ORIGIN
                : header.endsWith("last-modified") ? "2001-01-01T00:00:00Z" : "elsewhere";
    }

    /** Sets a policy of the bucket for everybody, with {@code s3:*} alone. */
    private void giveToAll(String actions) {
        TestResponse set =
                send(
                        request("PUT", "?policy")
                                .body(
                                        json(
                                                "{'Statement':{'Effect':'Allow','Principal':'*',"
                                                        + actions
                                                        + ",'Resource':['arn:aws:s3:::"
                                                        + bucket
                                                        + "','arn:aws:s3:::"
                                                        + bucket
                                                        + "/*']}}")));
        assertThat(set.status()).as(set.text()).isEqualTo(204);
    }

    private void assertNothingIsThere() {
        assertThat(request("GET", "?versions").send().text()).doesNotContain("<Key>");
    }

    @ParameterizedTest
    @CsvSource({
        "x-volute-replica,volute:ClaimReplica",
        "x-volute-source,volute:ImportObject",
        "x-volute-source-version-id,volute:ImportObject",
        "x-volute-source-last-modified,volute:ImportObject"
    })
    void allOfS3IsNotEnoughAndTheAnswerNamesTheRight(String header, String right) {
        TestResponse refused = send(put(header));
        assertThat(refused.code()).isEqualTo("AccessDenied");
        assertThat(refused.text()).contains(right);
        assertNothingIsThere();
        rights = CLAIMS;
        assertThat(send(put(header)).code()).isEqualTo("200");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {"'Action':'*'", "'Action':['*','s3:*']", "'NotAction':'s3:DeleteObject'"})
    void aPolicyThatS3MayWriteGivesNone(String actions) {
        giveToAll(actions);
        for (String header : List.of(REPLICA, SOURCE)) {
            assertThat(send(put(header)).code()).isEqualTo("AccessDenied");
            assertThat(put(header).sendAs(bed.bob()).code()).isEqualTo("AccessDenied");
            assertThat(put(header).sendAnonymous().code()).isEqualTo("AccessDenied");
        }
        assertNothingIsThere();
        assertThat(request("PUT", "/k").body("content").sendAnonymous().code()).isEqualTo("200");
    }

    @Test
    void aPolicyOfTheBucketThatNamesASessionGivesNone() {
        TestResponse set =
                request("PUT", "?policy")
                        .body(
                                json(
                                        "{'Statement':{'Effect':'Allow','Principal':{'AWS':"
                                                + "'arn:aws:sts::000000000000:assumed-role/carol"
                                                + "/run'},'Action':'*','Resource':'arn:aws:s3:::"
                                                + bucket
                                                + "/*'}}"))
                        .send();
        assertThat(set.status()).as(set.text()).isEqualTo(204);
        assertThat(put(REPLICA).over(as(Kind.ROLE)).sendAs(CAROL).code()).isEqualTo("AccessDenied");
    }

    @Test
    void aDenyOfTheBucketCounts() {
        rights = CLAIMS;
        TestResponse set =
                request("PUT", "?policy")
                        .body(
                                json(
                                        "{'Statement':{'Effect':'Deny','Principal':'*','NotAction':"
                                                + "'s3:*','Resource':'arn:aws:s3:::"
                                                + bucket
                                                + "/*'}}"))
                        .send();
        assertThat(set.status()).as(set.text()).isEqualTo(204);
        assertThat(send(put(REPLICA)).code()).isEqualTo("AccessDenied");
    }

    /** Web identities act as roles. */
    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            names = {"USER", "ROLE"})
    void usersAndSessionsNeedTheRight(Kind kind) {
        assertThat(put(REPLICA).over(as(kind)).sendAs(CAROL).code()).isEqualTo("AccessDenied");
        rights = CLAIMS;
        assertThat(put(REPLICA).over(as(kind)).sendAs(CAROL).code()).isEqualTo("200");
    }

    @Test
    void conditionsOfThePolicyCount() {
        rights = CLAIMS + ",'Condition':{'IpAddress':{'aws:SourceIp':'198.51.100.0/24'}}";
        assertThat(send(put(REPLICA)).code()).isEqualTo("AccessDenied");
        assertThat(send(put(REPLICA).from("198.51.100.7")).code()).isEqualTo("200");
    }

    @Test
    void aUrlTakesNoClaimThatItsSignerDidNotSign() {
        TestResponse added =
                request("PUT", "/k").unsigned(REPLICA, ORIGIN).body("x").sendPresigned(60);
        assertThat(added.code()).isEqualTo("AccessDenied");
        assertThat(added.text()).contains(REPLICA);
        TestResponse signed = put(REPLICA).over(as(Kind.USER)).sendPresigned(CAROL, 60, Map.of());
        assertThat(signed.code()).isEqualTo("AccessDenied");
        assertNothingIsThere();
        rights = CLAIMS;
        assertThat(put(REPLICA).over(as(Kind.USER)).sendPresigned(CAROL, 60, Map.of()).code())
                .isEqualTo("200");
    }

    private static final String COMPLETION =
            "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>ETAG</ETag></Part>"
                    + "</CompleteMultipartUpload>";

    @Test
    void noRequestThatMakesOrHidesAVersionTakesAClaimWithoutTheRight() {
        bed.put("/" + bucket + "/there", "content");
        List<TestRequest> claims =
                List.of(
                        put(REPLICA),
                        request("PUT", "/k")
                                .header("x-amz-copy-source", "/" + bucket + "/there")
                                .header(REPLICA, ORIGIN),
                        request("PUT", "/k")
                                .header("x-amz-copy-source", "/" + bucket + "/there")
                                .header(SOURCE, "elsewhere"),
                        request("POST", "/k?uploads").header(REPLICA, ORIGIN),
                        request("POST", "/k?uploads").header(SOURCE, "elsewhere"),
                        request("POST", "/k?uploadId=" + begin())
                                .header(REPLICA, ORIGIN)
                                .body(COMPLETION),
                        request("DELETE", "/there").header(REPLICA, ORIGIN),
                        request("DELETE", "/there?tagging").header(REPLICA, ORIGIN));
        for (TestRequest each : claims) {
            assertThat(send(each).code()).isEqualTo("AccessDenied");
        }
        assertThat(bed.get("/" + bucket + "/there").text()).isEqualTo("content");
        assertThat(request("HEAD", "/k").send().status()).isEqualTo(404);
    }

    private String begin() {
        return uploadId(request("POST", "/k?uploads").send());
    }

    private static String uploadId(TestResponse begun) {
        assertThat(begun.status()).as(begun.text()).isEqualTo(200);
        return begun.text().replaceAll("(?s).*<UploadId>(.*)</UploadId>.*", "$1");
    }

    /** A claim that would be dropped is refused, whoever makes it. */
    @ParameterizedTest
    @ValueSource(strings = {REPLICA, SOURCE, "x-volute-source-last-modified"})
    void aClaimIsNotDropped(String header) {
        String upload = "/k?uploadId=" + begin();
        List<TestRequest> claims =
                List.of(
                        request("PUT", upload + "&partNumber=1").body("part"),
                        request("DELETE", upload),
                        request("POST", "?delete").body("<Delete/>"),
                        request("PUT", "?versioning").body("<VersioningConfiguration/>"),
                        request("PUT", "/k?acl"));
        for (TestRequest each : claims) {
            assertThat(each.header(header, value(header)).send().code())
                    .isEqualTo("InvalidArgument");
        }
    }

    @Test
    void whoCompletesAnImportMakesItsClaim() {
        String upload = uploadId(request("POST", "/k?uploads").header(SOURCE, "elsewhere").send());
        String target = "/k?uploadId=" + upload;
        String etag = send(request("PUT", target + "&partNumber=1").body("forged")).header("etag");
        String parts = COMPLETION.replace("ETAG", etag);
        TestResponse refused = send(request("POST", target).body(parts));
        assertThat(refused.code()).isEqualTo("AccessDenied");
        assertThat(refused.text()).contains("volute:ImportObject");
        assertNothingIsThere();
        rights = CLAIMS;
        assertThat(send(request("POST", target).body(parts)).status()).isEqualTo(200);
        assertThat(request("HEAD", "/k").send().header(SOURCE)).isEqualTo("elsewhere");
    }

    /** Something happens before the last byte of the body. */
    private record Slow(TestBody body, int bytes, Runnable event) implements RequestBody {
        @Override
        public boolean next() {
            if (body.pulled() == bytes) {
                event.run();
            }
            return body.next();
        }

        @Override
        public ByteBuffer buffer() {
            return body.buffer();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {REPLICA, SOURCE})
    void aRightThatWasTakenAwayDuringTheBodyIsNone(String header) {
        rights = CLAIMS;
        byte[] bytes = "content".getBytes(StandardCharsets.UTF_8);
        Runnable event =
                () -> {
                    now = now.plusSeconds(60);
                    rights = ALL_OF_S3;
                };
        TestResponse answer =
                send(
                        request("PUT", "/k")
                                .header(header, value(header))
                                .header("x-amz-content-sha256", "UNSIGNED-PAYLOAD")
                                .contentLength(bytes.length)
                                .body(new Slow(new TestBody(bytes, 1), bytes.length, event)));
        assertThat(answer.code()).isEqualTo("AccessDenied");
        assertNothingIsThere();
    }
}
