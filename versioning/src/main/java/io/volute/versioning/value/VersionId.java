package io.volute.versioning.value;

import java.util.HexFormat;
import java.util.Optional;

/**
 * The text form of a version number, opaque to clients: 26 characters with the number and a check
 * value. {@code null} names the null version.
 */
public final class VersionId {
    private static final String NULL = "null";
    private static final long MIX = 0x9E3779B97F4A7C15L;

    private VersionId() {}

    /** Returns the id that clients see for this version. */
    public static String format(long number, boolean nullVersion) {
        return nullVersion ? NULL : "v" + hex(number) + hex(check(number)).substring(7);
    }

    /** Returns the id of a selector; empty for the latest version. */
    public static String format(VersionSelector selector) {
        return switch (selector) {
            case VersionSelector.Latest latest -> "";
            case VersionSelector.NullVersion nullVersion -> NULL;
            case VersionSelector.Numbered numbered -> format(numbered.number(), false);
        };
    }

    /** Parses a client's id; empty when no version can have it. */
    public static Optional<VersionSelector> parse(String text) {
        if (text.equals(NULL)) {
            return Optional.of(VersionSelector.NULL);
        }
        if (!text.matches("v[0-9a-f]{25}")) {
            return Optional.empty();
        }
        long number = Long.parseUnsignedLong(text.substring(1, 17), 16);
        return number > 0 && format(number, false).equals(text)
                ? Optional.of(new VersionSelector.Numbered(number))
                : Optional.empty();
    }

    private static long check(long number) {
        long mixed = (number ^ (number >>> 31)) * MIX;
        return mixed ^ (mixed >>> 29);
    }

    private static String hex(long value) {
        return HexFormat.of().toHexDigits(value);
    }
}
