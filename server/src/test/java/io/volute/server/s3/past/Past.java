package io.volute.server.s3.past;

import java.time.Instant;
import java.util.Locale;

/** Names of the past, as clients write them. */
public final class Past {
    private Past() {}

    /** The alias of a bucket at the beginning of a second. */
    public static String alias(String bucket, Instant instant) {
        return bucket + "--at-" + compact(instant).toLowerCase(Locale.ROOT);
    }

    static String compact(Instant instant) {
        return instant.toString().replace("-", "").replace(":", "");
    }
}
