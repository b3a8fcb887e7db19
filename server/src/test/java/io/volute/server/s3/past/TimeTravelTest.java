package io.volute.server.s3.past;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.s3.S3TestBed;
import io.volute.server.s3.S3TestCase;
import io.volute.server.s3.TestResponse;
import io.volute.server.s3.xml.XmlElement;
import io.volute.versioning.value.BucketName;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests reads and listings of a bucket's past, by its alias and by the header. */
final class TimeTravelTest extends S3TestCase {

    private static TestResponse at(Instant instant, String target) {
        return bed.request("GET", target).header("x-volute-at", instant.toString()).send();
    }

    private static TestResponse head(String target) {
        return bed.request("HEAD", target).send();
    }

    @Test
    void readsTheStateOfEachInstant() {
        Instant beforeAll = bed.pause();
        String bucket = bed.versionedBucket();
        Instant empty = bed.pause();
        String one = bed.put("/" + bucket + "/k", "one").header("x-amz-version-id");
        Instant first = bed.pause();
        String two = bed.put("/" + bucket + "/k", "the second").header("x-amz-version-id");
        Instant second = bed.pause();
        bed.request("DELETE", "/" + bucket + "/k").send();
        Instant deleted = bed.pause();

        TestResponse old = bed.get("/" + Past.alias(bucket, first) + "/k");
        assertThat(old.text()).isEqualTo("one");
        assertThat(old.header("x-amz-version-id")).isEqualTo(one);
        assertThat(old.hasHeader("x-volute-state-time")).isFalse();
        assertThat(at(first, "/" + bucket + "/k").text()).isEqualTo("one");
        assertThat(bed.get("/" + Past.alias(bucket, second) + "/k").text()).isEqualTo("the second");

        TestResponse gone = bed.get("/" + Past.alias(bucket, deleted) + "/k");
        assertThat(gone.code()).isEqualTo("NoSuchKey");
        assertThat(gone.header("x-amz-delete-marker")).isEqualTo("true");
        assertThat(bed.get("/" + Past.alias(bucket, empty) + "/k").code()).isEqualTo("NoSuchKey");
        TestResponse none = bed.get("/" + Past.alias(bucket, beforeAll) + "/k");
        assertThat(none.code()).isEqualTo("NoSuchBucket");
        assertThat(none.xml("Error").childText("BucketName"))
                .contains(Past.alias(bucket, beforeAll));

        String then = "/" + Past.alias(bucket, first) + "/k?versionId=";
        assertThat(bed.get(then + one).text()).isEqualTo("one");
        assertThat(bed.get(then + two).code()).isEqualTo("NoSuchVersion");
        assertThat(bed.get("/" + Past.alias(bucket, deleted) + "/k?versionId=" + one).text())
                .isEqualTo("one");
    }

    @Test
    void rangesAndConditionsAreThoseOfThatState() {
        String bucket = bed.versionedBucket();
        String oldEtag = bed.put("/" + bucket + "/k", "0123456789").header("etag");
        String target = "/" + Past.alias(bucket, bed.pause()) + "/k";
        String newEtag = bed.put("/" + bucket + "/k", "abc").header("etag");
        bed.pause();

        TestResponse range = bed.request("GET", target).header("range", "bytes=2-4").send();
        assertThat(range.status()).isEqualTo(206);
        assertThat(range.text()).isEqualTo("234");
        assertThat(range.header("content-range")).isEqualTo("bytes 2-4/10");
        assertThat(bed.request("GET", target).header("range", "bytes=10-").send().code())
                .isEqualTo("InvalidRange");
        assertThat(bed.get(target + "?partNumber=1").text()).isEqualTo("0123456789");
        assertThat(condition(target, "if-match", oldEtag)).isEqualTo(200);
        assertThat(condition(target, "if-match", newEtag)).isEqualTo(412);
        assertThat(condition(target, "if-none-match", oldEtag)).isEqualTo(304);
        assertThat(condition(target, "if-none-match", newEtag)).isEqualTo(200);
        TestResponse headed = head(target);
        assertThat(headed.status()).isEqualTo(200);
        assertThat(headed.header("etag")).isEqualTo(oldEtag);
        assertThat(headed.body()).isEmpty();
    }

    private static int condition(String target, String header, String value) {
        return bed.request("GET", target).header(header, value).send().status();
    }

    @Test
    void partsTagsAndAttributesAreThoseOfThatState() {
        String bucket = bed.versionedBucket();
        String id = bed.request("POST", "/" + bucket + "/k?uploads").send().uploadId();
        String part = "/" + bucket + "/k?uploadId=" + id + "&partNumber=";
        String first = bed.put(part + 1, "a".repeat(1000)).header("etag");
        String last = bed.put(part + 2, "tail").header("etag");
        TestResponse completed =
                bed.request("POST", "/" + bucket + "/k?uploadId=" + id)
                        .body(
                                "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>"
                                        + first
                                        + "</ETag></Part><Part><PartNumber>2</PartNumber><ETag>"
                                        + last
                                        + "</ETag></Part></CompleteMultipartUpload>")
                        .send();
        assertThat(completed.status()).as(completed.text()).isEqualTo(200);
        String target = "/" + Past.alias(bucket, bed.pause()) + "/k";
        bed.request("PUT", "/" + bucket + "/k")
                .header("x-amz-tagging", "a=1")
                .body("another")
                .send();
        String later = "/" + Past.alias(bucket, bed.pause()) + "/k";
        bed.request("DELETE", "/" + bucket + "/k").send();
        bed.pause();

        TestResponse tail = bed.get(target + "?partNumber=2");
        assertThat(tail.text()).isEqualTo("tail");
        assertThat(tail.header("x-amz-mp-parts-count")).isEqualTo("2");
        assertThat(head(target + "?partNumber=1").header("content-range"))
                .isEqualTo("bytes 0-999/1004");
        TestResponse attributes =
                bed.request("GET", target + "?attributes")
                        .header("x-amz-object-attributes", "ObjectSize,ObjectParts")
                        .send();
        assertThat(attributes.text())
                .contains("<ObjectSize>1004</ObjectSize>")
                .contains("<PartsCount>2</PartsCount>");
        assertThat(bed.get(target + "?tagging").text()).doesNotContain("<Tag>");
        assertThat(bed.get(later + "?tagging").text()).contains("<Key>a</Key><Value>1</Value>");
        assertThat(bed.get(later + "?acl").text()).contains("FULL_CONTROL");
    }

    /** Prepares a bucket in which not every whole second of the past is exact. */
    private String keptByPolicyAlone(String bucket) throws IOException {
        bed.store().settings().setResolution(new BucketName(bucket), Optional.of(Duration.ZERO));
        return bucket;
    }

    @Test
    void saysWhenTheStateShownWasWrittenLater() throws IOException {
        String bucket = keptByPolicyAlone(bed.bucket());
        bed.put("/" + bucket + "/k", "first");
        String target = "/" + Past.alias(bucket, bed.pause()) + "/k";
        assertThat(head(target).hasHeader("x-volute-state-time")).isFalse();
        Instant written = bed.pause().plusSeconds(1);
        String etag = bed.put("/" + bucket + "/k", "written over").header("etag");
        bed.pause();
        // The same actor goes on with the same causal version.
        TestResponse shown = bed.get(target);
        assertThat(shown.text()).isEqualTo("written over");
        for (TestResponse answer :
                new TestResponse[] {
                    shown,
                    head(target),
                    bed.request("GET", target).header("range", "bytes=0-1").send(),
                    bed.request("GET", target).header("if-none-match", etag).send()
                }) {
            assertThat(answer.header("x-volute-state-time"))
                    .isEqualTo(written.toString().replace("Z", ".000Z"));
        }
        assertThat(head("/" + bucket + "/k").hasHeader("x-volute-state-time")).isFalse();
    }

    @Test
    void settingTagsTakesNothingFromThePast() throws IOException {
        for (String name : new String[] {bed.bucket(), bed.versionedBucket()}) {
            String bucket = keptByPolicyAlone(name);
            bed.put("/" + bucket + "/k", "content");
            String target = "/" + Past.alias(bucket, bed.pause()) + "/k";
            bed.request("PUT", "/" + bucket + "/k?tagging")
                    .body(
                            "<Tagging><TagSet><Tag><Key>a</Key><Value>1</Value></Tag></TagSet>"
                                    + "</Tagging>")
                    .send();
            bed.pause();
            assertThat(bed.get(target).text()).isEqualTo("content");
            boolean isVersioned = bed.get("/" + bucket + "?versioning").text().contains("Enabled");
            assertThat(bed.get(target).hasHeader("x-volute-state-time")).isEqualTo(!isVersioned);
        }
    }

    @Test
    void listsWhatWasThere() {
        String bucket = bed.versionedBucket();
        bed.put("/" + bucket + "/a/1", "x");
        bed.put("/" + bucket + "/b", "x");
        String alias = Past.alias(bucket, bed.pause());
        bed.put("/" + bucket + "/b", "changed");
        bed.put("/" + bucket + "/a/2", "x");
        bed.put("/" + bucket + "/c", "x");
        bed.request("DELETE", "/" + bucket + "/a/1").send();
        String later = Past.alias(bucket, bed.pause());

        TestResponse listed = bed.get("/" + alias + "?list-type=2");
        assertThat(listed.xml("ListBucketResult").childText("Name")).contains(alias);
        assertThat(keys(listed)).containsExactly("a/1", "b");
        assertThat(listed.text()).contains("<Size>1</Size>").doesNotContain("<Size>7</Size>");
        assertThat(keys(bed.get("/" + later + "?list-type=2"))).containsExactly("a/2", "b", "c");
        TestResponse first = bed.get("/" + alias);
        assertThat(first.xml("ListBucketResult").childText("Name")).contains(alias);
        assertThat(keys(first)).containsExactly("a/1", "b");
        TestResponse rolled = bed.get("/" + alias + "?list-type=2&delimiter=%2F");
        assertThat(rolled.text()).contains("<CommonPrefixes><Prefix>a/</Prefix></CommonPrefixes>");
        assertThat(keys(rolled)).containsExactly("b");

        TestResponse versions = bed.get("/" + alias + "?versions");
        XmlElement then = versions.xml("ListVersionsResult");
        assertThat(then.childText("Name")).contains(alias);
        assertThat(then.all("Version")).hasSize(2);
        assertThat(then.all("DeleteMarker")).isEmpty();
        XmlElement now = bed.get("/" + later + "?versions").xml("ListVersionsResult");
        assertThat(now.all("Version")).hasSize(5);
        assertThat(now.all("DeleteMarker")).hasSize(1);
    }

    private static List<String> keys(TestResponse listing) {
        return listing.xml("ListBucketResult").all("Contents").stream()
                .map(entry -> entry.childText("Key").orElseThrow())
                .toList();
    }

    @Test
    void pagesOfThePastFitTogetherWhileThePresentChanges() {
        String bucket = bed.versionedBucket();
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            bed.put("/" + bucket + "/k" + i, "old");
            expected.add("k" + i);
        }
        String alias = Past.alias(bucket, bed.pause());
        List<String> seen = new ArrayList<>();
        String token = "";
        do {
            bed.request("DELETE", "/" + bucket + "/k" + seen.size()).send();
            bed.put("/" + bucket + "/k" + seen.size() + "-new", "new");
            bed.pause();
            TestResponse page = bed.get("/" + alias + "?list-type=2&max-keys=2" + token);
            assertThat(keys(page)).hasSizeBetween(1, 2);
            seen.addAll(keys(page));
            token =
                    page.xml("ListBucketResult")
                            .childText("NextContinuationToken")
                            .map(next -> "&continuation-token=" + next.replace("=", "%3D"))
                            .orElse("");
        } while (!token.isEmpty());
        assertThat(seen).isEqualTo(expected);
        assertThat(versionPages(alias)).isEqualTo(expected);
    }

    private static List<String> versionPages(String alias) {
        List<String> seen = new ArrayList<>();
        String markers = "";
        do {
            XmlElement page =
                    bed.get("/" + alias + "?versions&max-keys=3" + markers)
                            .xml("ListVersionsResult");
            page.all("Version").forEach(v -> seen.add(v.childText("Key").orElseThrow()));
            markers =
                    page.childText("NextKeyMarker")
                            .map(
                                    key ->
                                            "&key-marker="
                                                    + key
                                                    + "&version-id-marker="
                                                    + page.childText("NextVersionIdMarker")
                                                            .orElseThrow())
                            .orElse("");
        } while (!markers.isEmpty());
        return seen;
    }

    @Test
    void theBucketItselfIsAsItWas() {
        String bucket = bed.bucket();
        bed.request("POST", "/" + bucket + "/k?uploads").send();
        String unversioned = "/" + Past.alias(bucket, bed.pause());
        bed.setVersioning(bucket, "Enabled");
        String enabled = "/" + Past.alias(bucket, bed.pause());
        bed.setVersioning(bucket, "Suspended");
        bed.pause();

        assertThat(bed.get(unversioned + "?versioning").text()).doesNotContain("Status");
        assertThat(bed.get(enabled + "?versioning").text()).contains("<Status>Enabled</Status>");
        assertThat(head(enabled).status()).isEqualTo(200);
        assertThat(head(enabled).header("x-amz-bucket-region")).isEqualTo(S3TestBed.REGION);
        assertThat(bed.get(enabled + "?location").status()).isEqualTo(200);
        assertThat(bed.get(enabled + "?acl").text()).contains("FULL_CONTROL");
        assertThat(bed.get(enabled + "?policy").code()).isEqualTo("NoSuchBucketPolicy");
        XmlElement uploads = bed.get(enabled + "?uploads").xml("ListMultipartUploadsResult");
        assertThat(uploads.childText("Bucket")).contains(enabled.substring(1));
        assertThat(uploads.all("Upload")).isEmpty();
        assertThat(bed.get(enabled + "/k?uploadId=any").code()).isEqualTo("NoSuchUpload");
    }

    @Test
    void anUnversionedBucketShowsWhatWasThereAlready() {
        String bucket = bed.bucket();
        bed.put("/" + bucket + "/old", "old");
        Instant then = bed.pause();
        bed.put("/" + bucket + "/new", "new");
        bed.pause();
        assertThat(bed.get("/" + Past.alias(bucket, then) + "/old").text()).isEqualTo("old");
        assertThat(bed.get("/" + Past.alias(bucket, then) + "/old").hasHeader("x-amz-version-id"))
                .isFalse();
        assertThat(bed.get("/" + Past.alias(bucket, then) + "/new").code()).isEqualTo("NoSuchKey");
        assertThat(keys(bed.get("/" + Past.alias(bucket, then) + "?list-type=2")))
                .containsExactly("old");
    }

    @Test
    void theListOfBucketsIsAsItWas() {
        String kept = bed.bucketOf(bed.bob());
        String deleted = bed.bucketOf(bed.bob());
        Instant then = bed.pause();
        String later = bed.bucketOf(bed.bob());
        bed.request("DELETE", "/" + deleted).sendAs(bed.bob());
        bed.pause();
        assertThat(bed.request("GET", "/").sendAs(bed.bob()).text())
                .contains("<Name>" + kept + "<", "<Name>" + later + "<")
                .doesNotContain("<Name>" + deleted + "<");
        assertThat(
                        bed.request("GET", "/")
                                .header("x-volute-at", then.toString())
                                .sendAs(bed.bob())
                                .text())
                .contains("<Name>" + kept + "<", "<Name>" + deleted + "<")
                .doesNotContain("<Name>" + later + "<");
    }

    @Test
    void theHeaderTellsMillisecondsApart() {
        String bucket = bed.versionedBucket();
        Instant second = bed.pause().plusSeconds(2);
        bed.setNow(second.plusMillis(250));
        bed.put("/" + bucket + "/k", "early");
        bed.setNow(second.plusMillis(500));
        bed.put("/" + bucket + "/k", "late");
        bed.pause();
        assertThat(at(second.plusMillis(249), "/" + bucket + "/k").code()).isEqualTo("NoSuchKey");
        assertThat(at(second.plusMillis(250), "/" + bucket + "/k").text()).isEqualTo("early");
        assertThat(at(second.plusMillis(499), "/" + bucket + "/k").text()).isEqualTo("early");
        assertThat(at(second.plusMillis(500), "/" + bucket + "/k").text()).isEqualTo("late");
        // An alias is the beginning of its second.
        assertThat(bed.get("/" + Past.alias(bucket, second) + "/k").code()).isEqualTo("NoSuchKey");
    }

    @Test
    void virtualHostsAndPresignedUrlsNameThePastToo() {
        String bucket = bed.versionedBucket();
        bed.put("/" + bucket + "/k", "one");
        String alias = Past.alias(bucket, bed.pause());
        bed.put("/" + bucket + "/k", "two");
        bed.pause();
        TestResponse hosted =
                bed.request("GET", "/k").header("host", alias + ".s3.example.com").send();
        assertThat(hosted.text()).isEqualTo("one");
        assertThat(
                        keys(
                                bed.request("GET", "/?list-type=2")
                                        .header("host", alias + ".s3.example.com:9000")
                                        .send()))
                .containsExactly("k");
        assertThat(bed.request("GET", "/" + alias + "/k").sendPresigned(60).text())
                .isEqualTo("one");
    }
}
