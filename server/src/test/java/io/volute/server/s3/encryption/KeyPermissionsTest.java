package io.volute.server.s3.encryption;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.auditlog.AuditTrail;
import io.volute.server.auth.policy.Authority;
import io.volute.server.credentials.Credential;
import io.volute.server.credentials.Credential.Kind;
import io.volute.server.credentials.CredentialStore;
import io.volute.server.encryption.DataKeys;
import io.volute.server.encryption.Keyring;
import io.volute.server.encryption.MemoryPlace;
import io.volute.server.s3.S3Protocol;
import io.volute.server.s3.S3Settings;
import io.volute.server.s3.S3TestBed;
import io.volute.server.s3.S3TestCase;
import io.volute.server.s3.TestRequest;
import io.volute.server.s3.TestResponse;
import io.volute.server.s3.TestSigner;
import io.volute.server.s3.past.Past;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A policy decides about the use of a named key, and nothing gets around it. */
final class KeyPermissionsTest extends S3TestCase {
    private static final String MODE = "x-amz-server-side-encryption";
    private static final String KEY_ID = MODE + "-aws-kms-key-id";
    private static final String ARN = "arn:aws:kms:us-east-1:000000000000:key/";
    private static final String S3 = statement("Allow", "s3:*", "*", "");
    private static final String ENCRYPTS = allows("kms:GenerateDataKey", ARN + "payroll");
    private static final String DECRYPTS = allows("kms:Decrypt", ARN + "payroll");

    private static S3Protocol protocol;
    private static final Map<String, List<String>> POLICIES = new HashMap<>();
    private static Optional<String> sessionPolicy = Optional.empty();
    private String bucket;

    @BeforeAll
    static void open() throws IOException {
        Keyring keyring = MemoryPlace.keyring();
        keyring.require(List.of("reports", "payroll"));
        CredentialStore users =
                new CredentialStore() {
                    @Override
                    public Optional<Credential> find(String key) {
                        return key.equals("CAROL")
                                ? Optional.of(carol(Optional.empty()))
                                : S3TestBed.credentials().find(key);
                    }

                    @Override
                    public Optional<Credential> session(String key, String token) {
                        return Optional.of(
                                carol(
                                        Optional.of(
                                                new Credential.Session(
                                                        "nightly",
                                                        "CAROL",
                                                        "carol",
                                                        S3TestBed.NOW.plusSeconds(900),
                                                        sessionPolicy))));
                    }
                };
        protocol =
                new S3Protocol(
                        bed.store(),
                        users,
                        new Authority(who -> POLICIES.getOrDefault(who.principal(), List.of())),
                        new S3Settings("us-east-1", List.of(), () -> S3TestBed.NOW, true)
                                .withEncryption(
                                        new Encryption(
                                                Optional.of(
                                                        new DataKeys(keyring, Optional.empty())),
                                                Set.of("payroll"),
                                                true)),
                        AuditTrail.NONE);
    }

    private static Credential carol(Optional<Credential.Session> session) {
        return new Credential("CAROL", "carolsecret", "carol", "carol", Kind.USER, 0, session);
    }

    @BeforeEach
    void makeBucket() {
        bucket = "/" + bed.bucket();
        POLICIES.clear();
        POLICIES.put("carol", List.of(S3));
        sessionPolicy = Optional.empty();
    }

    private static String statement(String effect, String action, String resource, String more) {
        return ("{\"Version\":\"2012-10-17\",\"Statement\":"
                        + "{\"Effect\":\"%s\",\"Action\":\"%s\",\"Resource\":\"%s\"%s}}")
                .formatted(effect, action, resource, more);
    }

    private static String allows(String action, String resource) {
        return statement("Allow", action, resource, "");
    }

    private static void carolHas(String... policies) {
        POLICIES.put("carol", List.of(policies));
    }

    private static TestResponse as(String who, TestRequest request) {
        return request.over(protocol)
                .sendAs(
                        new TestSigner(
                                who,
                                who.equals("ROOTKEY") ? "rootsecret" : who.toLowerCase() + "secret",
                                S3TestBed.DATE,
                                S3TestBed.REGION));
    }

    private static TestResponse carol(String method, String path) {
        return as("CAROL", bed.request(method, path));
    }

    private static TestRequest under(String key, TestRequest request) {
        return request.header(MODE, "aws:kms").header(KEY_ID, key);
    }

    private static TestResponse put(String who, String path, String key) {
        return as(who, under(key, bed.request("PUT", path).body("content")));
    }

    private static void assertDenied(TestResponse answer, String action) {
        assertThat(answer.code()).as(answer.text()).isEqualTo("AccessDenied");
        assertThat(answer.text()).contains(action).contains(ARN + "payroll");
    }

    private static void assertDone(TestResponse answer) {
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    }

    /** Stores whose policies allow {@code s3:*} alone go on. */
    @Test
    void aKeyThatIsNotRestrictedNeedsNoPermission() {
        for (String key : List.of("reports", "aws/s3", ARN + "reports")) {
            assertDone(put("CAROL", bucket + "/k", key));
            assertDone(carol("GET", bucket + "/k"));
        }
    }

    @Test
    void aRestrictedKeyNeedsThePermissionsToEncryptAndToDecrypt() {
        assertDenied(put("CAROL", bucket + "/k", "payroll"), "kms:GenerateDataKey");
        assertDenied(put("CAROL", bucket + "/k", ARN + "payroll"), "kms:GenerateDataKey");
        carolHas(S3, DECRYPTS);
        assertDenied(put("CAROL", bucket + "/k", "payroll"), "kms:GenerateDataKey");
        carolHas(S3, ENCRYPTS);
        assertDone(put("CAROL", bucket + "/k", "payroll"));
        assertDenied(carol("GET", bucket + "/k"), "kms:Decrypt");
        carolHas(S3, DECRYPTS);
        assertThat(carol("GET", bucket + "/k").text()).isEqualTo("content");
    }

    @ParameterizedTest
    @ValueSource(strings = {"kms:*", "kms:GenerateDataKey*", "*"})
    void wildcardsAllowAndAnotherKeyDoesNot(String actions) {
        carolHas(S3, allows(actions, ARN + "reports"));
        assertDenied(put("CAROL", bucket + "/k", "payroll"), "kms:GenerateDataKey");
        carolHas(S3, allows(actions, "*"));
        assertDone(put("CAROL", bucket + "/k", "payroll"));
    }

    @Test
    void aDenialCountsForEveryKeyAndWins() {
        carolHas(S3, statement("Deny", "kms:*", "*", ""));
        assertThat(put("CAROL", bucket + "/k", "reports").code()).isEqualTo("AccessDenied");
        assertThat(put("CAROL", bucket + "/k", "unknown").code()).isEqualTo("AccessDenied");
        carolHas(S3, ENCRYPTS, statement("Deny", "kms:GenerateDataKey", ARN + "pay*", ""));
        assertDenied(put("CAROL", bucket + "/k", "payroll"), "kms:GenerateDataKey");
        assertDone(put("CAROL", bucket + "/k", "reports"));
    }

    /** The key of SSE-S3 is the store's, and no policy is about it. */
    @Test
    void encryptionByTheStoreNeedsNothing() {
        carolHas(S3, statement("Deny", "kms:*", "*", ""));
        assertDone(as("CAROL", bed.request("PUT", bucket + "/k").header(MODE, "AES256").body("c")));
        assertDone(carol("GET", bucket + "/k"));
    }

    @Test
    void ownershipOfTheBucketAndPoliciesOfBucketsOpenNoKey() {
        String own = "/" + bed.bucketOf(bed.alice());
        assertDenied(put("ALICE", own + "/k", "payroll"), "kms:GenerateDataKey");
        assertDone(put("ROOTKEY", own + "/k", "payroll"));
        assertDenied(as("ALICE", bed.request("GET", own + "/k")), "kms:Decrypt");
        String everything =
                "{\"Version\":\"2012-10-17\",\"Statement\":{\"Effect\":\"Allow\","
                        + "\"Principal\":\"*\",\"Action\":\"*\",\"Resource\":\"arn:aws:s3:::"
                        + own.substring(1)
                        + "/*\"}}";
        assertThat(bed.request("PUT", own + "?policy").body(everything).send().status())
                .isEqualTo(204);
        assertDenied(as("ALICE", bed.request("GET", own + "/k")), "kms:Decrypt");
        TestResponse stranger = bed.request("GET", own + "/k").over(protocol).sendAnonymous();
        assertDenied(stranger, "kms:Decrypt");
    }

    @Test
    void theDefaultOfABucketIsNoWayAround() {
        String document =
                "<ServerSideEncryptionConfiguration><Rule><ApplyServerSideEncryptionByDefault>"
                        + "<SSEAlgorithm>aws:kms</SSEAlgorithm><KMSMasterKeyID>payroll"
                        + "</KMSMasterKeyID></ApplyServerSideEncryptionByDefault></Rule>"
                        + "</ServerSideEncryptionConfiguration>";
        assertDone(as("ROOTKEY", bed.request("PUT", bucket + "?encryption").body(document)));
        assertDenied(
                as("CAROL", bed.request("PUT", bucket + "/k").body("content")),
                "kms:GenerateDataKey");
        carolHas(S3, ENCRYPTS);
        assertDone(as("CAROL", bed.request("PUT", bucket + "/k").body("content")));
    }

    @Test
    void aCopyDecryptsItsSourceAndEncryptsItsTarget() {
        assertDone(put("ROOTKEY", bucket + "/source", "payroll"));
        TestRequest plain =
                bed.request("PUT", bucket + "/t").header("x-amz-copy-source", bucket + "/source");
        assertDenied(as("CAROL", plain), "kms:Decrypt");
        carolHas(S3, DECRYPTS);
        TestRequest sealed =
                bed.request("PUT", bucket + "/t").header("x-amz-copy-source", bucket + "/source");
        assertDenied(as("CAROL", under("payroll", sealed)), "kms:GenerateDataKey");
        carolHas(S3, ENCRYPTS);
        TestRequest shared =
                bed.request("PUT", bucket + "/t").header("x-amz-copy-source", bucket + "/source");
        assertDenied(as("CAROL", under("payroll", shared)), "kms:Decrypt");
        carolHas(S3, ENCRYPTS, DECRYPTS);
        TestRequest both =
                bed.request("PUT", bucket + "/t").header("x-amz-copy-source", bucket + "/source");
        assertDone(as("CAROL", under("payroll", both)));
        assertDone(carol("GET", bucket + "/t"));
    }

    @Test
    void anUploadIsBegunWithOneAndGoesOnWithTheOther() {
        String path = bucket + "/k";
        assertDenied(
                as("CAROL", under("payroll", bed.request("POST", path + "?uploads"))),
                "kms:GenerateDataKey");
        carolHas(S3, ENCRYPTS);
        String id =
                as("CAROL", under("payroll", bed.request("POST", path + "?uploads"))).uploadId();
        String part = path + "?partNumber=1&uploadId=" + id;
        assertDenied(as("CAROL", bed.request("PUT", part).body("content")), "kms:Decrypt");
        assertDone(put("ROOTKEY", bucket + "/source", "reports"));
        assertDenied(
                as(
                        "CAROL",
                        bed.request("PUT", part).header("x-amz-copy-source", bucket + "/source")),
                "kms:Decrypt");
        carolHas(S3, DECRYPTS);
        TestResponse put = as("CAROL", bed.request("PUT", part).body("content"));
        assertDone(put);
        String parts =
                "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>"
                        + put.header("etag")
                        + "</ETag></Part></CompleteMultipartUpload>";
        carolHas(S3, ENCRYPTS);
        String upload = path + "?uploadId=" + id;
        assertDenied(as("CAROL", bed.request("POST", upload).body(parts)), "kms:Decrypt");
        carolHas(S3, DECRYPTS);
        assertDone(as("CAROL", bed.request("POST", upload).body(parts)));
        assertThat(carol("GET", path).text()).isEqualTo("content");
    }

    /** S3 shows metadata without the key, and checksums with it alone. */
    @Test
    void checksumsNeedThePermissionToDecryptAndMetadataDoesNot() {
        assertDone(put("ROOTKEY", bucket + "/k", "payroll"));
        assertDone(carol("HEAD", bucket + "/k"));
        TestRequest head =
                bed.request("HEAD", bucket + "/k").header("x-amz-checksum-mode", "ENABLED");
        assertThat(as("CAROL", head).status()).isEqualTo(403);
        for (String attribute : List.of("Checksum", "ObjectParts")) {
            assertDenied(
                    as(
                            "CAROL",
                            bed.request("GET", bucket + "/k?attributes")
                                    .header("x-amz-object-attributes", attribute)),
                    "kms:Decrypt");
        }
        assertDone(
                as(
                        "CAROL",
                        bed.request("GET", bucket + "/k?attributes")
                                .header("x-amz-object-attributes", "ObjectSize")));
    }

    /** The key is used now, whatever the moment that is read. */
    @Test
    void thePastNeedsThePermissionOfNow() {
        String name = bed.versionedBucket();
        assertDone(put("ROOTKEY", "/" + name + "/k", "payroll"));
        Instant then = bed.pause();
        TestRequest read = bed.request("GET", "/" + Past.alias(name, then) + "/k");
        assertDenied(as("CAROL", read), "kms:Decrypt");
        carolHas(S3, DECRYPTS);
        assertDone(carol("GET", "/" + Past.alias(name, then) + "/k"));
    }

    @ParameterizedTest
    @CsvSource({
        "StringEquals, kms:ViaService, s3.us-east-1.amazonaws.com, 200",
        "StringEquals, kms:ViaService, s3.eu-west-1.amazonaws.com, 403",
        "StringEquals, kms:CallerAccount, 000000000000, 200",
        "StringLike, kms:EncryptionContext:aws:s3:arn, arn:aws:s3:::*/pay/*, 200",
        "StringLike, kms:EncryptionContext:aws:s3:arn, arn:aws:s3:::*/other/*, 403",
        "ForAllValues:StringEquals, kms:EncryptionContextKeys, aws:s3:arn, 200",
        "IpAddress, aws:SourceIp, 192.0.2.0/24, 200",
        "IpAddress, aws:SourceIp, 198.51.100.0/24, 403",
        "StringEquals, s3:x-amz-server-side-encryption, aws:kms, 403"
    })
    void conditionsLimitTheUse(String operator, String key, String value, int status) {
        String condition =
                ",\"Condition\":{\"%s\":{\"%s\":\"%s\"}}".formatted(operator, key, value);
        carolHas(S3, statement("Allow", "kms:*", ARN + "payroll", condition));
        assertThat(put("CAROL", bucket + "/pay/k", "payroll").status()).isEqualTo(status);
    }

    /** S3 puts the ARN of the bucket into the context of a bucket key. */
    @Test
    void theContextOfABucketKeyIsTheBucket() {
        String condition =
                ",\"Condition\":{\"StringEquals\":"
                        + "{\"kms:EncryptionContext:aws:s3:arn\":\"arn:aws:s3:::"
                        + bucket.substring(1)
                        + "\"}}";
        carolHas(S3, statement("Allow", "kms:*", "*", condition));
        assertDenied(put("CAROL", bucket + "/k", "payroll"), "kms:GenerateDataKey");
        TestRequest put = under("payroll", bed.request("PUT", bucket + "/k").body("content"));
        assertDone(as("CAROL", put.header(MODE + "-bucket-key-enabled", "true")));
        assertDone(carol("GET", bucket + "/k"));
    }

    /** The context of the client decides about the write, and the stored one about the read. */
    @Test
    void conditionsSeeTheContextOfTheObject() {
        String condition =
                ",\"Condition\":{\"StringEquals\":"
                        + "{\"kms:EncryptionContext:Team\":\"hr\"},\"ForAllValues:StringEquals\":"
                        + "{\"kms:EncryptionContextKeys\":[\"team\",\"aws:s3:arn\"]}}";
        carolHas(S3, statement("Allow", "kms:*", "*", condition));
        assertDenied(put("CAROL", bucket + "/k", "payroll"), "kms:GenerateDataKey");
        for (String team : List.of("hr", "it")) {
            String context =
                    Base64.getEncoder()
                            .encodeToString(
                                    ("{\"team\":\"" + team + "\"}")
                                            .getBytes(StandardCharsets.UTF_8));
            for (String who : List.of("CAROL", "ROOTKEY")) {
                TestRequest put =
                        under("payroll", bed.request("PUT", bucket + "/" + team).body("content"))
                                .header(MODE + "-context", context);
                int expected = who.equals("CAROL") && team.equals("it") ? 403 : 200;
                assertThat(as(who, put).status()).isEqualTo(expected);
            }
        }
        assertDone(carol("GET", bucket + "/hr"));
        assertDenied(carol("GET", bucket + "/it"), "kms:Decrypt");
    }

    @Test
    void aSessionHasTheKeysThatItsPolicyAllows() {
        carolHas(S3, ENCRYPTS, DECRYPTS);
        assertDone(put("CAROL", bucket + "/k", "payroll"));
        sessionPolicy = Optional.of(S3);
        assertDenied(inSession(bucket + "/k"), "kms:Decrypt");
        assertDone(put("CAROL", bucket + "/open", "reports"));
        assertDone(inSession(bucket + "/open"));
        sessionPolicy = Optional.of(statement("Allow", "*", "*", ""));
        assertDone(inSession(bucket + "/k"));
        carolHas(S3);
        assertDenied(inSession(bucket + "/k"), "kms:Decrypt");
    }

    private static TestResponse inSession(String path) {
        return as("CAROL", bed.request("GET", path).header("x-amz-security-token", "token"));
    }
}
