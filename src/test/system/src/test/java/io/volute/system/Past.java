package io.volute.system;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import software.amazon.awssdk.services.s3.S3Client;

/** Instants of the server's clock, to look back to. */
final class Past {
    private static final DateTimeFormatter COMPACT =
            DateTimeFormatter.ofPattern("uuuuMMdd't'HHmmss'z'", Locale.ROOT)
                    .withZone(ZoneOffset.UTC);

    private Past() {}

    /** What the server's clock says in an answer, to the second. */
    static Instant date(S3Client s3, String bucket) {
        String date =
                s3.headBucket(head -> head.bucket(bucket))
                        .sdkHttpResponse()
                        .firstMatchingHeader("Date")
                        .orElseThrow();
        return Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(date));
    }

    /**
     * The beginning of a second behind all that was answered, and in front of all that is asked
     * from now on: of two answers whose dates are two seconds apart the second between.
     */
    static Instant between(S3Client s3, String bucket) {
        Instant behind = date(s3, bucket).plusSeconds(1);
        Instant now = behind;
        while (!now.isAfter(behind)) {
            now = date(s3, bucket);
        }
        return behind;
    }

    /** The bucket as it was then. */
    static String alias(String bucket, Instant instant) {
        return bucket + "--at-" + COMPACT.format(instant);
    }
}
