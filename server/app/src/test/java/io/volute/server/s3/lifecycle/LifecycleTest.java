package io.volute.server.s3.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.s3.TestRequest;
import io.volute.server.s3.TestResponse;
import io.volute.server.s3.past.Past;
import io.volute.versioning.ObjectStore.DeleteOutcome;
import io.volute.versioning.ObjectStore.DeleteTarget;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Lifecycle rules: how they are set, and what goes when. */
final class LifecycleTest extends LifecycleTestCase {
    @Test
    void objectsExpireAtTheMidnightBehindTheirDays() throws IOException {
        bed.put(bucket + "/tmp/a", "old");
        bed.put(bucket + "/keep/a", "old");
        assertThat(rules(rule(prefix("tmp/"), days(3))).status()).isEqualTo(200);
        Instant end = midnightAfter(3);
        setNow(end.minusMillis(1));
        look();
        assertThat(status("tmp/a")).isEqualTo(200);
        setNow(end);
        look();
        assertThat(status("tmp/a")).isEqualTo(404);
        assertThat(status("keep/a")).isEqualTo(200);
    }

    @Test
    void whatExpiredIsInThePast() throws IOException {
        bed.put(bucket + "/a", "content");
        rules(rule("", days(1)));
        Instant before = bed.pause();
        setNow(midnightAfter(1));
        look();
        assertThat(status("a")).isEqualTo(404);
        bed.pause();
        String past = "/" + Past.alias(bucket.substring(1), before);
        assertThat(bed.get(past + "/a").text()).isEqualTo("content");
    }

    @Test
    void aDateIsForAll() throws IOException {
        bed.put(bucket + "/a", "x");
        Instant date = midnightAfter(2);
        rules(rule("", "<Expiration><Date>" + date + "</Date></Expiration>"));
        setNow(date.minusMillis(1));
        look();
        assertThat(status("a")).isEqualTo(200);
        setNow(date);
        look();
        assertThat(status("a")).isEqualTo(404);
    }

    @Test
    void sizesAndTagsChoose() throws IOException {
        bed.put(bucket + "/small", "x");
        bed.put(bucket + "/large", "xxxxxxxxxx");
        for (String tag : List.of("red", "blue")) {
            bed.request("PUT", bucket + "/" + tag)
                    .header("x-amz-tagging", "colour=" + tag + "&more=1")
                    .body("xxx")
                    .send();
        }
        rules(
                rule("<ObjectSizeGreaterThan>9</ObjectSizeGreaterThan>", days(1)),
                rule(
                        "<And>"
                                + prefix("")
                                + "<Tag><Key>colour</Key><Value>red</Value></Tag>"
                                + "<Tag><Key>more</Key><Value>1</Value></Tag>"
                                + "<ObjectSizeLessThan>4</ObjectSizeLessThan></And>",
                        days(1)));
        setNow(midnightAfter(1));
        look();
        assertThat(List.of(status("small"), status("large"), status("red"), status("blue")))
                .containsExactly(200, 404, 404, 200);
    }

    @Test
    void versionedBucketsGetMarkersAndLoseOldVersionsAndLoneMarkers() throws IOException {
        bucket = "/" + bed.versionedBucket();
        for (int i = 0; i < 5; i++) {
            bed.put(bucket + "/a", "content " + i);
        }
        rules(
                rule("", days(1)),
                rule(
                        "",
                        "<NoncurrentVersionExpiration><NoncurrentDays>2</NoncurrentDays>"
                                + "<NewerNoncurrentVersions>1</NewerNoncurrentVersions>"
                                + "</NoncurrentVersionExpiration>"));
        setNow(midnightAfter(1));
        look();
        assertThat(status("a")).isEqualTo(404);
        assertThat(versions()).isEqualTo(5);
        assertThat(markers()).isEqualTo(1);
        // The newest noncurrent version stays; the others have been noncurrent for two days.
        setNow(midnightAfter(2));
        look();
        assertThat(versions()).isEqualTo(1);
        bed.request("DELETE", bucket + "/a?versionId=" + onlyVersion()).send();
        setNow(midnightAfter(3));
        look();
        assertThat(markers()).isZero();
    }

    private String onlyVersion() {
        return bed.get(bucket + "?versions")
                .xml("ListVersionsResult")
                .all("Version")
                .getFirst()
                .childText("VersionId")
                .orElseThrow();
    }

    @Test
    void loneMarkersGoByTheirOwnRule() throws IOException {
        bucket = "/" + bed.versionedBucket();
        bed.put(bucket + "/kept", "x");
        bed.request("DELETE", bucket + "/kept").send();
        bed.request("DELETE", bucket + "/lone").send();
        rules(
                rule(
                        "",
                        "<Expiration><ExpiredObjectDeleteMarker>true</ExpiredObjectDeleteMarker>"
                                + "</Expiration>"));
        look();
        assertThat(markers()).isEqualTo(1);
        assertThat(bed.get(bucket + "?versions").text()).doesNotContain("lone");
    }

    @Test
    void lockedVersionsStay() throws IOException {
        bucket = "/" + bed.lockingBucket();
        bed.request("PUT", bucket + "/a")
                .header("x-amz-object-lock-mode", "COMPLIANCE")
                .header("x-amz-object-lock-retain-until-date", midnightAfter(30).toString())
                .header("content-md5", "nnTK4pYm4a8RdnPn5PpFFA==")
                .body("x")
                .send();
        bed.put(bucket + "/a", "newer");
        int before = versions();
        rules(
                rule(
                        "",
                        "<NoncurrentVersionExpiration><NoncurrentDays>1</NoncurrentDays>"
                                + "</NoncurrentVersionExpiration>"));
        setNow(midnightAfter(2));
        look();
        assertThat(versions()).isEqualTo(before);
    }

    @Test
    void unfinishedUploadsAreAborted() throws IOException {
        TestResponse begun = bed.request("POST", bucket + "/big?uploads").send();
        assertThat(begun.status()).isEqualTo(200);
        bed.request("POST", bucket + "/other/big?uploads").send();
        rules(
                rule(
                        prefix("big"),
                        "<AbortIncompleteMultipartUpload><DaysAfterInitiation>7"
                                + "</DaysAfterInitiation></AbortIncompleteMultipartUpload>"));
        Instant end = midnightAfter(7);
        setNow(end.minusMillis(1));
        look();
        assertThat(bed.get(bucket + "?uploads").text()).contains(begun.uploadId());
        setNow(end);
        look();
        assertThat(bed.get(bucket + "?uploads").text())
                .doesNotContain(begun.uploadId())
                .contains("other/big");
    }

    @Test
    @Tag("slow")
    void manyKeysOverSeveralPages() throws IOException {
        for (int i = 0; i < 1203; i++) {
            bed.put(bucket + "/k" + i, "x");
        }
        bed.put(bucket + "/z", "x");
        rules(rule(prefix("k"), days(1)));
        setNow(midnightAfter(1));
        look();
        assertThat(bed.get(bucket).xml("ListBucketResult").all("Contents")).hasSize(1);
    }

    @Test
    void disabledRulesAndTransitionsRemoveNothing() throws IOException {
        bed.put(bucket + "/a", "x");
        rules(
                rule("", days(1)).replace("Enabled", "Disabled"),
                rule(
                        "",
                        "<Transition><Days>1</Days><StorageClass>GLACIER</StorageClass>"
                                + "</Transition>"));
        setNow(midnightAfter(5));
        look();
        assertThat(status("a")).isEqualTo(200);
        assertThat(bed.get(bucket + "?lifecycle").text()).contains("<StorageClass>GLACIER");
    }

    @Test
    void storedTransitionsThatAreNotMetTodayAreRead() {
        String rule = rule("", "<Transition><Days>1</Days></Transition>" + days(1));
        assertThat(rules(rule).code()).isEqualTo("MalformedXML");
        String document = "<LifecycleConfiguration>" + rule + "</LifecycleConfiguration>";
        assertThat(LifecycleRules.ofDocument(document).rules()).hasSize(1);
    }

    /** A new object stays: without the condition, it would go in place of the old one. */
    @Test
    void aKeyThatWasWrittenSinceIsRefused() throws IOException {
        bucket = "/" + bed.versionedBucket();
        bed.put(bucket + "/a", "one");
        bed.put(bucket + "/a", "two");
        BucketName name = new BucketName(bucket.substring(1));
        ObjectKey key = new ObjectKey("a");
        Caller caller = new Caller("root", "", "");
        long seen =
                bed.store().head(caller, name, key, VersionSelector.LATEST).orElseThrow().number();
        bed.put(bucket + "/a", "three");
        for (VersionSelector selector :
                List.of(VersionSelector.LATEST, new VersionSelector.Numbered(seen))) {
            assertThat(
                            bed.store()
                                    .deleteAll(
                                            caller,
                                            name,
                                            List.of(
                                                    new DeleteTarget(
                                                            key,
                                                            selector,
                                                            new WriteCondition.IfNewest(seen)))))
                    .first()
                    .isInstanceOf(DeleteOutcome.Refused.class);
        }
        assertThat(versions()).isEqualTo(3);
    }

    private static final String TRANSITION = "<Status>Enabled</Status><Filter/><Transition>";

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "<Status>Enabled</Status><Filter/>|InvalidRequest",
                TRANSITION + "<Days>1</Days></Transition>|MalformedXML",
                TRANSITION + "<StorageClass>GLACIER</StorageClass></Transition>|MalformedXML",
                TRANSITION
                        + "<Days>1</Days><StorageClass>STANDARD</StorageClass></Transition>"
                        + "|MalformedXML",
                TRANSITION
                        + "<Days>-1</Days><StorageClass>GLACIER</StorageClass></Transition>"
                        + "|InvalidArgument",
                TRANSITION
                        + "<Date>1970-08-23T05:42:07Z</Date><StorageClass>GLACIER</StorageClass>"
                        + "</Transition>|InvalidArgument",
                TRANSITION
                        + "<Days>1</Days><StorageClass>GLACIER</StorageClass></Transition>"
                        + "<Transition><Days>2</Days><StorageClass>GLACIER</StorageClass>"
                        + "</Transition>|InvalidRequest",
                "<Status>Enabled</Status><Filter/><NoncurrentVersionTransition>"
                        + "<StorageClass>GLACIER</StorageClass></NoncurrentVersionTransition>"
                        + "|InvalidArgument",
                "<Status>Enabled</Status><Expiration><Days>1</Days></Expiration>|MalformedXML",
                "<Status>enabled</Status><Filter/><Expiration><Days>1</Days></Expiration>"
                        + "|MalformedXML",
                "<Status>Enabled</Status><Filter/><Prefix>a</Prefix><Expiration><Days>1</Days>"
                        + "</Expiration>|MalformedXML",
                "<Status>Enabled</Status><Filter/><Expiration><Days>0</Days></Expiration>"
                        + "|InvalidArgument",
                "<Status>Enabled</Status><Filter/><Expiration><Days>-1</Days></Expiration>"
                        + "|InvalidArgument",
                "<Status>Enabled</Status><Filter/><Expiration><Days>1</Days>"
                        + "<Date>2030-01-01</Date></Expiration>|MalformedXML",
                "<Status>Enabled</Status><Filter/><Expiration><Date>2030-01-01T01:00:00Z</Date>"
                        + "</Expiration>|InvalidArgument",
                "<Status>Enabled</Status><Filter/><Expiration><Date>20300101</Date></Expiration>"
                        + "|MalformedXML",
                "<Status>Enabled</Status><Filter><Prefix>a</Prefix><Prefix>b</Prefix></Filter>"
                        + "<Expiration><Days>1</Days></Expiration>|MalformedXML",
                "<Status>Enabled</Status><Filter><Tag><Key>a</Key><Value>b</Value></Tag></Filter>"
                        + "<AbortIncompleteMultipartUpload><DaysAfterInitiation>1"
                        + "</DaysAfterInitiation></AbortIncompleteMultipartUpload>|InvalidRequest",
                "<Status>Enabled</Status><Filter><And><ObjectSizeGreaterThan>9"
                        + "</ObjectSizeGreaterThan><ObjectSizeLessThan>9</ObjectSizeLessThan></And>"
                        + "</Filter><Expiration><Days>1</Days></Expiration>|InvalidRequest",
                "<Status>Enabled</Status><Filter/><NoncurrentVersionExpiration><NoncurrentDays>1"
                        + "</NoncurrentDays><NewerNoncurrentVersions>101</NewerNoncurrentVersions>"
                        + "</NoncurrentVersionExpiration>|InvalidArgument",
                "<Status>Enabled</Status><Filter/><Expire><Days>1</Days></Expire>|MalformedXML",
                "<Status>Enabled</Status><Filter><ObjectSizeGreaterThan>1</ObjectSizeGreaterThan>"
                        + "</Filter><AbortIncompleteMultipartUpload><DaysAfterInitiation>1"
                        + "</DaysAfterInitiation></AbortIncompleteMultipartUpload>|InvalidRequest",
                "<Status>Enabled</Status><Filter><And><Prefix>p</Prefix><ObjectSizeLessThan>9"
                        + "</ObjectSizeLessThan></And></Filter><AbortIncompleteMultipartUpload>"
                        + "<DaysAfterInitiation>1</DaysAfterInitiation>"
                        + "</AbortIncompleteMultipartUpload>|InvalidRequest",
                "<Status>Disabled</Status><Status>Enabled</Status><Filter/><Expiration>"
                        + "<Days>1</Days></Expiration>|MalformedXML",
                "<Status>Enabled</Status><Filter/><AbortIncompleteMultipartUpload><Days>1</Days>"
                        + "<DaysAfterInitiation>1</DaysAfterInitiation>"
                        + "</AbortIncompleteMultipartUpload>|MalformedXML",
                "<Status>Enabled</Status><Filter/><NoncurrentVersionExpiration><NoncurrentDays>9"
                        + "</NoncurrentDays><NoncurrentDays>1</NoncurrentDays>"
                        + "</NoncurrentVersionExpiration>|MalformedXML",
            })
    void invalidRulesAreRefused(String rule, String code) {
        assertThat(rules("<Rule>" + rule + "</Rule>").code()).isEqualTo(code);
        assertThat(bed.get(bucket + "?lifecycle").code()).isEqualTo("NoSuchLifecycleConfiguration");
    }

    /** A rule that an earlier version accepted is read as it was. */
    @Test
    void storedRulesMayHaveWhatIsRefusedNow() {
        String rule =
                "<Rule><ID>a</ID><Status>Enabled</Status><Filter><ObjectSizeGreaterThan>1"
                        + "</ObjectSizeGreaterThan></Filter><AbortIncompleteMultipartUpload>"
                        + "<DaysAfterInitiation>3</DaysAfterInitiation>"
                        + "</AbortIncompleteMultipartUpload></Rule>";
        LifecycleRules stored =
                LifecycleRules.ofDocument(
                        "<LifecycleConfiguration>" + rule + "</LifecycleConfiguration>");
        assertThat(stored.rules().getFirst().abortDays()).hasValue(3);
    }

    /** Terraform waits until the rules are answered with the size that it set. */
    @Test
    void theSmallestObjectOfTransitionsIsThatOfS3() {
        String header = "x-amz-transition-default-minimum-object-size";
        String document =
                "<LifecycleConfiguration>" + rule("", days(1)) + "</LifecycleConfiguration>";
        TestRequest put = bed.request("PUT", bucket + "?lifecycle").body(document);
        assertThat(put.send().header(header)).isEqualTo("all_storage_classes_128K");
        assertThat(put.header(header, "all_storage_classes_128K").send().status()).isEqualTo(200);
        assertThat(bed.get(bucket + "?lifecycle").header(header))
                .isEqualTo("all_storage_classes_128K");
        for (String other : List.of("varies_by_storage_class", "1K")) {
            assertThat(
                            bed.request("PUT", bucket + "?lifecycle")
                                    .body(document)
                                    .header(header, other)
                                    .send()
                                    .code())
                    .isEqualTo(other.equals("1K") ? "InvalidArgument" : "NotImplemented");
        }
    }

    @Test
    void idsAreUniqueAndGiven() {
        String one = rule("", days(1));
        assertThat(rules(one, one).status()).isEqualTo(200);
        assertThat(bed.get(bucket + "?lifecycle").text())
                .contains("<ID>rule-1</ID>")
                .contains("<ID>rule-2</ID>");
        String named = one.replace("<Rule>", "<Rule><ID>same</ID>");
        assertThat(rules(named, named).code()).isEqualTo("InvalidArgument");
        assertThat(rules(one.replace("<Rule>", "<Rule><ID>" + "x".repeat(256) + "</ID>")).code())
                .isEqualTo("InvalidArgument");
        assertThat(rules().code()).isEqualTo("MalformedXML");
        assertThat(bed.request("DELETE", bucket + "?lifecycle").send().status()).isEqualTo(204);
        assertThat(bed.get(bucket + "?lifecycle").code()).isEqualTo("NoSuchLifecycleConfiguration");
    }
}
