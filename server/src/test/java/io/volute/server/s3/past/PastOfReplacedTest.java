package io.volute.server.s3.past;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.s3.S3TestCase;
import io.volute.server.s3.TestRequest;
import io.volute.server.s3.TestResponse;
import io.volute.server.s3.TestSigner;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests that the past of an object that was overwritten or deleted is not shared by its last ACL or
 * tags, which nobody can change any more.
 */
final class PastOfReplacedTest extends S3TestCase {
    private static final String PUBLIC = "public-read";
    private static final String PRIVATE = "private";

    private String bucket;

    @BeforeEach
    void make() {
        bucket = bed.freshName();
        TestResponse made =
                bed.request("PUT", "/" + bucket)
                        .header("x-amz-object-ownership", "ObjectWriter")
                        .sendAs(bed.alice());
        assertThat(made.status()).as(made.text()).isEqualTo(200);
    }

    private String put(TestSigner who, String acl, String text) {
        TestResponse put =
                bed.request("PUT", "/" + bucket + "/k")
                        .header("x-amz-acl", acl)
                        .body(text)
                        .sendAs(who);
        assertThat(put.status()).as(put.text()).isEqualTo(200);
        return put.hasHeader("x-amz-version-id") ? put.header("x-amz-version-id") : "null";
    }

    private void delete(String query) {
        assertThat(bed.request("DELETE", "/" + bucket + "/k" + query).sendAs(bed.alice()).status())
                .isEqualTo(204);
    }

    private void policy(String statements) {
        String text =
                ("{'Version':'2012-10-17','Statement':[" + statements + "]}")
                        .replace('\'', '"')
                        .replace("BUCKET", "arn:aws:s3:::" + bucket);
        TestResponse set =
                bed.request("PUT", "/" + bucket + "?policy").body(text).sendAs(bed.alice());
        assertThat(set.status()).as(set.text()).isEqualTo(204);
    }

    private static String allowingBob(String actions, String condition) {
        return "{'Effect':'Allow','Principal':{'AWS':'arn:aws:iam::000000000000:user/bob'},"
                + "'Action':["
                + actions
                + "],'Resource':'BUCKET/*'"
                + (condition.isEmpty() ? "" : ",'Condition':{" + condition + "}")
                + "}";
    }

    private TestRequest past(Instant then, String query) {
        return bed.request("GET", "/" + Past.alias(bucket, then) + "/k" + query);
    }

    private void onlyTheOwnerReads(Instant then) {
        for (String query : new String[] {"", "?acl", "?tagging", "?attributes"}) {
            TestRequest anonymous = past(then, query).header("x-amz-object-attributes", "ETag");
            assertThat(anonymous.sendAnonymous().code()).as(query).isEqualTo("AccessDenied");
            TestRequest bobs = past(then, query).header("x-amz-object-attributes", "ETag");
            assertThat(bobs.sendAs(bed.bob()).code()).as(query).isEqualTo("AccessDenied");
        }
        assertThat(
                        bed.request("GET", "/" + bucket + "/k")
                                .header("x-volute-at", then.toString())
                                .sendAnonymous()
                                .code())
                .isIn("AccessDenied", "NoSuchKey");
        String his = bed.bucketOf(bed.bob());
        assertThat(
                        bed.request("PUT", "/" + his + "/copy")
                                .header("x-amz-copy-source", "/" + Past.alias(bucket, then) + "/k")
                                .sendAs(bed.bob())
                                .code())
                .isEqualTo("AccessDenied");
        assertThat(past(then, "").sendAs(bed.alice()).status()).isEqualTo(200);
    }

    @Test
    void strangersReadWhatIsPublicThenAndNow() {
        put(bed.alice(), PUBLIC, "open");
        Instant then = bed.pause();
        assertThat(past(then, "").sendAnonymous().text()).isEqualTo("open");
        put(bed.alice(), PUBLIC, "open as well");
        assertThat(past(then, "").sendAnonymous().text()).isEqualTo("open");
    }

    @Test
    void whatWasPublicByMistakeIsNotReadOnceItIsDeleted() {
        put(bed.alice(), PUBLIC, "secret");
        Instant then = bed.pause();
        delete("");
        onlyTheOwnerReads(then);
    }

    @Test
    void whatWasPublicByMistakeIsNotReadOnceItIsOverwritten() {
        put(bed.alice(), PUBLIC, "secret");
        Instant then = bed.pause();
        put(bed.alice(), PRIVATE, "redacted");
        onlyTheOwnerReads(then);
    }

    @Test
    void whoMayListTheBucketReadsNoDeletedObject() {
        assertThat(
                        bed.request("PUT", "/" + bucket + "?acl")
                                .header("x-amz-acl", PUBLIC)
                                .sendAs(bed.alice())
                                .status())
                .isEqualTo(200);
        put(bed.alice(), PUBLIC, "secret");
        Instant then = bed.pause();
        delete("");
        onlyTheOwnerReads(then);
    }

    @Test
    void policiesAloneShareWhatIsDeleted() {
        put(bed.alice(), PRIVATE, "shared");
        policy(allowingBob("'s3:GetObject','s3:GetObjectVersion'", ""));
        Instant then = bed.pause();
        delete("");
        assertThat(past(then, "").sendAs(bed.bob()).text()).isEqualTo("shared");
        assertThat(past(then, "").sendAnonymous().code()).isEqualTo("AccessDenied");
    }

    @Test
    void tagsThatAreGoneShareNothing() {
        policy(
                allowingBob(
                        "'s3:GetObject','s3:GetObjectVersion'",
                        "'StringEquals':{'s3:ExistingObjectTag/open':'yes'}"));
        TestRequest tagged =
                bed.request("PUT", "/" + bucket + "/k").header("x-amz-tagging", "open=yes");
        assertThat(tagged.body("secret").sendAs(bed.alice()).status()).isEqualTo(200);
        Instant then = bed.pause();
        assertThat(past(then, "").sendAs(bed.bob()).text()).isEqualTo("secret");
        put(bed.alice(), PRIVATE, "without tags");
        assertThat(past(then, "").sendAs(bed.bob()).code()).isEqualTo("AccessDenied");
        delete("");
        assertThat(past(then, "").sendAs(bed.bob()).code()).isEqualTo("AccessDenied");
    }

    @Test
    void aNoncurrentVersionIsSharedByItsOwnAclUntilItIsRemoved() {
        assertThat(
                        bed.request("PUT", "/" + bucket + "?versioning")
                                .body(
                                        "<VersioningConfiguration><Status>Enabled</Status>"
                                                + "</VersioningConfiguration>")
                                .sendAs(bed.alice())
                                .status())
                .isEqualTo(200);
        String version = put(bed.alice(), PUBLIC, "open");
        Instant then = bed.pause();
        put(bed.alice(), PRIVATE, "closed");
        assertThat(past(then, "").sendAnonymous().text()).isEqualTo("open");
        delete("");
        assertThat(past(then, "").sendAnonymous().text()).isEqualTo("open");
        delete("?versionId=" + version);
        onlyTheOwnerReads(then);
    }

    @Test
    void theOwnerOfADeletedObjectReadsItsPast() {
        policy(allowingBob("'s3:PutObject'", ""));
        put(bed.bob(), PRIVATE, "of bob");
        Instant then = bed.pause();
        assertThat(past(then, "").sendAs(bed.alice()).code()).isEqualTo("AccessDenied");
        delete("");
        assertThat(past(then, "").sendAs(bed.bob()).text()).isEqualTo("of bob");
        assertThat(past(then, "").sendAs(bed.alice()).code()).isEqualTo("AccessDenied");
        assertThat(past(then, "").sendAnonymous().code()).isEqualTo("AccessDenied");
    }
}
