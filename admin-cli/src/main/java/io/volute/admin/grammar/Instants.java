package io.volute.admin.grammar;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.ResolverStyle;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converts instants as people write them. Every option that is an instant has this type. */
public final class Instants implements ITypeConverter<Instant> {
    /** The forms, as a line for the description of a command with an option {@code T}. */
    public static final String FORMS = "T is " + Instants.ADVICE + ".";

    private static final String ADVICE =
            "a time like 2026-11-20T14:05:00Z, a local time like \"2026-11-20 14:05\" or"
                    + " 2026-11-20, or a time from now like -30m, -24h or -7d";

    /** Day, time and offset. Without an offset it is a local time, without a time midnight. */
    private static final Pattern ISO =
            Pattern.compile(
                    "(\\d{4}-\\d\\d-\\d\\d)"
                            + "(?:[Tt ](\\d\\d:\\d\\d(?::\\d\\d(?:\\.\\d{1,9})?)?)"
                            + "([Zz]|[+-]\\d\\d:\\d\\d)?)?");

    /** The compact format, also used in the name of a bucket's past. */
    private static final Pattern COMPACT = Pattern.compile("\\d{8}[tT]\\d{6}[zZ]");

    private static final DateTimeFormatter COMPACT_FORM =
            DateTimeFormatter.ofPattern("uuuuMMdd'T'HHmmss'Z'", Locale.ROOT)
                    .withResolverStyle(ResolverStyle.STRICT);

    private static final Pattern RELATIVE = Pattern.compile("([+-])(\\d{1,6})([smhdw])");

    private static final Pattern DURATION = Pattern.compile("\\d{1,6}[smhdw]");

    private final InstantSource clock;
    private final ZoneId zone;

    /**
     * @param zone of local times
     */
    Instants(InstantSource clock, ZoneId zone) {
        this.clock = clock;
        this.zone = zone;
    }

    @Override
    public Instant convert(String text) {
        Matcher relative = RELATIVE.matcher(text);
        Matcher iso = ISO.matcher(text);
        try {
            if (iso.matches()) {
                return instant(iso, text);
            }
            if (COMPACT.matcher(text).matches()) {
                return LocalDateTime.parse(text.toUpperCase(Locale.ROOT), COMPACT_FORM)
                        .toInstant(ZoneOffset.UTC);
            }
            if (relative.matches()) {
                long count = Long.parseLong(relative.group(1) + relative.group(2));
                return clock.instant()
                        .plus(duration(count, relative.group(3)))
                        .truncatedTo(ChronoUnit.SECONDS);
            }
        } catch (DateTimeException e) {
            throw wrong("there is no such time as \"" + text + "\"");
        }
        if (DURATION.matcher(text).matches()) {
            throw wrong("\"" + text + "\" has no sign: -" + text + " is before now");
        }
        throw wrong("\"" + text + "\" is no time");
    }

    private Instant instant(Matcher iso, String text) {
        LocalTime time = iso.group(2) == null ? LocalTime.MIDNIGHT : LocalTime.parse(iso.group(2));
        LocalDateTime local = LocalDate.parse(iso.group(1)).atTime(time);
        if (iso.group(3) != null) {
            return local.toInstant(ZoneOffset.of(iso.group(3).toUpperCase(Locale.ROOT)));
        }
        if (iso.group(2) == null) {
            // A day may begin later than at midnight.
            return local.toLocalDate().atStartOfDay(zone).toInstant();
        }
        List<ZoneOffset> offsets = zone.getRules().getValidOffsets(local);
        if (offsets.isEmpty()) {
            throw new TypeConversionException(
                    "\"" + text + "\" is left out in " + zone + ": clocks are set forward then");
        }
        if (offsets.size() > 1) {
            throw new TypeConversionException(
                    "\""
                            + text
                            + "\" is there twice in "
                            + zone
                            + ": write "
                            + local.atOffset(offsets.getFirst())
                            + " or "
                            + local.atOffset(offsets.getLast()));
        }
        return local.toInstant(offsets.getFirst());
    }

    private static Duration duration(long count, String unit) {
        return switch (unit) {
            case "s" -> Duration.ofSeconds(count);
            case "m" -> Duration.ofMinutes(count);
            case "h" -> Duration.ofHours(count);
            case "d" -> Duration.ofDays(count);
            case String weeks -> Duration.ofDays(Math.multiplyExact(7L, count));
        };
    }

    private static TypeConversionException wrong(String what) {
        return new TypeConversionException(what + "; write " + ADVICE);
    }
}
