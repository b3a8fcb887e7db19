package io.volute.server.s3.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.s3.S3TestBed;
import io.volute.server.s3.TestResponse;
import io.volute.server.s3.request.HttpDates;
import io.volute.server.upkeep.LifecycleUpkeep;
import io.volute.storage.CubeUnavailableException;
import io.volute.versioning.ObjectStore;
import io.volute.versioning.value.BucketRef;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** When lifecycle rules are looked at, and what answers say about them. */
final class LifecycleScheduleTest extends LifecycleTestCase {
    @Test
    void aDayHasOnePassUnlessTheRulesChange() throws IOException {
        rules(rule("", "<Expiration><Date>2020-01-01</Date></Expiration>"));
        look();
        bed.put(bucket + "/a", "x");
        look();
        assertThat(status("a")).isEqualTo(200);
        rules(rule(prefix("a"), "<Expiration><Date>2020-01-01</Date></Expiration>"));
        look();
        assertThat(status("a")).isEqualTo(404);
        bed.put(bucket + "/a", "x");
        setNow(now.get().plus(Duration.ofDays(1)));
        look();
        assertThat(status("a")).isEqualTo(404);
    }

    /** Returns the store, and counts the listings of versions of the bucket. */
    private ObjectStore counting(AtomicInteger listings) {
        return (ObjectStore)
                Proxy.newProxyInstance(
                        ObjectStore.class.getClassLoader(),
                        new Class<?>[] {ObjectStore.class},
                        (proxy, method, arguments) -> {
                            if (method.getName().equals("listVersions")
                                    && ("/" + ((BucketRef) arguments[1]).name().value())
                                            .equals(bucket)) {
                                listings.incrementAndGet();
                            }
                            return method.invoke(bed.store(), arguments);
                        });
    }

    /** Returns the store, in which the cube of another bucket takes no writes. */
    private ObjectStore withoutWritesTo(String other) {
        return (ObjectStore)
                Proxy.newProxyInstance(
                        ObjectStore.class.getClassLoader(),
                        new Class<?>[] {ObjectStore.class},
                        (proxy, method, arguments) -> {
                            if (method.getName().equals("listVersions")
                                    && ((BucketRef) arguments[1]).name().value().equals(other)) {
                                throw new CubeUnavailableException(
                                        CubeUnavailableException.Reason.READ_ONLY,
                                        "its disk failed");
                            }
                            return method.invoke(bed.store(), arguments);
                        });
    }

    /** It has the first bucket by name. */
    @Test
    void aCubeWithoutWritesHoldsUpNoOther() throws IOException {
        String own = bucket;
        bucket = "/a-first-bucket";
        assertThat(bed.request("PUT", bucket).send().status()).isEqualTo(200);
        assertThat(rules(rule("", days(1))).status()).isEqualTo(200);
        bucket = own;
        upkeep =
                new LifecycleUpkeep(withoutWritesTo("a-first-bucket"), now::get, LifecycleTime.DAY);
        bed.put(bucket + "/a", "x");
        rules(rule("", days(1)));
        setNow(midnightAfter(1));
        look();
        assertThat(status("a")).isEqualTo(404);
    }

    @Test
    void aDayOnWhichNothingCanBeDueHasNoPass() throws IOException {
        AtomicInteger listings = new AtomicInteger();
        upkeep = new LifecycleUpkeep(counting(listings), now::get, LifecycleTime.DAY);
        bed.put(bucket + "/a", "x");
        rules(rule("", days(30)));
        look();
        assertThat(listings).hasValue(1);
        setNow(midnightAfter(29));
        look();
        assertThat(listings).hasValue(1);
        setNow(midnightAfter(30));
        look();
        assertThat(listings).hasValue(2);
        assertThat(status("a")).isEqualTo(404);
    }

    @Test
    void aShorterDayEndsObjectsSooner() throws IOException {
        Duration day = Duration.ofSeconds(10);
        upkeep = new LifecycleUpkeep(bed.store(), now::get, day);
        bed.put(bucket + "/a", "x");
        rules(rule("", days(2)));
        Instant due = LifecycleTime.due(S3TestBed.NOW, 2, day);
        assertThat(due).isBetween(S3TestBed.NOW.plusSeconds(20), S3TestBed.NOW.plusSeconds(30));
        setNow(due.minusMillis(1));
        look();
        assertThat(status("a")).isEqualTo(200);
        setNow(due);
        look();
        assertThat(status("a")).isEqualTo(404);
    }

    @Test
    void aShorterDayIsLookedAtMoreOften() {
        assertThat(LifecycleUpkeep.pauses(LifecycleTime.DAY).usual())
                .isEqualTo(Duration.ofHours(1));
        assertThat(LifecycleUpkeep.pauses(Duration.ofSeconds(10)).usual())
                .isEqualTo(Duration.ofMillis(500));
        assertThat(LifecycleUpkeep.pauses(Duration.ofSeconds(10)).first())
                .isEqualTo(Duration.ofMillis(500));
    }

    @Test
    void daysOf24HoursBeginAtMidnight() {
        Instant noon = Instant.parse("2026-03-01T12:00:00Z");
        Instant midnight = Instant.parse("2026-03-01T00:00:00Z");
        assertThat(LifecycleTime.due(noon, 1, LifecycleTime.DAY)).isEqualTo("2026-03-03T00:00:00Z");
        assertThat(LifecycleTime.due(midnight, 1, LifecycleTime.DAY))
                .isEqualTo("2026-03-02T00:00:00Z");
        assertThat(new LifecycleTime(midnight, LifecycleTime.DAY).nextDay())
                .isEqualTo("2026-03-02T00:00:00Z");
    }

    /** An older version becomes the current one when a client removes the newer. */
    @Test
    void aVersionThatBecomesCurrentExpiresOnTheNextDay() throws IOException {
        bucket = "/" + bed.versionedBucket();
        bed.put(bucket + "/a", "old");
        rules(rule("", days(10)));
        setNow(midnightAfter(5));
        bed.put(bucket + "/a", "new");
        setNow(midnightAfter(20));
        look();
        String marker =
                bed.get(bucket + "?versions")
                        .xml("ListVersionsResult")
                        .all("DeleteMarker")
                        .getFirst()
                        .childText("VersionId")
                        .orElseThrow();
        bed.request("DELETE", bucket + "/a?versionId=" + marker).send();
        setNow(midnightAfter(21));
        look();
        assertThat(markers()).isEqualTo(1);
    }

    @Test
    void answersSayWhenAnUploadIsAborted() {
        String abort =
                "<AbortIncompleteMultipartUpload><DaysAfterInitiation>%d</DaysAfterInitiation>"
                        + "</AbortIncompleteMultipartUpload>";
        rules(
                rule(prefix("a"), abort.formatted(9)).replace("<Rule>", "<Rule><ID>nine</ID>"),
                rule(prefix("a/"), abort.formatted(3)).replace("<Rule>", "<Rule><ID>a b</ID>"),
                rule("", days(1)),
                rule("", abort.formatted(1)).replace("Enabled", "Disabled"));
        assertThat(aborted("/a1")).isEqualTo(HttpDates.header(midnightAfter(9)) + " nine");
        assertThat(aborted("/a/1")).isEqualTo(HttpDates.header(midnightAfter(3)) + " a+b");
        assertThat(aborted("/b")).isEmpty();
    }

    /** Returns the headers of a new upload, which its list of parts has as well. */
    private String aborted(String key) {
        TestResponse created = bed.request("POST", bucket + key + "?uploads").send();
        String id =
                created.xml("InitiateMultipartUploadResult").childText("UploadId").orElseThrow();
        TestResponse listed = bed.get(bucket + key + "?uploadId=" + id);
        assertThat(listed.status()).isEqualTo(200);
        for (String each : List.of("x-amz-abort-date", "x-amz-abort-rule-id")) {
            assertThat(listed.header(each)).isEqualTo(created.header(each));
        }
        String date = created.header("x-amz-abort-date");
        return (date + " " + created.header("x-amz-abort-rule-id")).strip();
    }

    @Test
    void answersSayWhenAnObjectExpires() {
        rules(
                rule(prefix("a"), days(9)).replace("<Rule>", "<Rule><ID>nine days</ID>"),
                rule(
                        "<And>" + prefix("a") + "<Tag><Key>k</Key><Value>v</Value></Tag></And>",
                        days(2)));
        TestResponse put = bed.request("PUT", bucket + "/a").body("x").send();
        String nine =
                "expiry-date=\"" + HttpDates.header(midnightAfter(9)) + "\", rule-id=\"nine+days\"";
        assertThat(put.header("x-amz-expiration")).contains(nine);
        assertThat(bed.get(bucket + "/a").header("x-amz-expiration")).contains(nine);
        assertThat(bed.request("HEAD", bucket + "/a").send().header("x-amz-expiration"))
                .contains(nine);
        bed.put(bucket + "/b", "x");
        assertThat(bed.get(bucket + "/b").header("x-amz-expiration")).isEmpty();
        TestResponse tagged =
                bed.request("PUT", bucket + "/a").header("x-amz-tagging", "k=v").body("x").send();
        assertThat(tagged.header("x-amz-expiration"))
                .contains(HttpDates.header(midnightAfter(2)), "rule-2");
    }
}
