package io.volute.server.s3.lifecycle;

import java.time.Duration;
import java.time.Instant;
import java.util.OptionalInt;

/**
 * The time at which rules are evaluated, and the calendar in which they count their days. Days
 * begin at multiples of their length since 1970, so days of 24 hours begin at midnight UTC.
 *
 * @param day length of a day, at least 1 ms
 */
public record LifecycleTime(Instant now, Duration day) {
    /** The length of the days of S3. */
    public static final Duration DAY = Duration.ofDays(1);

    /** Returns the begin of the day that follows a number of days after an instant. */
    static Instant due(Instant from, int days, Duration day) {
        Instant exact = from.plus(day.multipliedBy(days));
        Instant begin = begin(exact, day);
        return begin.equals(exact) ? begin : begin.plus(day);
    }

    /** Returns the begin of the day of an instant. */
    private static Instant begin(Instant instant, Duration day) {
        Duration since = Duration.between(Instant.EPOCH, instant);
        return Instant.EPOCH.plus(day.multipliedBy(since.dividedBy(day)));
    }

    Instant due(Instant from, int days) {
        return due(from, days, day);
    }

    /** Returns the same for a number of days that there may be; else never. */
    Instant due(Instant from, OptionalInt days) {
        return days.isPresent() ? due(from, days.getAsInt()) : Instant.MAX;
    }

    /** Returns the instant from which on a version that was made at this time has expired. */
    Instant due(Instant made, LifecycleRules.Expiry expiry) {
        return expiry.of(made, day);
    }

    /** Returns the begin of the next day. */
    public Instant nextDay() {
        return begin(now, day).plus(day);
    }
}
