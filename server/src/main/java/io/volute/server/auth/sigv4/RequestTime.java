package io.volute.server.auth.sigv4;

import io.volute.server.Limits;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Optional;

/**
 * The signing time that a request claims.
 *
 * @param text in the form {@code 20130524T000000Z}
 */
record RequestTime(String text, Instant instant) {

    /** The greatest difference between the clocks of a client and of the server. */
    static final Duration SKEW = Duration.ofSeconds(Limits.CLOCK_SKEW_SECONDS_MAX);

    /**
     * Refuses a time that is too far from that of the server.
     *
     * @throws S3Exception RequestTimeTooSkewed
     */
    void requireNear(Instant now) {
        if (Duration.between(instant, now).abs().compareTo(SKEW) > 0) {
            throw new S3Exception(S3Error.REQUEST_TIME_TOO_SKEWED)
                    .with("RequestTime", text)
                    .with("ServerTime", now.toString())
                    .with("MaxAllowedSkewMilliseconds", "900000");
        }
    }

    /** The day of the scope, {@code 20130524}. */
    String day() {
        return text.substring(0, 8);
    }

    /** Reads ISO 8601 basic format. */
    static Optional<RequestTime> iso(String text) {
        if (text.length() != 16 || text.charAt(8) != 'T' || text.charAt(15) != 'Z') {
            return Optional.empty();
        }
        for (int i = 0; i < 15; i++) {
            if (i != 8 && (text.charAt(i) < '0' || text.charAt(i) > '9')) {
                return Optional.empty();
            }
        }
        try {
            LocalDateTime time =
                    LocalDateTime.of(
                            digits(text, 0, 4),
                            digits(text, 4, 6),
                            digits(text, 6, 8),
                            digits(text, 9, 11),
                            digits(text, 11, 13),
                            digits(text, 13, 15));
            return Optional.of(new RequestTime(text, time.toInstant(ZoneOffset.UTC)));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    /**
     * Reads the value of a Date header: ISO 8601 basic format or RFC 1123. As in S3, the name of
     * the day is not checked. Programs in Go, such as rclone, write UTC for GMT.
     */
    static Optional<RequestTime> dateHeader(String text) {
        Optional<RequestTime> iso = iso(text);
        if (iso.isPresent()) {
            return iso;
        }
        try {
            String date = text.replaceFirst("^[A-Za-z]{3}, ", "").replaceFirst(" UTC$", " GMT");
            Instant instant =
                    ZonedDateTime.parse(date, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
            String basic =
                    DateTimeFormatter.ofPattern("uuuuMMdd'T'HHmmss'Z'", Locale.ROOT)
                            .withZone(ZoneOffset.UTC)
                            .format(instant);
            return instant.isBefore(Instant.EPOCH)
                    ? Optional.empty()
                    : Optional.of(new RequestTime(basic, instant));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    private static int digits(String text, int begin, int end) {
        return Integer.parseInt(text, begin, end, 10);
    }
}
