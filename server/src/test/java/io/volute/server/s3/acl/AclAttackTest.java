package io.volute.server.s3.acl;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.auditlog.AuditTrail;
import io.volute.server.auth.policy.Authority;
import io.volute.server.credentials.Credential;
import io.volute.server.credentials.FixedCredentials;
import io.volute.server.s3.S3Protocol;
import io.volute.server.s3.S3Settings;
import io.volute.server.s3.S3TestBed;
import io.volute.server.s3.TestRequest;
import io.volute.server.s3.TestResponse;
import io.volute.server.s3.TestSigner;
import io.volute.server.s3.past.Past;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** An ACL gives no more than it grants, nothing that a policy denies, and nobody else's object. */
final class AclAttackTest extends AclTestCase {
    private static void policy(String bucket, String statement) {
        String document =
                ("{'Version':'2012-10-17','Statement':[" + statement + "]}")
                        .replace('\'', '"')
                        .replace("B/", "arn:aws:s3:::" + bucket + "/")
                        .replace("\"B\"", "\"arn:aws:s3:::" + bucket + "\"");
        TestResponse put =
                bed.request("PUT", "/" + bucket + "?policy").body(document).sendAs(bed.alice());
        assertThat(put.status()).as(put.text()).isEqualTo(204);
    }

    private static void block(String bucket, String rule) {
        String document =
                "<PublicAccessBlockConfiguration><%s>true</%s></PublicAccessBlockConfiguration>"
                        .formatted(rule, rule);
        assertThat(
                        bed.request("PUT", "/" + bucket + "?publicAccessBlock")
                                .body(document)
                                .sendAs(bed.alice())
                                .status())
                .isEqualTo(200);
    }

    @Test
    void withoutAGrantNothingIsReadWrittenOrShared() {
        String bucket = bucket("ObjectWriter", "private");
        String key = "/" + bucket + "/k";
        assertThat(put(key, bed.alice()).code()).isEqualTo("200");
        String[][] tries = {
            {"GET", key},
            {"GET", key + "?acl"},
            {"GET", key + "?versionId=null"},
            {"DELETE", key},
            {"GET", "/" + bucket},
            {"GET", "/" + bucket + "?versions"},
            {"GET", "/" + bucket + "?uploads"},
            {"GET", "/" + bucket + "?acl"},
            {"GET", "/" + bucket + "?ownershipControls"},
            {"POST", key + "?uploads"},
        };
        for (String[] each : tries) {
            assertThat(code(each[0], each[1], bed.bob())).as(each[1]).isEqualTo("AccessDenied");
            assertThat(anonymous(each[0], each[1])).as(each[1]).isEqualTo("AccessDenied");
        }
        for (String target : new String[] {"/" + bucket + "?acl", key + "?acl"}) {
            TestRequest opening = bed.request("PUT", target).header("x-amz-acl", "public-read");
            assertThat(opening.sendAs(bed.bob()).code()).isEqualTo("AccessDenied");
            assertThat(
                            bed.request("PUT", target)
                                    .header("x-amz-acl", "public-read")
                                    .sendAnonymous()
                                    .code())
                    .isEqualTo("AccessDenied");
        }
        assertThat(put(key, bed.bob(), "x-amz-acl", "public-read").code())
                .isEqualTo("AccessDenied");
        assertThat(put("/" + bucket, bed.bob(), "x-amz-acl", "public-read").code())
                .isNotEqualTo("200");
        assertThat(anonymous("GET", key)).isEqualTo("AccessDenied");
        String his = bed.bucketOf(bed.bob());
        assertThat(copy("/" + his + "/copy", bed.bob(), bucket + "/k")).isEqualTo("AccessDenied");
    }

    @Test
    void writingIsNotReading() {
        String bucket = bucket("ObjectWriter", "private");
        assertThat(put("/" + bucket + "?acl", bed.alice(), "x-amz-acl", "private").code())
                .isEqualTo("InvalidRequest");
        assertThat(
                        bed.request("PUT", "/" + bucket + "?acl")
                                .header("x-amz-grant-write", "id=bob")
                                .sendAs(bed.alice())
                                .code())
                .isEqualTo("200");
        assertThat(put("/" + bucket + "/hers", bed.alice()).code()).isEqualTo("200");
        assertThat(put("/" + bucket + "/his", bed.bob()).code()).isEqualTo("200");
        assertThat(code("GET", "/" + bucket + "/hers", bed.bob())).isEqualTo("AccessDenied");
        assertThat(code("GET", "/" + bucket, bed.bob())).isEqualTo("AccessDenied");
        assertThat(code("GET", "/" + bucket + "/missing", bed.bob())).isEqualTo("AccessDenied");
        assertThat(put("/" + bucket + "/new", bed.bob(), "if-match", "\"x\"").code())
                .isEqualTo("AccessDenied");
        assertThat(put("/" + bucket + "/new", bed.bob(), "x-amz-tagging", "a=b").code())
                .isEqualTo("AccessDenied");
    }

    private static String sha256(String text) {
        return Base64.getEncoder()
                .encodeToString(
                        HexFormat.of()
                                .parseHex(
                                        TestSigner.sha256(text.getBytes(StandardCharsets.UTF_8))));
    }

    @Test
    void deletingByAGrantDeletesNoVersion() {
        String bucket = bucket("ObjectWriter", "public-read-write");
        bed.setVersioning(bucket, "Enabled");
        assertThat(put("/" + bucket + "/k", bed.alice()).code()).isEqualTo("200");
        String version =
                bed.request("HEAD", "/" + bucket + "/k")
                        .sendAs(bed.alice())
                        .header("x-amz-version-id");
        String named = "/" + bucket + "/k?versionId=" + version;
        assertThat(code("DELETE", named, bed.bob())).isEqualTo("AccessDenied");
        String document =
                "<Delete><Object><Key>k</Key><VersionId>"
                        + version
                        + "</VersionId></Object><Object><Key>n</Key></Object></Delete>";
        TestResponse many =
                bed.request("POST", "/" + bucket + "?delete")
                        .header("x-amz-checksum-sha256", sha256(document))
                        .body(document)
                        .sendAs(bed.bob());
        assertThat(many.text())
                .contains("<Error><Key>k</Key><VersionId>" + version)
                .contains("<Deleted><Key>n</Key>");
        assertThat(code("DELETE", "/" + bucket + "/k", bed.bob())).isEqualTo("204");
        assertThat(code("GET", named, bed.alice())).isEqualTo("200");
    }

    @Test
    void aDenialOfAPolicyWins() {
        String bucket = bucket("ObjectWriter", "public-read-write");
        String key = "/" + bucket + "/k";
        assertThat(put(key, bed.bob(), "x-amz-acl", "public-read").code()).isEqualTo("200");
        assertThat(anonymous("GET", key)).isEqualTo("200");
        policy(
                bucket,
                "{'Effect':'Deny','Principal':'*','Action':['s3:GetObject','s3:PutObjectAcl'],"
                        + "'Resource':'B/*'},"
                        + "{'Effect':'Deny','Principal':'*','Action':'s3:ListBucket',"
                        + "'Resource':'B'}");
        assertThat(anonymous("GET", key)).isEqualTo("AccessDenied");
        assertThat(code("GET", key, bed.bob())).isEqualTo("AccessDenied");
        assertThat(code("GET", key, bed.alice())).isEqualTo("AccessDenied");
        assertThat(anonymous("GET", "/" + bucket)).isEqualTo("AccessDenied");
        assertThat(code("GET", "/" + bucket, bed.bob())).isEqualTo("AccessDenied");
        assertThat(put("/" + bucket + "/new", bed.bob(), "x-amz-acl", "public-read").code())
                .isEqualTo("AccessDenied");
        assertThat(put("/" + bucket + "/new", bed.bob()).code()).isEqualTo("200");
    }

    @Test
    void theOwnerOfTheBucketReadsNotWhatOthersOwn() {
        String bucket = bucket("ObjectWriter", "public-read-write");
        String key = "/" + bucket + "/k";
        assertThat(put(key, bed.bob()).code()).isEqualTo("200");
        policy(bucket, "{'Effect':'Allow','Principal':'*','Action':'s3:*','Resource':'B/*'}");
        for (String read : new String[] {key, key + "?acl", key + "?attributes"}) {
            TestRequest request =
                    bed.request("GET", read).header("x-amz-object-attributes", "ETag");
            assertThat(request.sendAs(bed.alice()).code()).as(read).isEqualTo("AccessDenied");
        }
        // Nor does the policy of the bucket give it to others.
        assertThat(anonymous("GET", key)).isEqualTo("AccessDenied");
        assertThat(
                        bed.request("PUT", key + "?acl")
                                .header("x-amz-acl", "public-read")
                                .sendAs(bed.alice())
                                .code())
                .isEqualTo("AccessDenied");
        assertThat(copy("/" + bucket + "/copy", bed.alice(), bucket + "/k"))
                .isEqualTo("AccessDenied");
        assertThat(code("GET", key, bed.bob())).isEqualTo("200");
        assertThat(code("DELETE", key, bed.alice())).isEqualTo("204");
    }

    @Test
    void anotherVersionHasAnotherAcl() {
        String bucket = bucket("ObjectWriter", "private");
        bed.setVersioning(bucket, "Enabled");
        String key = "/" + bucket + "/k";
        TestResponse open =
                bed.request("PUT", key)
                        .body("open")
                        .header("x-amz-acl", "public-read")
                        .sendAs(bed.alice());
        TestResponse secret = bed.request("PUT", key).body("secret").sendAs(bed.alice());
        String openKey = key + "?versionId=" + open.header("x-amz-version-id");
        String secretKey = key + "?versionId=" + secret.header("x-amz-version-id");
        assertThat(anonymous("GET", openKey)).isEqualTo("200");
        assertThat(anonymous("GET", key)).isEqualTo("AccessDenied");
        assertThat(anonymous("GET", secretKey)).isEqualTo("AccessDenied");
        String aclOfOpen = key + "?acl&versionId=" + open.header("x-amz-version-id");
        assertThat(
                        bed.request("PUT", aclOfOpen)
                                .header("x-amz-acl", "private")
                                .sendAs(bed.alice())
                                .code())
                .isEqualTo("200");
        assertThat(anonymous("GET", openKey)).isEqualTo("AccessDenied");
    }

    @Test
    void aCopyTakesNoAclAlong() {
        String bucket = bucket("ObjectWriter", "private");
        assertThat(put("/" + bucket + "/k", bed.alice(), "x-amz-acl", "public-read").code())
                .isEqualTo("200");
        for (String directive : new String[] {"COPY", "REPLACE"}) {
            assertThat(
                            bed.request("PUT", "/" + bucket + "/copy")
                                    .header("x-amz-copy-source", bucket + "/k")
                                    .header("x-amz-metadata-directive", directive)
                                    .sendAs(bed.alice())
                                    .code())
                    .isEqualTo("200");
            assertThat(anonymous("GET", "/" + bucket + "/copy")).isEqualTo("AccessDenied");
        }
        assertThat(
                        bed.request("PUT", "/" + bucket + "/copy")
                                .header("x-amz-copy-source", bucket + "/k")
                                .header("x-amz-acl", "public-read")
                                .sendAs(bed.alice())
                                .code())
                .isEqualTo("200");
        assertThat(anonymous("GET", "/" + bucket + "/copy")).isEqualTo("200");
    }

    @Test
    void aBlockRefusesPublicAclsAndIgnoresThem() {
        String bucket = bucket("ObjectWriter", "public-read-write");
        String key = "/" + bucket + "/k";
        assertThat(put(key, bed.alice(), "x-amz-acl", "public-read").code()).isEqualTo("200");
        assertThat(put("/" + bucket + "/forBob", bed.alice(), "x-amz-grant-read", "id=bob").code())
                .isEqualTo("200");
        block(bucket, "IgnorePublicAcls");
        assertThat(anonymous("GET", key)).isEqualTo("AccessDenied");
        assertThat(anonymous("GET", "/" + bucket)).isEqualTo("AccessDenied");
        assertThat(code("GET", key, bed.bob())).isEqualTo("AccessDenied");
        assertThat(put("/" + bucket + "/n", bed.bob()).code()).isEqualTo("AccessDenied");
        assertThat(code("GET", "/" + bucket + "/forBob", bed.bob())).isEqualTo("200");
        assertThat(code("GET", key + "?acl", bed.alice())).isEqualTo("200");

        block(bucket, "BlockPublicAcls");
        assertThat(anonymous("GET", key)).isEqualTo("200");
        for (String acl : new String[] {"public-read", "public-read-write", "authenticated-read"}) {
            assertThat(put("/" + bucket + "/n", bed.alice(), "x-amz-acl", acl).code())
                    .isEqualTo("AccessDenied");
            for (String target : new String[] {"/" + bucket, key}) {
                assertThat(
                                bed.request("PUT", target + "?acl")
                                        .header("x-amz-acl", acl)
                                        .sendAs(bed.alice())
                                        .code())
                        .isEqualTo("AccessDenied");
            }
        }
        assertThat(put("/" + bucket + "/n", bed.alice(), "x-amz-grant-read", "id=bob").code())
                .isEqualTo("200");
        TestRequest again = bed.request("PUT", "/" + bucket).header("x-amz-acl", "public-read");
        TestRequest over = again.header("x-amz-object-ownership", "ObjectWriter");
        assertThat(over.sendAs(bed.alice()).code()).isEqualTo("AccessDenied");
    }

    @Test
    void thePastShowsNothingThatIsNowPrivateNorWhatWas() {
        String bucket = bucket("ObjectWriter", "private");
        String key = "/" + bucket + "/k";
        assertThat(put(key, bed.alice()).code()).isEqualTo("200");
        String whenPrivate = Past.alias(bucket, bed.pause());
        TestRequest opening = bed.request("PUT", key + "?acl").header("x-amz-acl", "public-read");
        assertThat(opening.sendAs(bed.alice()).code()).isEqualTo("200");
        String whenOpen = Past.alias(bucket, bed.pause());
        assertThat(code("GET", "/" + whenOpen + "/k", bed.bob())).isEqualTo("200");
        assertThat(code("GET", "/" + whenPrivate + "/k", bed.bob())).isEqualTo("AccessDenied");
        TestResponse then = bed.request("GET", "/" + whenPrivate + "/k?acl").sendAs(bed.alice());
        assertThat(then.text()).doesNotContain("AllUsers");
        then = bed.request("GET", "/" + whenOpen + "/k?acl").sendAs(bed.alice());
        assertThat(then.text()).contains("AllUsers");
        assertThat(
                        bed.request("PUT", key + "?acl")
                                .header("x-amz-acl", "private")
                                .sendAs(bed.alice())
                                .code())
                .isEqualTo("200");
        assertThat(code("GET", "/" + whenOpen + "/k", bed.bob())).isEqualTo("AccessDenied");
        assertThat(code("GET", "/" + whenOpen + "/k", bed.alice())).isEqualTo("200");
    }

    /** A user of the root's, whose policy allows this action alone. */
    private static S3Protocol allowing(String action) {
        Credential carol =
                new Credential(
                        "CAROL",
                        "carolsecret",
                        "carol",
                        "Carol",
                        Credential.Kind.USER,
                        0,
                        Optional.empty());
        String document =
                "{\"Version\":\"2012-10-17\",\"Statement\":{\"Effect\":\"Allow\",\"Action\":\""
                        + action
                        + "\",\"Resource\":\"*\"}}";
        return new S3Protocol(
                bed.store(),
                S3TestBed.credentials().or(new FixedCredentials(List.of(carol))),
                new Authority(who -> who.equals(carol) ? List.of(document) : List.of()),
                new S3Settings(S3TestBed.REGION, List.of(), () -> S3TestBed.NOW, true)
                        .withOwnership(ObjectOwnership.OBJECT_WRITER),
                AuditTrail.NONE);
    }

    @Test
    void makingBucketsIsNotSharingThem() {
        S3Protocol protocol = allowing("s3:CreateBucket");
        TestSigner carol = new TestSigner("CAROL", "carolsecret", S3TestBed.DATE, S3TestBed.REGION);
        String name = bed.freshName();
        TestRequest open =
                bed.request("PUT", "/" + name).over(protocol).header("x-amz-acl", "public-read");
        assertThat(open.sendAs(carol).code()).isEqualTo("AccessDenied");
        // Nor is making the root's bucket again.
        assertThat(open.send().code()).isEqualTo("200");
        TestRequest plain = bed.request("PUT", "/" + name).over(protocol);
        assertThat(plain.sendAs(carol).code()).isEqualTo("AccessDenied");
        assertThat(anonymous("GET", "/" + name)).isEqualTo("200");
        String enabling = bed.freshName();
        assertThat(
                        bed.request("PUT", "/" + enabling)
                                .over(protocol)
                                .header("x-amz-object-ownership", "ObjectWriter")
                                .sendAs(carol)
                                .code())
                .isEqualTo("AccessDenied");
    }

    @Test
    void writingForTheRootIsNotSharing() {
        String bucket = bucket("ObjectWriter", "private");
        S3Protocol protocol = allowing("s3:PutObject");
        TestSigner carol = new TestSigner("CAROL", "carolsecret", S3TestBed.DATE, S3TestBed.REGION);
        String key = "/" + bucket + "/k";
        TestRequest plain = bed.request("PUT", key).over(protocol).body("content");
        assertThat(plain.sendAs(carol).code()).isEqualTo("200");
        TestRequest sharing =
                bed.request("PUT", key).over(protocol).header("x-amz-acl", "public-read");
        assertThat(sharing.sendAs(carol).code()).isEqualTo("AccessDenied");
        TestRequest reading = bed.request("GET", key).over(protocol);
        assertThat(reading.sendAs(carol).code()).isEqualTo("AccessDenied");
        assertThat(code("GET", key, bed.alice())).isEqualTo("AccessDenied");
        assertThat(bed.get(key + "?acl").text()).contains("<Owner><ID>root</ID>");
    }

    @Test
    void whoWritesByAPolicyWithoutASignatureSetsNoAcl() {
        String open = bucket("ObjectWriter", "public-read-write");
        String byPolicy = bucket("ObjectWriter", "private");
        policy(
                byPolicy,
                "{'Effect':'Allow','Principal':'*','Action':'s3:PutObject','Resource':'B/*'}");
        for (String bucket : new String[] {open, byPolicy}) {
            String key = "/" + bucket + "/k";
            TestRequest sharing = bed.request("PUT", key).header("x-amz-acl", "public-read");
            assertThat(sharing.sendAnonymous().code())
                    .isEqualTo(bucket.equals(open) ? "200" : "AccessDenied");
            assertThat(bed.request("PUT", key).sendAnonymous().code()).isEqualTo("200");
            assertThat(bed.request("GET", key).sendAnonymous().code()).isEqualTo("AccessDenied");
            assertThat(code("GET", key, bed.alice())).isEqualTo("200");
        }
    }

    @Test
    void whatIsStoredIsNoHeaderOfTheObject() {
        String bucket = bucket("ObjectWriter", "private");
        String key = "/" + bucket + "/k";
        assertThat(put(key, bed.alice(), "x-amz-acl", "public-read").code()).isEqualTo("200");
        assertThat(bed.request("GET", key).sendAs(bed.alice()).header("x-volute-acl")).isEmpty();
        String own = "1 bob FULL_CONTROL:u:bob";
        for (Map.Entry<String, String> each :
                Map.of("x-volute-acl", own, "x-amz-meta-x-volute-acl", own).entrySet()) {
            bed.request("PUT", key)
                    .header(each.getKey(), each.getValue())
                    .body("x")
                    .sendAs(bed.alice());
            assertThat(code("GET", key, bed.bob())).isEqualTo("AccessDenied");
        }
    }

    private static String copy(String target, TestSigner who, String source) {
        return bed.request("PUT", target).header("x-amz-copy-source", source).sendAs(who).code();
    }
}
