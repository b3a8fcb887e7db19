package io.volute.admin.client;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.ResolverStyle;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Instants as people write them. */
public final class Instants {
    private static final Pattern ISO =
            Pattern.compile("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,9})?Z");

    /** The compact format, also used in the name of a bucket's past. */
    private static final Pattern COMPACT = Pattern.compile("\\d{8}[tT]\\d{6}[zZ]");

    private static final DateTimeFormatter COMPACT_FORM =
            DateTimeFormatter.ofPattern("uuuuMMdd'T'HHmmss'Z'", Locale.ROOT)
                    .withResolverStyle(ResolverStyle.STRICT);

    private static final Pattern RELATIVE = Pattern.compile("([+-])(\\d{1,6})([smhd])");

    private Instants() {}

    /** Parses an absolute or relative instant. Returns empty if the text is neither. */
    static Optional<Instant> parse(String text, Instant now) {
        Matcher relative = RELATIVE.matcher(text);
        try {
            if (ISO.matcher(text).matches()) {
                return Optional.of(Instant.parse(text));
            }
            if (COMPACT.matcher(text).matches()) {
                return Optional.of(
                        LocalDateTime.parse(text.toUpperCase(Locale.ROOT), COMPACT_FORM)
                                .toInstant(ZoneOffset.UTC));
            }
            if (relative.matches()) {
                long count = Long.parseLong(relative.group(1) + relative.group(2));
                return Optional.of(
                        now.plus(duration(count, relative.group(3)))
                                .truncatedTo(ChronoUnit.SECONDS));
            }
        } catch (DateTimeException e) {
            // Of the right shape, but no day or time.
        }
        return Optional.empty();
    }

    private static Duration duration(long count, String unit) {
        return switch (unit) {
            case "s" -> Duration.ofSeconds(count);
            case "m" -> Duration.ofMinutes(count);
            case "h" -> Duration.ofHours(count);
            case String days -> Duration.ofDays(count);
        };
    }

    /** Parses the value of an option. A value that is not an instant is a usage error. */
    public static Instant ofOption(CommandSpec spec, String option, String text) {
        CommandLine line = spec.commandLine();
        Instant now = CommandContext.of(spec).clock().instant();
        return parse(text, now)
                .orElseThrow(
                        () ->
                                new ParameterException(
                                        line,
                                        option
                                                + " is \""
                                                + text
                                                + "\"; write an instant in UTC like"
                                                + " 2026-11-20T14:05:00Z or 20261120t140500z, or"
                                                + " a time from now, like -30m, -2h or +7d"));
    }
}
