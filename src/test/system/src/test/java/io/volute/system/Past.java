package io.volute.system;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import software.amazon.awssdk.services.s3.S3Client;

/** Instants of the server's clock, to look back to. */
public final class Past {
    private static final DateTimeFormatter COMPACT =
            DateTimeFormatter.ofPattern("uuuuMMdd't'HHmmss'z'", Locale.ROOT)
                    .withZone(ZoneOffset.UTC);

    private Past() {}

    /** Returns the server's clock from the date of an answer, to the second. */
    public static Instant date(S3Client s3, String bucket) {
        String date =
                s3.headBucket(head -> head.bucket(bucket))
                        .sdkHttpResponse()
                        .firstMatchingHeader("Date")
                        .orElseThrow();
        return Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(date));
    }

    /**
     * Returns the start of a second after all earlier answers and before all later requests. It is
     * the second between two answers whose dates are two seconds apart.
     */
    public static Instant between(S3Client s3, String bucket) {
        Instant behind = date(s3, bucket).plusSeconds(1);
        Instant now = behind;
        while (!now.isAfter(behind)) {
            now = date(s3, bucket);
        }
        return behind;
    }

    /** The bucket as it was then. */
    public static String alias(String bucket, Instant instant) {
        return bucket + "--at-" + COMPACT.format(instant);
    }
}
