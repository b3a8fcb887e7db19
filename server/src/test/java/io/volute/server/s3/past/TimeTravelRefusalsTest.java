package io.volute.server.s3.past;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.s3.S3TestCase;
import io.volute.server.s3.TestRequest;
import io.volute.server.s3.TestResponse;
import io.volute.server.s3.call.S3Call;
import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.Target;
import io.volute.versioning.value.BucketName;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Changes of the past, and instants that are not in the past, are refused. */
final class TimeTravelRefusalsTest extends S3TestCase {

    private static TestRequest header(String target, String value) {
        return bed.request("GET", target).header("x-volute-at", value);
    }

    /** A request of an operation, complete enough to be taken for it. */
    private static TestRequest request(S3Call call, String bucket) {
        String target = call.level() == Target.Level.OBJECT ? "/" + bucket + "/k" : "/" + bucket;
        String subresource = call.subresource().equals("*") ? "cors" : call.subresource();
        TestRequest request =
                bed.request(
                        call.method(), subresource.isEmpty() ? target : target + "?" + subresource);
        return call.isCopy() ? request.header("x-amz-copy-source", bucket + "/k") : request;
    }

    @ParameterizedTest
    @EnumSource(S3Call.class)
    void nothingChangesThePast(S3Call call) {
        if (call.isRead()) {
            return;
        }
        String bucket = bed.versionedBucket();
        bed.put("/" + bucket + "/k", "kept");
        Instant then = bed.pause();
        TestResponse refused = request(call, Past.alias(bucket, then)).send();
        if (call == S3Call.CREATE_BUCKET) {
            assertThat(refused.code()).isEqualTo("InvalidBucketName");
            assertThat(refused.status()).isEqualTo(400);
        } else {
            assertThat(refused.code()).isEqualTo("MethodNotAllowed");
            assertThat(refused.status()).isEqualTo(405);
            assertThat(refused.header("allow")).isEqualTo("GET, HEAD");
            assertThat(refused.text())
                    .contains("read-only")
                    .contains("x-amz-copy-source: " + Past.alias(bucket, then) + "/KEY");
        }
        TestResponse wrong = request(call, bucket).header("x-volute-at", then.toString()).send();
        assertThat(wrong.code()).isEqualTo("InvalidArgument");
        assertThat(wrong.status()).isEqualTo(400);
        assertThat(bed.get("/" + bucket + "/k").text()).isEqualTo("kept");
        assertThat(bed.get("/" + Past.alias(bucket, then) + "/k").text()).isEqualTo("kept");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "2026-11-21T10:00:01Z",
                "2026-11-21T10:00:01.000Z",
                "2026-11-21T12:00:01+02:00",
                "20261121T100001Z",
                "20261121t100001z"
            })
    void takesAnInstantInTheseForms(String form) {
        bed.pause();
        assertThat(header("/", form).send().status()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "yesterday",
                "1763719200",
                "2026-11-21",
                "2026-11-21T10:00:01",
                "2026-13-21T10:00:01Z",
                "20261321T100001Z",
                "1969-12-31T23:59:59Z",
                "-1000-01-01T00:00:00Z",
                "+1000000-01-01T00:00:00Z",
                "2026-11-21T10:00:00Z, 2026-11-21T10:00:01Z"
            })
    void refusesWhatIsNoInstant(String value) {
        TestResponse refused = header("/", value).send();
        assertThat(refused.code()).isEqualTo("InvalidArgument");
        assertThat(refused.text()).contains("2026-11-20T14:05:00Z");
        assertThat(refused.xml("Error").childText("ArgumentName")).contains("x-volute-at");
    }

    @Test
    void refusesAnInstantThatIsNotOver() {
        String bucket = bed.bucket();
        Instant now = bed.pause().plusSeconds(1);
        String alias = Past.alias(bucket, now);
        for (TestResponse refused :
                new TestResponse[] {
                    bed.get("/" + alias + "/k"),
                    header("/" + bucket, now.toString()).send(),
                    header("/", "9999-12-31T23:59:59Z").send()
                }) {
            assertThat(refused.code()).isEqualTo("InvalidArgument");
            assertThat(refused.text()).contains("not over yet");
        }
        assertThat(header("/" + bucket, now.minusMillis(1).toString()).send().status())
                .isEqualTo(200);
    }

    @Test
    void headerAndAliasMustAgree() {
        String bucket = bed.bucket();
        Instant then = bed.pause();
        String target = "/" + Past.alias(bucket, then);
        assertThat(header(target, then.toString()).send().status()).isEqualTo(200);
        assertThat(header(target, Past.compact(then)).send().status()).isEqualTo(200);
        TestResponse refused = header(target, then.plusMillis(1).toString()).send();
        assertThat(refused.code()).isEqualTo("InvalidArgument");
        assertThat(refused.text()).contains("different instants");
    }

    @Test
    void theHeaderIsSignedAndThereOnce() {
        String bucket = bed.bucket();
        String then = bed.pause().toString();
        TestResponse unsigned =
                bed.request("GET", "/" + bucket).unsigned("x-volute-at", then).send();
        assertThat(unsigned.code()).isEqualTo("AccessDenied");
        assertThat(unsigned.text()).contains("x-volute-at");
        assertThat(
                        bed.request("GET", "/" + bucket)
                                .unsigned("x-volute-at", then)
                                .sendPresigned(60)
                                .code())
                .isEqualTo("AccessDenied");
        assertThat(header("/" + bucket, then).sendPresigned(60).status()).isEqualTo(200);
        // Two lines of a header are signed as one.
        TestRequest twice = header("/" + bucket, then + "," + then);
        List<HeaderList.Header> lines = new ArrayList<>(twice.signedHeaders(bed.root()));
        lines.removeIf(line -> line.name().equals("x-volute-at"));
        lines.add(new HeaderList.Header("x-volute-at", then));
        lines.add(new HeaderList.Header("x-volute-at", then));
        TestResponse refused = twice.send(lines, twice.rawQuery());
        assertThat(refused.code()).isEqualTo("InvalidArgument");
        assertThat(refused.text()).contains("only once");
    }

    @Test
    void aNameWithoutAnInstantIsANameLikeAnyOther() {
        for (String name : new String[] {"odd--at-", "odd--at-noon", "odd--at-20261399t000000z"}) {
            TestResponse made = bed.request("PUT", "/" + name).send();
            if (name.endsWith("-")) {
                assertThat(made.code()).isEqualTo("InvalidBucketName");
            } else {
                assertThat(made.status()).isEqualTo(200);
                bed.put("/" + name + "/k", "content");
                assertThat(bed.get("/" + name + "/k").text()).isEqualTo("content");
                String alias = Past.alias(name, bed.pause());
                assertThat(bed.get("/" + alias + "/k").text()).isEqualTo("content");
            }
        }
    }

    @Test
    void onlyAnAliasIsLongerThanAName() {
        String longest = "b".repeat(BucketName.CHARS_MAX);
        assertThat(bed.request("PUT", "/" + longest).send().status()).isEqualTo(200);
        Instant then = bed.pause();
        assertThat(bed.get("/" + Past.alias(longest, then)).status()).isEqualTo(200);
        for (String name :
                new String[] {
                    Past.alias(longest + "b", then),
                    Past.alias("ab", then),
                    Past.alias(Past.alias("photos", then), then),
                    longest + "--at-20261399t000000z"
                }) {
            assertThat(bed.get("/" + name).code()).as(name).isEqualTo("InvalidBucketName");
        }
    }

    @Test
    void anAliasThatIsNearlyOneSaysHowToWriteIt() {
        String bucket = bed.versionedBucket();
        for (String nearly :
                List.of(
                        "--at-2026-11-20",
                        "--at-20261120",
                        "--at-20261399t000000z",
                        "--at-20261120T140500Z",
                        "--AT-20261120t140500z")) {
            TestResponse answer = bed.get("/" + bucket + nearly + "/k");
            assertThat(answer.code()).isIn("NoSuchBucket", "InvalidBucketName");
            assertThat(answer.text()).as(nearly).contains("BUCKET--at-20261120t140500z");
        }
        assertThat(bed.get("/nosuchbucket").text()).doesNotContain("--at-");
    }

    @Test
    void thePastBeforeABucketSaysThatThereWasNone() {
        Instant before = bed.pause();
        String bucket = bed.versionedBucket();
        bed.pause();
        TestResponse alias = bed.get("/" + Past.alias(bucket, before));
        assertThat(alias.code()).isEqualTo("NoSuchBucket");
        assertThat(alias.text()).contains("There was no bucket " + bucket + " at " + before);
        TestResponse named = header("/" + bucket, before.toString()).send();
        assertThat(named.code()).isEqualTo("NoSuchBucket");
        assertThat(named.text()).contains("There was no bucket " + bucket + " at that time.");
        // Nothing is revealed of a bucket that is there now.
        String other = bucket.replace("bucket", "nobody");
        assertThat(bed.get("/" + Past.alias(other, before)).text().replace(other, bucket))
                .isEqualTo(alias.text());
    }
}
