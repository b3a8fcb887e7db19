package io.volute.server.s3.content;

/** The range of a Range header (RFC 9110, section 14; S3 serves one range or the whole). */
public sealed interface ByteRange {

    /**
     * The whole object: for no range, several, an invalid one, or the last bytes of an empty
     * object.
     */
    record Whole() implements ByteRange {}

    /** Bytes {@code [begin, end)}. */
    record Slice(long begin, long end) implements ByteRange {}

    /** A well-formed range of which no byte exists. */
    record Unsatisfiable() implements ByteRange {}

    Whole WHOLE = new Whole();

    /**
     * Reads a header.
     *
     * @param bytes length of the object
     */
    static ByteRange parse(String header, long bytes) {
        String text = header.trim();
        if (!text.startsWith("bytes=") || text.indexOf(',') >= 0) {
            return WHOLE;
        }
        String range = text.substring("bytes=".length());
        int hyphen = range.indexOf('-');
        if (hyphen < 0) {
            return WHOLE;
        }
        long first = number(range, 0, hyphen);
        long last = number(range, hyphen + 1, range.length());
        if (hyphen == 0) {
            return suffix(last, bytes);
        }
        boolean open = hyphen == range.length() - 1;
        if (first < 0 || !open && (last < 0 || last < first)) {
            return WHOLE;
        }
        if (first >= bytes) {
            return new Unsatisfiable();
        }
        return new Slice(first, open ? bytes : Math.min(bytes - 1, last) + 1);
    }

    private static ByteRange suffix(long length, long bytes) {
        if (length == 0) {
            return new Unsatisfiable();
        }
        if (length < 0 || bytes == 0) {
            return WHOLE;
        }
        return new Slice(Math.max(0, bytes - length), bytes);
    }

    /** Digits as a number, capped at Long.MAX_VALUE; -1 when they are not digits. */
    private static long number(String text, int begin, int end) {
        if (begin >= end) {
            return -1;
        }
        long value = 0;
        for (int i = begin; i < end; i++) {
            int digit = text.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                return -1;
            }
            value = value > (Long.MAX_VALUE - digit) / 10 ? Long.MAX_VALUE : value * 10 + digit;
        }
        return value;
    }
}
