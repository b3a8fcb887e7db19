package io.volute.server.s3.request;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/** Dates as HTTP headers and S3's documents write them; always UTC. */
public final class HttpDates {
    private static final String[] DAYS = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
    private static final String[] MONTHS = {
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"
    };

    private HttpDates() {}

    /**
     * Returns an instant in the form of {@code Last-Modified}: {@code Wed, 12 Oct 2009 17:50:00
     * GMT}.
     */
    public static String header(Instant instant) {
        LocalDateTime time = LocalDateTime.ofInstant(instant, ZoneOffset.UTC);
        StringBuilder out = new StringBuilder(29);
        out.append(DAYS[time.getDayOfWeek().getValue() - 1]).append(", ");
        two(time.getDayOfMonth(), out);
        out.append(' ').append(MONTHS[time.getMonthValue() - 1]).append(' ');
        out.append(time.getYear()).append(' ');
        clock(time, out);
        return out.append(" GMT").toString();
    }

    /** Returns an instant in the form of S3's documents: {@code 2009-10-12T17:50:30.000Z}. */
    public static String document(Instant instant) {
        LocalDateTime time = LocalDateTime.ofInstant(instant, ZoneOffset.UTC);
        StringBuilder out = new StringBuilder(24);
        out.append(time.getYear()).append('-');
        two(time.getMonthValue(), out);
        out.append('-');
        two(time.getDayOfMonth(), out);
        out.append('T');
        clock(time, out);
        int millis = time.getNano() / 1_000_000;
        out.append('.').append((char) ('0' + millis / 100));
        two(millis % 100, out);
        return out.append('Z').toString();
    }

    private static void clock(LocalDateTime time, StringBuilder out) {
        two(time.getHour(), out);
        out.append(':');
        two(time.getMinute(), out);
        out.append(':');
        two(time.getSecond(), out);
    }

    private static void two(int value, StringBuilder out) {
        out.append((char) ('0' + value / 10)).append((char) ('0' + value % 10));
    }

    /** Reads a date as documents write it, to the millisecond; empty when it is not one. */
    public static Optional<Instant> timestamp(String text) {
        try {
            OffsetDateTime time = OffsetDateTime.parse(text.strip());
            // Years of more than four digits are no instants that anybody means.
            return time.getYear() > 9999
                    ? Optional.empty()
                    : Optional.of(time.toInstant().truncatedTo(ChronoUnit.MILLIS))
                            .filter(instant -> !instant.isBefore(Instant.EPOCH));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    /** Reads a header's date; empty when it is not one, in which case HTTP ignores it. */
    public static Optional<Instant> parse(String text) {
        try {
            return Optional.of(
                    ZonedDateTime.parse(text.trim(), DateTimeFormatter.RFC_1123_DATE_TIME)
                            .toInstant());
        } catch (DateTimeException e) {
            try {
                return Optional.of(Instant.parse(text.trim()));
            } catch (DateTimeException second) {
                return Optional.empty();
            }
        }
    }
}
