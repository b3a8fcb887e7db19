package io.volute.server.s3.call;

import io.volute.server.s3.error.S3Exception;

/** Numbers in queries and headers. */
public final class Numbers {
    private Numbers() {}

    /** A decimal number within bounds. */
    public static int between(String name, String text, int least, int most, String refusal) {
        long value = digits(text);
        if (value < least || value > most) {
            throw S3Exception.invalidArgument(name, text, refusal);
        }
        return (int) value;
    }

    /** A page size: 0 to 2^31-1 as sent, capped. */
    public static int page(String name, S3Request request, int most) {
        String text = request.query().text(name);
        if (text.isEmpty()) {
            return most;
        }
        long value = digits(text);
        if (value < 0 || value > Integer.MAX_VALUE) {
            throw S3Exception.invalidArgument(
                    name,
                    text,
                    value < 0
                            ? "Provided " + name + " not an integer or within integer range"
                            : "Argument " + name + " must be an integer between 0 and 2147483647");
        }
        return (int) Math.min(value, most);
    }

    /** -1 when the text is not 1 to 18 digits. */
    public static long digits(String text) {
        if (text.isEmpty() || text.length() > 18) {
            return -1;
        }
        long value = 0;
        for (int i = 0; i < text.length(); i++) {
            int digit = text.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                return -1;
            }
            value = value * 10 + digit;
        }
        return value;
    }
}
