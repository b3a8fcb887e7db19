package io.volute.admin.output;

import java.io.PrintWriter;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/**
 * The output of a table.
 *
 * @param isFull whole values in lines of any width, for programs and with {@code --wide}; else for
 *     a terminal of {@value Screen#COLUMNS} columns
 * @param zone of shortened times
 * @param now decides how much of a time is left out
 */
public record TableOutput(PrintWriter out, boolean isFull, ZoneId zone, Instant now) {
    private static final DateTimeFormatter OF_DAY = formatter("HH:mm:ss");
    private static final DateTimeFormatter OF_YEAR = formatter("MM-dd HH:mm");
    private static final DateTimeFormatter OLDER = formatter("uuuu-MM-dd HH:mm");

    private static DateTimeFormatter formatter(String pattern) {
        return DateTimeFormatter.ofPattern(pattern, Locale.ROOT);
    }

    /** Returns this output for a value that has a line, or several, of its own. */
    TableOutput whole() {
        return new TableOutput(out, true, zone, now);
    }

    /** Returns a time in RFC 3339, or for a terminal as short as it is clear today. */
    public String time(Instant time) {
        return isFull ? time.toString() : brief(time);
    }

    private String brief(Instant time) {
        ZonedDateTime local = time.atZone(zone);
        LocalDate today = now.atZone(zone).toLocalDate();
        if (local.toLocalDate().equals(today)) {
            return OF_DAY.format(local);
        }
        return (local.getYear() == today.getYear() ? OF_YEAR : OLDER).format(local);
    }
}
