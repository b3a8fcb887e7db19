package io.volute.server.s3.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.s3.S3TestCase;
import io.volute.server.s3.TestRequest;
import io.volute.server.s3.TestResponse;
import io.volute.server.s3.TestSigner;
import io.volute.server.s3.past.Past;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Policies of buckets: kept, judged everywhere, and the only way in for those without keys. */
final class BucketPolicyTest extends S3TestCase {
    private static final String BOB = "{'AWS':'arn:aws:iam::000000000000:user/bob'}";

    /** A statement; single quotes for double ones, and {@code B} for the bucket's ARN. */
    private static String statement(
            String effect, String principal, String actions, String resource, String condition) {
        return "{'Effect':'"
                + effect
                + "','Principal':"
                + principal
                + ",'Action':["
                + actions
                + "],'Resource':'"
                + resource
                + "'"
                + (condition.isEmpty() ? "" : ",'Condition':{" + condition + "}")
                + "}";
    }

    private static String document(String bucket, String... statements) {
        return ("{'Version':'2012-10-17','Statement':[" + String.join(",", statements) + "]}")
                .replace('\'', '"')
                .replace("\"B\"", "\"arn:aws:s3:::" + bucket + "\"")
                .replace("\"B/", "\"arn:aws:s3:::" + bucket + "/");
    }

    private static void set(String bucket, String... statements) {
        TestResponse put =
                bed.request("PUT", "/" + bucket + "?policy")
                        .body(document(bucket, statements))
                        .sendAs(bed.alice());
        assertThat(put.status()).as(put.text()).isEqualTo(204);
    }

    /** A bucket of alice's with an object. */
    private static String bucket() {
        String bucket = bed.bucketOf(bed.alice());
        assertThat(put(bucket, "k", "content", bed.alice()).status()).isEqualTo(200);
        return bucket;
    }

    private static TestResponse put(String bucket, String key, String body, TestSigner who) {
        return bed.request("PUT", "/" + bucket + "/" + key).body(body).sendAs(who);
    }

    private static String code(String method, String target, TestSigner who) {
        return bed.request(method, target).sendAs(who).code();
    }

    private static String anonymous(String method, String target) {
        return bed.request(method, target).sendAnonymous().code();
    }

    @Test
    void aPolicyIsKeptAsItWasSent() {
        String bucket = bucket();
        String target = "/" + bucket + "?policy";
        assertThat(code("GET", target, bed.alice())).isEqualTo("NoSuchBucketPolicy");
        assertThat(code("GET", "/" + bucket + "?policyStatus", bed.alice()))
                .isEqualTo("NoSuchBucketPolicy");
        set(bucket, statement("Allow", BOB, "'s3:GetObject'", "B/*", ""));
        TestResponse got = bed.request("GET", target).sendAs(bed.alice());
        assertThat(got.text())
                .isEqualTo(document(bucket, statement("Allow", BOB, "'s3:GetObject'", "B/*", "")));
        assertThat(got.header("content-type")).isEqualTo("application/json");
        assertThat(
                        bed.request("GET", "/" + bucket + "?policyStatus")
                                .sendAs(bed.alice())
                                .xml("PolicyStatus")
                                .childText("IsPublic"))
                .contains("false");
        assertThat(code("DELETE", target, bed.alice())).isEqualTo("204");
        assertThat(code("GET", target, bed.alice())).isEqualTo("NoSuchBucketPolicy");
        assertThat(code("GET", "/" + bucket + "/k", bed.bob())).isEqualTo("AccessDenied");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{}|Missing required field Statement",
                "nothing|not JSON",
                "{'Statement':{'Effect':'Allow','Principal':'*','Action':'s3:*','Resource':'*',"
                        + "'Wish':1}}|Unknown field Wish",
                "{'Statement':{'Effect':'Allow','Principal':'*','Action':'s3:*',"
                        + "'Resource':'arn:aws:s3:::other/*'}}|invalid resource",
                "{'Statement':{'Effect':'Deny','Principal':'*','Action':'s3:GetObjekt',"
                        + "'Resource':'arn:aws:s3:::*'}}|no action"
            })
    void whatIsNoPolicyIsRefused(String document, String reason) {
        String bucket = bucket();
        TestResponse answer =
                bed.request("PUT", "/" + bucket + "?policy")
                        .body(document.replace('\'', '"'))
                        .sendAs(bed.alice());
        assertThat(answer.code()).isEqualTo("MalformedPolicy");
        assertThat(answer.text()).contains(reason);
        assertThat(code("GET", "/" + bucket + "?policy", bed.alice()))
                .isEqualTo("NoSuchBucketPolicy");
    }

    @Test
    void policiesHaveABound() {
        String bucket = bucket();
        String document = document(bucket, statement("Allow", BOB, "'s3:GetObject'", "B/*", ""));
        String longest = document + " ".repeat(20 * 1024 - document.length());
        assertThat(
                        bed.request("PUT", "/" + bucket + "?policy")
                                .body(longest)
                                .sendAs(bed.alice())
                                .status())
                .isEqualTo(204);
        assertThat(
                        bed.request("PUT", "/" + bucket + "?policy")
                                .body(longest + " ")
                                .sendAs(bed.alice())
                                .code())
                .isEqualTo("MalformedPolicy");
    }

    @Test
    void whoIsAllowedOneThingMayDoThatOnly() {
        String bucket = bucket();
        set(bucket, statement("Allow", BOB, "'s3:GetObject'", "B/*", ""));
        assertThat(code("GET", "/" + bucket + "/k", bed.bob())).isEqualTo("200");
        assertThat(code("HEAD", "/" + bucket + "/k", bed.bob())).isEqualTo("200");
        assertThat(code("GET", "/" + bucket, bed.bob())).isEqualTo("AccessDenied");
        assertThat(code("DELETE", "/" + bucket + "/k", bed.bob())).isEqualTo("AccessDenied");
        assertThat(code("GET", "/" + bucket + "?policy", bed.bob())).isEqualTo("AccessDenied");
        assertThat(code("PUT", "/" + bucket + "?policy", bed.bob())).isEqualTo("AccessDenied");
        assertThat(put(bucket, "k", "his", bed.bob()).code()).isEqualTo("AccessDenied");
        assertThat(anonymous("GET", "/" + bucket + "/k")).isEqualTo("AccessDenied");
    }

    /** Only a caller that may list the bucket learns whether a key exists, as in S3. */
    @Test
    void whoMayNotListIsNotToldWhatIsMissing() {
        String bucket = bucket();
        set(bucket, statement("Allow", "'*'", "'s3:GetObject'", "B/*", ""));
        assertThat(code("GET", "/" + bucket + "/none", bed.bob())).isEqualTo("AccessDenied");
        assertThat(anonymous("GET", "/" + bucket + "/none")).isEqualTo("AccessDenied");
        set(
                bucket,
                statement("Allow", "'*'", "'s3:GetObject'", "B/*", ""),
                statement("Allow", BOB, "'s3:ListBucket'", "B", ""));
        assertThat(code("GET", "/" + bucket + "/none", bed.bob())).isEqualTo("NoSuchKey");
        assertThat(anonymous("GET", "/" + bucket + "/none")).isEqualTo("AccessDenied");
    }

    @Test
    void aDenyTakesFromTheOwnerAllButThePolicy() {
        String bucket = bucket();
        set(
                bucket,
                statement("Deny", "'*'", "'s3:*'", "B", ""),
                statement("Deny", "'*'", "'s3:*'", "B/*", ""));
        assertThat(code("GET", "/" + bucket + "/k", bed.alice())).isEqualTo("AccessDenied");
        assertThat(code("GET", "/" + bucket, bed.alice())).isEqualTo("AccessDenied");
        assertThat(code("GET", "/" + bucket + "/k", bed.root())).isEqualTo("200");
        assertThat(code("GET", "/" + bucket + "?policy", bed.alice())).isEqualTo("200");
        assertThat(code("DELETE", "/" + bucket + "?policy", bed.alice())).isEqualTo("204");
        assertThat(code("GET", "/" + bucket + "/k", bed.alice())).isEqualTo("200");
    }

    @Test
    void strangersMayDoWhatIsOpenToEveryone() {
        String bucket = bucket();
        set(
                bucket,
                statement("Allow", "'*'", "'s3:GetObject','s3:PutObject'", "B/*", ""),
                statement("Allow", "'*'", "'s3:ListBucket'", "B", ""));
        assertThat(bed.request("GET", "/" + bucket + "/k").sendAnonymous().text())
                .isEqualTo("content");
        for (String method : List.of("GET", "HEAD")) {
            String named = "/" + bucket + "/k?response-content-type=text%2Fhtml";
            assertThat(bed.request(method, named).sendAnonymous().status())
                    .as("only who signs says how it is answered")
                    .isEqualTo(400);
            assertThat(bed.request(method, named).sendPresigned(60).status()).isEqualTo(200);
        }
        assertThat(anonymous("GET", "/" + bucket + "?list-type=2")).isEqualTo("200");
        assertThat(
                        bed.request("PUT", "/" + bucket + "/new")
                                .body("a stranger's")
                                .sendAnonymous()
                                .code())
                .isEqualTo("200");
        assertThat(bed.request("GET", "/" + bucket + "/new").sendAs(bed.alice()).text())
                .isEqualTo("a stranger's");
        assertThat(anonymous("DELETE", "/" + bucket + "/k")).isEqualTo("AccessDenied");
        assertThat(anonymous("GET", "/" + bucket + "?policy")).isEqualTo("AccessDenied");
        assertThat(anonymous("GET", "/")).isEqualTo("AccessDenied");
        assertThat(anonymous("GET", "/" + bed.freshName())).isEqualTo("NoSuchBucket");
        assertThat(anonymous("GET", "/" + bed.bucket() + "/k")).isEqualTo("AccessDenied");
    }

    /** A claim of chunk signatures without the key that would make them. */
    @Test
    void strangersHaveNoSignedChunks() {
        String bucket = bucket();
        set(bucket, statement("Allow", "'*'", "'s3:PutObject'", "B/*", ""));
        assertThat(
                        bed.request("PUT", "/" + bucket + "/new")
                                .header(
                                        "x-amz-content-sha256",
                                        "STREAMING-AWS4-HMAC-SHA256-PAYLOAD")
                                .header("x-amz-decoded-content-length", "1")
                                .body("1\r\nx\r\n0\r\n\r\n")
                                .sendAnonymous()
                                .code())
                .isEqualTo("AccessDenied");
    }

    @Test
    void aPublicAccessBlockStopsPublicPolicies() {
        String bucket = bucket();
        String target = "/" + bucket + "?publicAccessBlock";
        assertThat(code("GET", target, bed.alice()))
                .isEqualTo("NoSuchPublicAccessBlockConfiguration");
        set(bucket, statement("Allow", "'*'", "'s3:GetObject'", "B/*", ""));
        assertThat(anonymous("GET", "/" + bucket + "/k")).isEqualTo("200");
        block(bucket, "RestrictPublicBuckets");
        assertThat(anonymous("GET", "/" + bucket + "/k")).isEqualTo("AccessDenied");
        assertThat(code("GET", "/" + bucket + "/k", bed.bob())).isEqualTo("200");
        assertThat(
                        bed.request("GET", target)
                                .sendAs(bed.alice())
                                .xml("PublicAccessBlockConfiguration")
                                .childText("RestrictPublicBuckets"))
                .contains("true");
        block(bucket, "BlockPublicPolicy");
        assertThat(
                        bed.request("PUT", "/" + bucket + "?policy")
                                .body(
                                        document(
                                                bucket,
                                                statement("Allow", "'*'", "'s3:*'", "B/*", "")))
                                .sendAs(bed.alice())
                                .code())
                .isEqualTo("AccessDenied");
        assertThat(code("DELETE", target, bed.alice())).isEqualTo("204");
        assertThat(code("GET", target, bed.alice()))
                .isEqualTo("NoSuchPublicAccessBlockConfiguration");
        assertThat(anonymous("GET", "/" + bucket + "/k")).isEqualTo("200");
    }

    private static void block(String bucket, String rule) {
        assertThat(
                        bed.request("PUT", "/" + bucket + "?publicAccessBlock")
                                .body(
                                        "<PublicAccessBlockConfiguration><"
                                                + rule
                                                + ">true</"
                                                + rule
                                                + "></PublicAccessBlockConfiguration>")
                                .sendAs(bed.alice())
                                .status())
                .isEqualTo(200);
    }

    @Test
    void eachKeyOfManyIsJudgedByItself() throws Exception {
        String bucket = bucket();
        put(bucket, "tmp/1", "x", bed.alice());
        set(bucket, statement("Allow", BOB, "'s3:DeleteObject'", "B/tmp/*", ""));
        String document =
                "<Delete><Object><Key>k</Key></Object><Object><Key>tmp/1</Key></Object></Delete>";
        TestResponse answer =
                bed.request("POST", "/" + bucket + "?delete")
                        .header(
                                "content-md5",
                                Base64.getEncoder()
                                        .encodeToString(TestSigner.md5(document.getBytes("UTF-8"))))
                        .body(document)
                        .sendAs(bed.bob());
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.text())
                .contains("<Deleted><Key>tmp/1</Key></Deleted>")
                .contains("<Error><Key>k</Key><Code>AccessDenied</Code>");
        assertThat(code("GET", "/" + bucket + "/k", bed.alice())).isEqualTo("200");
    }

    @Test
    void theSourceOfACopyIsJudgedByItsOwnBucket() {
        String source = bucket();
        String target = bed.bucketOf(bed.bob());
        TestRequest copy =
                bed.request("PUT", "/" + target + "/c")
                        .header("x-amz-copy-source", "/" + source + "/k");
        assertThat(copy.sendAs(bed.bob()).code()).isEqualTo("AccessDenied");
        set(source, statement("Allow", BOB, "'s3:GetObject'", "B/k", ""));
        assertThat(copy.sendAs(bed.bob()).code()).isEqualTo("200");
    }

    @Test
    void aMissingKeyIsToldToWhoMayListItsPrefix() {
        String bucket = bucket();
        set(
                bucket,
                statement("Allow", BOB, "'s3:GetObject','s3:GetObjectVersion'", "B/*", ""),
                statement(
                        "Allow",
                        BOB,
                        "'s3:ListBucket','s3:ListBucketVersions'",
                        "B",
                        "'StringLike':{'s3:prefix':'public/*'}"));
        assertThat(code("GET", "/" + bucket + "/public/missing", bed.bob())).isEqualTo("NoSuchKey");
        assertThat(code("GET", "/" + bucket + "/secret/missing", bed.bob()))
                .isEqualTo("AccessDenied");
        String version = "?versionId=null";
        assertThat(code("GET", "/" + bucket + "/secret/missing" + version, bed.bob()))
                .isEqualTo("AccessDenied");
        // The prefix of the request's own query is not that of its key.
        assertThat(code("GET", "/" + bucket + "/secret/missing?prefix=public%2Fx", bed.bob()))
                .isEqualTo("AccessDenied");
    }

    /** S3 does so, too: who may list sees anyway that there is no such key. */
    @Test
    void aMissingKeyIsToldToWhoMayListAndNotRead() {
        String bucket = bucket();
        put(bucket, "public/k", "content", bed.alice());
        put(bucket, "public/gone", "content", bed.alice());
        code("DELETE", "/" + bucket + "/public/gone", bed.alice());
        set(
                bucket,
                statement(
                        "Allow",
                        BOB,
                        "'s3:ListBucket'",
                        "B",
                        "'StringLike':{'s3:prefix':'public/*'}"));
        for (String key : List.of("public/missing", "public/gone")) {
            assertThat(code("GET", "/" + bucket + "/" + key, bed.bob())).isEqualTo("NoSuchKey");
        }
        for (String key : List.of("public/k", "k", "secret", "public/missing?versionId=null")) {
            assertThat(code("GET", "/" + bucket + "/" + key, bed.bob()))
                    .as(key)
                    .isEqualTo("AccessDenied");
        }
        assertThat(bed.request("HEAD", "/" + bucket + "/public/missing").sendAs(bed.bob()).status())
                .isEqualTo(404);
        assertThat(code("DELETE", "/" + bucket + "/public/missing", bed.bob()))
                .isEqualTo("AccessDenied");
    }

    @Test
    void aMissingKeyIsHiddenWhereItsPrefixIsDenied() {
        String bucket = bucket();
        set(
                bucket,
                statement("Allow", BOB, "'s3:GetObject'", "B/*", ""),
                statement("Allow", BOB, "'s3:ListBucket'", "B", ""),
                statement(
                        "Deny",
                        BOB,
                        "'s3:ListBucket'",
                        "B",
                        "'StringLike':{'s3:prefix':'secret/*'}"));
        assertThat(code("GET", "/" + bucket + "/public/missing", bed.bob())).isEqualTo("NoSuchKey");
        assertThat(code("GET", "/" + bucket + "/secret/missing", bed.bob()))
                .isEqualTo("AccessDenied");
    }

    @Test
    void conditionsSeeHeadersTagsAndListings() {
        String bucket = bucket();
        set(
                bucket,
                statement(
                        "Allow",
                        BOB,
                        "'s3:ListBucket'",
                        "B",
                        "'StringLike':{'s3:prefix':'${aws:username}/*'}"),
                statement(
                        "Allow",
                        BOB,
                        "'s3:GetObject'",
                        "B/*",
                        "'StringEquals':{'s3:ExistingObjectTag/open':'yes'}"),
                statement("Allow", BOB, "'s3:PutObject','s3:PutObjectTagging'", "B/*", ""),
                statement(
                        "Deny",
                        "'*'",
                        "'s3:PutObject'",
                        "B/*",
                        "'ForAnyValue:StringNotEquals':{'s3:RequestObjectTagKeys':['open']}"));
        assertThat(code("GET", "/" + bucket + "?list-type=2&prefix=bob%2F", bed.bob()))
                .isEqualTo("200");
        assertThat(code("GET", "/" + bucket + "?list-type=2&prefix=eve%2F", bed.bob()))
                .isEqualTo("AccessDenied");
        assertThat(code("GET", "/" + bucket + "?list-type=2", bed.bob())).isEqualTo("AccessDenied");
        assertThat(code("GET", "/" + bucket + "/k", bed.bob())).isEqualTo("AccessDenied");
        assertThat(tagged(bucket, "open=yes")).isEqualTo("200");
        assertThat(code("GET", "/" + bucket + "/tagged", bed.bob())).isEqualTo("200");
        assertThat(tagged(bucket, "open=yes&secret=no")).isEqualTo("AccessDenied");
    }

    private static String tagged(String bucket, String tags) {
        return bed.request("PUT", "/" + bucket + "/tagged")
                .header("x-amz-tagging", tags)
                .body("x")
                .sendAs(bed.bob())
                .code();
    }

    /** The body is read before the decision, because the policy depends on its content. */
    @Test
    void tagsOfADocumentAreSeen() {
        String bucket = bucket();
        set(
                bucket,
                statement(
                        "Allow",
                        BOB,
                        "'s3:PutObjectTagging'",
                        "B/*",
                        "'StringEquals':{'s3:RequestObjectTag/a':'1'}"));
        for (String[] each : new String[][] {{"1", "200"}, {"2", "AccessDenied"}}) {
            assertThat(
                            bed.request("PUT", "/" + bucket + "/k?tagging")
                                    .body(
                                            "<Tagging><TagSet><Tag><Key>a</Key><Value>"
                                                    + each[0]
                                                    + "</Value></Tag></TagSet></Tagging>")
                                    .sendAs(bed.bob())
                                    .code())
                    .isEqualTo(each[1]);
        }
        TestResponse tags = bed.request("GET", "/" + bucket + "/k?tagging").sendAs(bed.alice());
        assertThat(tags.text()).contains("<Value>1</Value>");
    }

    @Test
    void signaturesAreSeen() {
        String bucket = bucket();
        set(
                bucket,
                statement("Allow", BOB, "'s3:GetObject'", "B/*", ""),
                statement(
                        "Deny",
                        "'*'",
                        "'s3:GetObject'",
                        "B/*",
                        "'StringNotEquals':{'s3:authType':'REST-QUERY-STRING'}"));
        assertThat(code("GET", "/" + bucket + "/k", bed.bob())).isEqualTo("AccessDenied");
        assertThat(
                        bed.request("GET", "/" + bucket + "/k")
                                .sendPresigned(bed.bob(), 60, Map.of())
                                .code())
                .isEqualTo("200");
    }

    @Test
    void plainHttpCanBeRefused() {
        String bucket = bucket();
        set(
                bucket,
                statement(
                        "Deny", "'*'", "'s3:*'", "B/*", "'Bool':{'aws:SecureTransport':'false'}"));
        assertThat(code("GET", "/" + bucket + "/k", bed.alice())).isEqualTo("AccessDenied");
        assertThat(bed.request("GET", "/" + bucket + "/k").secure().sendAs(bed.alice()).code())
                .isEqualTo("200");
    }

    @Test
    void versionsNeedRightsOfTheirOwn() {
        String bucket = bucket();
        bed.setVersioning(bucket, "Enabled");
        String version = put(bucket, "k", "second", bed.alice()).header("x-amz-version-id");
        set(bucket, statement("Allow", BOB, "'s3:GetObject'", "B/*", ""));
        String target = "/" + bucket + "/k?versionId=" + version;
        assertThat(code("GET", target, bed.bob())).isEqualTo("AccessDenied");
        set(bucket, statement("Allow", BOB, "'s3:GetObjectVersion'", "B/*", ""));
        assertThat(code("GET", target, bed.bob())).isEqualTo("200");
        assertThat(code("GET", "/" + bucket + "/k", bed.bob())).isEqualTo("AccessDenied");
    }

    /** The past is shown to whom the bucket was open then and is open now, as versions are. */
    @Test
    void thePastIsJudgedByThePoliciesOfThenAndNow() {
        String bucket = bucket();
        Instant closed = bed.pause();
        set(bucket, statement("Allow", "'*'", "'s3:GetObject'", "B/*", ""));
        Instant open = bed.pause();
        String then = "/" + Past.alias(bucket, closed) + "/k";
        String later = "/" + Past.alias(bucket, open) + "/k";
        assertThat(anonymous("GET", "/" + bucket + "/k")).isEqualTo("200");
        assertThat(anonymous("GET", later)).isEqualTo("AccessDenied");
        String both = "'s3:GetObject','s3:GetObjectVersion'";
        set(bucket, statement("Allow", "'*'", both, "B/*", ""));
        Instant wide = bed.pause();
        String last = "/" + Past.alias(bucket, wide) + "/k";
        assertThat(anonymous("GET", last)).isEqualTo("200");
        assertThat(anonymous("GET", then)).isEqualTo("AccessDenied");
        assertThat(anonymous("GET", later)).isEqualTo("AccessDenied");
        assertThat(code("DELETE", "/" + bucket + "?policy", bed.alice())).isEqualTo("204");
        assertThat(anonymous("GET", last)).isEqualTo("AccessDenied");
        assertThat(code("GET", last, bed.alice())).isEqualTo("200");
    }

    @Test
    void aNewBucketOfTheSameNameHasNoPolicy() {
        String bucket = bucket();
        set(bucket, statement("Allow", "'*'", "'s3:*'", "B/*", ""));
        assertThat(code("DELETE", "/" + bucket + "/k", bed.alice())).isEqualTo("204");
        assertThat(code("DELETE", "/" + bucket, bed.alice())).isEqualTo("204");
        assertThat(code("PUT", "/" + bucket, bed.bob())).isEqualTo("200");
        assertThat(code("GET", "/" + bucket + "?policy", bed.bob()))
                .isEqualTo("NoSuchBucketPolicy");
    }
}
