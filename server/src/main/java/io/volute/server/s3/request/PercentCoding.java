package io.volute.server.s3.request;

import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/**
 * Percent-encoding, both ways. Decoding is strict and happens once. Invalid text is refused, so
 * that signature, policy and storage never see different names.
 */
public final class PercentCoding {
    private static final char[] HEX = "0123456789ABCDEF".toCharArray();
    private static final boolean[] UNRESERVED = new boolean[128];

    static {
        for (char c = 'a'; c <= 'z'; c++) {
            UNRESERVED[c] = true;
        }
        for (char c = 'A'; c <= 'Z'; c++) {
            UNRESERVED[c] = true;
        }
        for (char c = '0'; c <= '9'; c++) {
            UNRESERVED[c] = true;
        }
        UNRESERVED['-'] = true;
        UNRESERVED['.'] = true;
        UNRESERVED['_'] = true;
        UNRESERVED['~'] = true;
    }

    private PercentCoding() {}

    /** The meaning of a plus sign. */
    public enum Plus {
        LITERAL,
        SPACE
    }

    /** The treatment of a slash when encoding. */
    public enum Slash {
        KEPT,
        ENCODED
    }

    /**
     * Decodes percent escapes and UTF-8.
     *
     * @param raw as on the wire, one char a byte
     * @throws S3Exception InvalidURI when an escape or the UTF-8 is broken
     */
    public static String decode(String raw, Plus plus) {
        if (isPlain(raw)) {
            return raw;
        }
        byte[] bytes = new byte[raw.length()];
        int count = 0;
        for (int i = 0; i < raw.length(); i++) {
            char c = raw.charAt(i);
            if (c == '%') {
                if (i + 2 >= raw.length()) {
                    throw new S3Exception(S3Error.INVALID_URI);
                }
                int high = Character.digit(raw.charAt(i + 1), 16);
                int low = Character.digit(raw.charAt(i + 2), 16);
                if (high < 0 || low < 0 || raw.charAt(i + 1) > 'f' || raw.charAt(i + 2) > 'f') {
                    throw new S3Exception(S3Error.INVALID_URI);
                }
                bytes[count++] = (byte) (high << 4 | low);
                i += 2;
            } else if (c > 0xFF) {
                throw new S3Exception(S3Error.INVALID_URI);
            } else {
                bytes[count++] = (byte) (c == '+' && plus == Plus.SPACE ? ' ' : c);
            }
        }
        return utf8(bytes, count);
    }

    private static boolean isPlain(String raw) {
        for (int i = 0; i < raw.length(); i++) {
            char c = raw.charAt(i);
            if (c == '%' || c == '+' || c >= 0x80) {
                return false;
            }
        }
        return true;
    }

    private static String utf8(byte[] bytes, int count) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .onUnmappableCharacter(CodingErrorAction.REPORT)
                    .decode(ByteBuffer.wrap(bytes, 0, count))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new S3Exception(S3Error.INVALID_URI);
        }
    }

    /** Encodes as SigV4's {@code UriEncode}: all but unreserved characters, upper-case hex. */
    public static void encode(String text, Slash slash, StringBuilder out) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (isUnreserved(c, slash)) {
                out.append(c);
            } else if (c < 128) {
                escape(c, out);
            } else {
                int end = Character.isHighSurrogate(c) && i + 1 < text.length() ? i + 2 : i + 1;
                for (byte b : text.substring(i, end).getBytes(StandardCharsets.UTF_8)) {
                    escape(b & 0xFF, out);
                }
                i = end - 1;
            }
        }
    }

    /** Returns the text encoded as by {@link #encode(String, Slash, StringBuilder)}. */
    public static String encode(String text, Slash slash) {
        if (isUnreserved(text, slash)) {
            return text;
        }
        StringBuilder out = new StringBuilder(text.length() + 16);
        encode(text, slash, out);
        return out.toString();
    }

    private static boolean isUnreserved(String text, Slash slash) {
        for (int i = 0; i < text.length(); i++) {
            if (!isUnreserved(text.charAt(i), slash)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isUnreserved(char c, Slash slash) {
        return c < 128 && UNRESERVED[c] || c == '/' && slash == Slash.KEPT;
    }

    private static void escape(int b, StringBuilder out) {
        out.append('%').append(HEX[b >> 4 & 0xF]).append(HEX[b & 0xF]);
    }
}
