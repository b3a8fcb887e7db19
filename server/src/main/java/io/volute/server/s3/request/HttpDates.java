package io.volute.server.s3.request;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Dates as HTTP headers and S3's documents write them; always UTC. */
public final class HttpDates {
    private static final String[] DAYS = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
    private static final String[] MONTHS = {
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"
    };

    /** IMF-fixdate and the form of RFC 850: {@code Sunday, 06-Nov-94 08:49:37 GMT}. */
    private static final Pattern DATE =
            Pattern.compile(
                    "(?:[A-Za-z]{3,9}, *)?(\\d{1,2})[ -]([A-Za-z]{3})[ -](\\d{4}|\\d{2})"
                            + " (\\d{2}:\\d{2}:\\d{2}) ([A-Za-z]{1,3}|[+-]\\d{4})");

    /** The form of ANSI C: {@code Sun Nov 6 08:49:37 1994}. */
    private static final Pattern ASCTIME =
            Pattern.compile(
                    "[A-Za-z]{3} ([A-Za-z]{3}) {1,2}(\\d{1,2}) (\\d{2}:\\d{2}:\\d{2}) (\\d{4})");

    /** Two digits from which on a year is of the last century. */
    private static final int CENTURY_BEGIN = 77;

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

    /**
     * Reads a header's date in one of the three forms of RFC 9110 (5.6.7), or as an ISO 8601
     * instant; empty when it is none, in which case HTTP ignores it. Only the name of the day is
     * not checked. Some clients write {@code UTC} for {@code GMT}, or an offset.
     */
    public static Optional<Instant> parse(String text) {
        String date = text.strip();
        Matcher matcher = DATE.matcher(date);
        try {
            if (matcher.matches()) {
                return Optional.of(
                        instant(
                                year(matcher.group(3)),
                                month(matcher.group(2)),
                                matcher.group(1),
                                matcher.group(4),
                                offset(matcher.group(5))));
            }
            matcher = ASCTIME.matcher(date);
            if (matcher.matches()) {
                return Optional.of(
                        instant(
                                Integer.parseInt(matcher.group(4)),
                                month(matcher.group(1)),
                                matcher.group(2),
                                matcher.group(3),
                                ZoneOffset.UTC));
            }
            return Optional.of(Instant.parse(date));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    private static Instant instant(
            int year, int month, String day, String clock, ZoneOffset offset) {
        // A leap second, which java.time does not have, ends with the second before it.
        String time = clock.endsWith(":60") ? clock.substring(0, 6) + "59" : clock;
        return LocalDate.of(year, month, Integer.parseInt(day))
                .atTime(LocalTime.parse(time))
                .toInstant(offset);
    }

    private static int month(String name) {
        for (int i = 0; i < MONTHS.length; i++) {
            if (MONTHS[i].equalsIgnoreCase(name)) {
                return i + 1;
            }
        }
        throw new DateTimeException("no month: " + name);
    }

    /** Two digits of a date that is not far ahead, as RFC 9110 wants them understood. */
    private static int year(String digits) {
        int year = Integer.parseInt(digits);
        return digits.length() > 2 ? year : year + (year < CENTURY_BEGIN ? 2000 : 1900);
    }

    private static ZoneOffset offset(String zone) {
        return switch (zone.toUpperCase(Locale.ROOT)) {
            case "GMT", "UTC", "UT", "Z" -> ZoneOffset.UTC;
            default -> ZoneOffset.of(zone);
        };
    }
}
