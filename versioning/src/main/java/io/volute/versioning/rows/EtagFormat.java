package io.volute.versioning.rows;

import java.util.HexFormat;

/** The format of an ETag: a form byte, then 16 raw bytes for an MD5, or the text unchanged. */
final class EtagFormat {
    private static final int NONE = 0;
    private static final int MD5 = 1;

    /** MD5 with {@code -parts} behind it; the caller supplies the number of parts. */
    private static final int MD5_OF_PARTS = 2;

    private static final int TEXT = 3;
    private static final int MD5_BYTES = 16;
    private static final int MD5_CHARS = 2 * MD5_BYTES;
    private static final HexFormat HEX = HexFormat.of();

    private EtagFormat() {}

    public static void write(RowOutput output, String etag, int parts) {
        if (etag.isEmpty()) {
            output.octet(NONE);
        } else if (!startsWithMd5(etag)) {
            output.octet(TEXT).text(etag);
        } else if (etag.length() == MD5_CHARS) {
            output.octet(MD5).raw(HEX.parseHex(etag));
        } else if (parts > 0 && etag.substring(MD5_CHARS).equals("-" + parts)) {
            output.octet(MD5_OF_PARTS).raw(HEX.parseHex(etag, 0, MD5_CHARS));
        } else {
            output.octet(TEXT).text(etag);
        }
    }

    public static String read(RowInput input, int parts) {
        int form = input.octet();
        return switch (form) {
            case NONE -> "";
            case MD5 -> HEX.formatHex(input.raw(MD5_BYTES));
            case MD5_OF_PARTS -> HEX.formatHex(input.raw(MD5_BYTES)) + "-" + parts;
            case TEXT -> input.text();
            default -> throw new RowFormatException("etag form " + form);
        };
    }

    private static boolean startsWithMd5(String etag) {
        if (etag.length() < MD5_CHARS) {
            return false;
        }
        for (int i = 0; i < MD5_CHARS; i++) {
            char digit = etag.charAt(i);
            // Upper case would be decoded as lower case.
            if (!(digit >= '0' && digit <= '9') && !(digit >= 'a' && digit <= 'f')) {
                return false;
            }
        }
        return true;
    }
}
