package io.volute.server.s3.past;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.s3.S3TestCase;
import io.volute.server.s3.TestResponse;
import io.volute.server.s3.TestSigner;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Denials by tag and version hold for the past, for deleted buckets and for copied tags. */
final class PastPolicyTest extends S3TestCase {
    private static final String BOB = "{'AWS':'arn:aws:iam::000000000000:user/bob'}";
    private static final String READ =
            "{'Effect':'Allow','Principal':" + BOB + ",'Action':'s3:GetObject*','Resource':'B/*'}";

    private static String denying(String actions, String condition) {
        return "{'Effect':'Deny','Principal':"
                + BOB
                + ",'Action':["
                + actions
                + "],'Resource':'B/*','Condition':{"
                + condition
                + "}}";
    }

    private static void set(String bucket, TestSigner owner, String... statements) {
        String document =
                ("{'Version':'2012-10-17','Statement':[" + String.join(",", statements) + "]}")
                        .replace('\'', '"')
                        .replace("\"B/", "\"arn:aws:s3:::" + bucket + "/");
        TestResponse put =
                bed.request("PUT", "/" + bucket + "?policy").body(document).sendAs(owner);
        assertThat(put.status()).as(put.text()).isEqualTo(204);
    }

    private static void tag(String bucket, String key, TestSigner who) {
        String document =
                "<Tagging><TagSet><Tag><Key>class</Key><Value>secret</Value></Tag></TagSet>"
                        + "</Tagging>";
        assertThat(
                        bed.request("PUT", "/" + bucket + "/" + key + "?tagging")
                                .body(document)
                                .sendAs(who)
                                .status())
                .isEqualTo(200);
    }

    private static String code(String method, String target, TestSigner who) {
        return bed.request(method, target).sendAs(who).code();
    }

    private static String copied(String target, String source, TestSigner who) {
        return bed.request("PUT", target).header("x-amz-copy-source", source).sendAs(who).code();
    }

    @Test
    void aTagThatDeniesNowDeniesThePast() {
        String bucket = bed.bucketOf(bed.alice());
        String his = bed.bucketOf(bed.bob());
        set(
                bucket,
                bed.alice(),
                READ,
                denying("'s3:*'", "'StringEquals':{'s3:ExistingObjectTag/class':'secret'}"));
        bed.request("PUT", "/" + bucket + "/k").body("plans").sendAs(bed.alice());
        assertThat(code("GET", "/" + bucket + "/k", bed.bob())).isEqualTo("200");
        String alias = Past.alias(bucket, bed.pause());
        assertThat(code("GET", "/" + alias + "/k", bed.bob())).isEqualTo("200");

        tag(bucket, "k", bed.root());
        for (String method : new String[] {"GET", "HEAD"}) {
            assertThat(code(method, "/" + bucket + "/k", bed.bob())).isNotEqualTo("200");
            assertThat(code(method, "/" + alias + "/k", bed.bob())).isNotEqualTo("200");
        }
        assertThat(code("GET", "/" + alias + "/k", bed.bob())).isEqualTo("AccessDenied");
        assertThat(code("GET", "/" + alias + "/k?tagging", bed.bob())).isEqualTo("AccessDenied");
        assertThat(copied("/" + his + "/k", alias + "/k", bed.bob())).isEqualTo("AccessDenied");
        assertThat(
                        bed.request("GET", "/" + bucket + "/k")
                                .header("x-volute-at", bed.pause().minusSeconds(1).toString())
                                .sendAs(bed.bob())
                                .code())
                .isEqualTo("AccessDenied");

        // What the version was tagged with last counts, also when another one has taken its place.
        bed.request("PUT", "/" + bucket + "/k").body("menu").sendAs(bed.alice());
        assertThat(code("GET", "/" + bucket + "/k", bed.bob())).isEqualTo("200");
        assertThat(code("GET", "/" + alias + "/k", bed.bob())).isEqualTo("AccessDenied");
        bed.request("DELETE", "/" + bucket + "/k").sendAs(bed.alice());
        assertThat(code("GET", "/" + alias + "/k", bed.bob())).isEqualTo("AccessDenied");
        assertThat(code("GET", "/" + alias + "/k", bed.alice())).isEqualTo("200");
    }

    @Test
    void aVersionThatIsDeniedIsDeniedInThePast() {
        String bucket = bed.bucketOf(bed.alice());
        bed.request("PUT", "/" + bucket + "?versioning")
                .body(
                        "<VersioningConfiguration><Status>Enabled</Status>"
                                + "</VersioningConfiguration>")
                .sendAs(bed.alice());
        set(bucket, bed.alice(), READ);
        String first =
                bed.request("PUT", "/" + bucket + "/k")
                        .body("one")
                        .sendAs(bed.alice())
                        .header("x-amz-version-id");
        String then = Past.alias(bucket, bed.pause());
        bed.request("PUT", "/" + bucket + "/k").body("two").sendAs(bed.alice());
        String later = Past.alias(bucket, bed.pause());
        set(
                bucket,
                bed.alice(),
                READ,
                denying(
                        "'s3:GetObjectVersion'",
                        "'StringEquals':{'s3:VersionId':'" + first + "'}"));

        assertThat(code("GET", "/" + bucket + "/k?versionId=" + first, bed.bob()))
                .isEqualTo("AccessDenied");
        assertThat(code("GET", "/" + then + "/k?versionId=" + first, bed.bob()))
                .isEqualTo("AccessDenied");
        assertThat(code("GET", "/" + then + "/k", bed.bob())).isEqualTo("AccessDenied");
        assertThat(code("GET", "/" + later + "/k", bed.bob())).isEqualTo("200");
    }

    @Test
    void thePastOfADeletedBucketIsForItsOwnerAndTheRoot() {
        String bucket = bed.bucketOf(bed.alice());
        set(
                bucket,
                bed.alice(),
                READ,
                "{'Effect':'Allow','Principal':'*','Action':'s3:GetObject*','Resource':'B/*'}");
        bed.request("PUT", "/" + bucket + "/k").body("content").sendAs(bed.alice());
        Instant instant = bed.pause();
        String then = "/" + Past.alias(bucket, instant) + "/k";
        assertThat(code("GET", then, bed.bob())).isEqualTo("200");
        assertThat(bed.request("GET", then).sendAnonymous().code()).isEqualTo("200");

        // By somebody else than the writer, so that each policy keeps what was deleted.
        bed.request("DELETE", "/" + bucket + "/k").sendAs(bed.root());
        assertThat(code("DELETE", "/" + bucket, bed.alice())).isEqualTo("204");
        bed.pause();
        for (int i = 0; i < 2; i++) {
            assertThat(code("GET", then, bed.bob())).isEqualTo("AccessDenied");
            assertThat(bed.request("GET", then).sendAnonymous().code())
                    .isEqualTo(i == 0 ? "NoSuchBucket" : "AccessDenied");
            assertThat(code("GET", then, bed.alice())).isEqualTo("200");
            assertThat(code("GET", then, bed.root())).isEqualTo("200");
            // Once more when the name is taken again, by a former reader.
            bed.request("PUT", "/" + bucket).sendAs(bed.bob());
        }
    }

    @Test
    void aCopyTakesTagsOnlyWhereTheyMayBeReadAndWritten() {
        String source = bed.bucketOf(bed.alice());
        String target = bed.bucketOf(bed.bob());
        bed.request("PUT", "/" + source + "/k").body("content").sendAs(bed.alice());
        tag(source, "k", bed.alice());
        String read =
                "{'Effect':'Allow','Principal':"
                        + BOB
                        + ",'Action':['s3:GetObject'],'Resource':'B/*'}";
        set(source, bed.alice(), read);
        assertThat(copied("/" + target + "/k", source + "/k", bed.bob())).isEqualTo("AccessDenied");
        assertThat(
                        bed.request("PUT", "/" + target + "/k")
                                .header("x-amz-copy-source", source + "/k")
                                .header("x-amz-tagging-directive", "REPLACE")
                                .sendAs(bed.bob())
                                .code())
                .isEqualTo("200");

        set(source, bed.alice(), READ);
        assertThat(copied("/" + target + "/k", source + "/k", bed.bob())).isEqualTo("200");
        set(
                target,
                bed.bob(),
                "{'Effect':'Deny','Principal':'*','Action':'s3:PutObjectTagging',"
                        + "'Resource':'B/*'}");
        assertThat(copied("/" + target + "/k", source + "/k", bed.bob())).isEqualTo("AccessDenied");
        set(
                target,
                bed.bob(),
                denying("'s3:PutObject'", "'StringEquals':{'s3:RequestObjectTag/class':'secret'}"));
        assertThat(copied("/" + target + "/k", source + "/k", bed.bob())).isEqualTo("AccessDenied");
    }
}
