package io.volute.server.s3;

import io.volute.server.upkeep.LifecycleUpkeep;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;

/** A bucket, its rules, and an upkeep with a clock of its own. */
abstract class LifecycleTestCase extends S3TestCase {
    /** The clock of the upkeep alone: requests are signed for one time. */
    final AtomicReference<Instant> now = new AtomicReference<>(S3TestBed.NOW);

    LifecycleUpkeep upkeep;
    String bucket;

    @BeforeEach
    void make() {
        upkeep = new LifecycleUpkeep(bed.store(), now::get);
        bucket = "/" + bed.bucket();
    }

    void setNow(Instant instant) {
        now.set(instant);
    }

    /** The midnight behind a number of whole days from the time of the requests on. */
    static Instant midnightAfter(int days) {
        return S3TestBed.NOW.plus(Duration.ofDays(days + 1L)).truncatedTo(ChronoUnit.DAYS);
    }

    TestResponse rules(String... rules) {
        String document =
                "<LifecycleConfiguration>" + String.join("", rules) + "</LifecycleConfiguration>";
        return bed.request("PUT", bucket + "?lifecycle").body(document).send();
    }

    static String rule(String filter, String action) {
        return "<Rule><Status>Enabled</Status><Filter>" + filter + "</Filter>" + action + "</Rule>";
    }

    static String days(int days) {
        return "<Expiration><Days>" + days + "</Days></Expiration>";
    }

    static String prefix(String prefix) {
        return "<Prefix>" + prefix + "</Prefix>";
    }

    void look() throws IOException {
        upkeep.look();
    }

    int status(String key) {
        return bed.get(bucket + "/" + key).status();
    }

    int versions() {
        return bed.get(bucket + "?versions").xml("ListVersionsResult").all("Version").size();
    }

    int markers() {
        return bed.get(bucket + "?versions").xml("ListVersionsResult").all("DeleteMarker").size();
    }
}
