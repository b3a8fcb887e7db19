package io.volute.server.s3.lifecycle;

import io.volute.server.s3.S3TestBed;
import io.volute.server.s3.S3TestCase;
import io.volute.server.s3.TestResponse;
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
    protected final AtomicReference<Instant> now = new AtomicReference<>(S3TestBed.NOW);

    protected LifecycleUpkeep upkeep;
    protected String bucket;

    @BeforeEach
    protected void make() {
        upkeep = new LifecycleUpkeep(bed.store(), now::get, LifecycleTime.DAY);
        bucket = "/" + bed.bucket();
    }

    protected void setNow(Instant instant) {
        now.set(instant);
    }

    /** The midnight behind a number of whole days from the time of the requests on. */
    protected static Instant midnightAfter(int days) {
        return S3TestBed.NOW.plus(Duration.ofDays(days + 1L)).truncatedTo(ChronoUnit.DAYS);
    }

    protected TestResponse rules(String... rules) {
        String document =
                "<LifecycleConfiguration>" + String.join("", rules) + "</LifecycleConfiguration>";
        return bed.request("PUT", bucket + "?lifecycle").body(document).send();
    }

    protected static String rule(String filter, String action) {
        return "<Rule><Status>Enabled</Status><Filter>" + filter + "</Filter>" + action + "</Rule>";
    }

    protected static String days(int days) {
        return "<Expiration><Days>" + days + "</Days></Expiration>";
    }

    protected static String prefix(String prefix) {
        return "<Prefix>" + prefix + "</Prefix>";
    }

    protected void look() throws IOException {
        upkeep.look();
    }

    protected int status(String key) {
        return bed.get(bucket + "/" + key).status();
    }

    protected int versions() {
        return bed.get(bucket + "?versions").xml("ListVersionsResult").all("Version").size();
    }

    protected int markers() {
        return bed.get(bucket + "?versions").xml("ListVersionsResult").all("DeleteMarker").size();
    }
}
