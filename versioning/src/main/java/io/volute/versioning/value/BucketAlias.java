package io.volute.versioning.value;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.ResolverStyle;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The name under which the past of a bucket is read. {@code photos--at-20261120t140500z} is the
 * bucket {@code photos} as it was on the 20th of November 2026 at 14:05:00 UTC. No bucket can have
 * such a name. A name that only resembles one, such as {@code photos--at-20261399t000000z}, is an
 * ordinary name.
 *
 * @param bucket the text before the instant, which need not be a valid bucket name
 * @param instant the beginning of a second, not before 1970
 */
public record BucketAlias(String bucket, Instant instant) {
    private static final String MARK = "--at-";
    private static final Pattern COMPACT =
            Pattern.compile("[0-9]{8}t[0-9]{6}z", Pattern.CASE_INSENSITIVE);
    private static final DateTimeFormatter FORMAT =
            DateTimeFormatter.ofPattern("uuuuMMdd't'HHmmss'z'", Locale.ROOT)
                    .withResolverStyle(ResolverStyle.STRICT);

    /** Number of characters behind the bucket's name. */
    public static final int SUFFIX_CHARS = MARK.length() + "yyyymmddthhmmssz".length();

    /** Returns the alias as a name, which {@link #parse} reads. */
    public String name() {
        return bucket + MARK + FORMAT.format(LocalDateTime.ofInstant(instant, ZoneOffset.UTC));
    }

    /**
     * Parses an alias; empty when the name is none. An alias is in lower case, like all bucket
     * names.
     */
    public static Optional<BucketAlias> parse(String name) {
        int end = name.length() - SUFFIX_CHARS;
        if (end < 0 || !name.startsWith(MARK, end)) {
            return Optional.empty();
        }
        String text = name.substring(end + MARK.length());
        return text.equals(text.toLowerCase(Locale.ROOT))
                ? instant(text).map(instant -> new BucketAlias(name.substring(0, end), instant))
                : Optional.empty();
    }

    /** Returns whether a name is no alias, but looks as if one was meant. */
    public static boolean isNearly(String name) {
        return name.toLowerCase(Locale.ROOT).contains(MARK) && parse(name).isEmpty();
    }

    /** Returns the bucket name of a bucket name or an alias. */
    public static String bucketOf(String written) {
        return parse(written).map(BucketAlias::bucket).orElse(written);
    }

    /** Parses an instant in the form of aliases, in either case; empty when it is not valid. */
    public static Optional<Instant> instant(String text) {
        if (!COMPACT.matcher(text).matches()) {
            return Optional.empty();
        }
        try {
            Instant instant =
                    LocalDateTime.parse(text.toLowerCase(Locale.ROOT), FORMAT)
                            .toInstant(ZoneOffset.UTC);
            return Optional.of(instant).filter(value -> !value.isBefore(Instant.EPOCH));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }
}
