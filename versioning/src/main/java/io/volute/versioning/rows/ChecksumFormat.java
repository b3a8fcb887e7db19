package io.volute.versioning.rows;

import io.volute.versioning.value.ObjectAttributes.Algorithm;
import io.volute.versioning.value.ObjectAttributes.Checksum;
import io.volute.versioning.value.ObjectAttributes.Type;
import java.util.Base64;

/**
 * An additional checksum: one byte (bits 0-3 algorithm, bit 4 composite, bit 5 text), then either
 * the number behind the dash (0 for none) as a varint and the raw bytes, big-endian, or the text as
 * it is. Algorithms are numbered from 0: CRC32, CRC32C, CRC64NVME, SHA1, SHA256, SHA512, MD5,
 * XXHASH64, XXHASH3, XXHASH128.
 */
final class ChecksumFormat {
    private static final int ALGORITHM_MASK = 0x0F;
    private static final int COMPOSITE = 0x10;
    private static final int TEXT = 0x20;
    private static final int SUFFIX_DIGITS_MAX = 5;

    private ChecksumFormat() {}

    public static void write(RowOutput output, Checksum checksum) {
        int head =
                checksum.algorithm().ordinal()
                        | (checksum.type() == Type.COMPOSITE ? COMPOSITE : 0);
        String value = checksum.value();
        int dash = value.lastIndexOf('-');
        String digits = dash < 0 ? "" : value.substring(dash + 1);
        String base64 = dash < 0 ? value : value.substring(0, dash);
        byte[] raw = decode(base64, checksum.algorithm().bytes());
        if (raw.length == 0 || (dash >= 0 && !isCanonical(digits))) {
            output.octet(head | TEXT).text(value);
        } else {
            output.octet(head).varint(dash < 0 ? 0 : Integer.parseInt(digits)).raw(raw);
        }
    }

    public static Checksum read(RowInput input) {
        int head = input.octet();
        int id = head & ALGORITHM_MASK;
        Algorithm[] algorithms = Algorithm.values();
        if (id >= algorithms.length || head > (TEXT | COMPOSITE | ALGORITHM_MASK)) {
            throw new RowFormatException("checksum head " + head);
        }
        Type type = (head & COMPOSITE) != 0 ? Type.COMPOSITE : Type.FULL_OBJECT;
        if ((head & TEXT) != 0) {
            return new Checksum(algorithms[id], type, input.text());
        }
        long suffix = input.varint();
        String base64 = Base64.getEncoder().encodeToString(input.raw(algorithms[id].bytes()));
        return new Checksum(algorithms[id], type, suffix == 0 ? base64 : base64 + "-" + suffix);
    }

    /** Decodes base64; returns an empty array unless re-encoding yields the same text. */
    private static byte[] decode(String base64, int bytes) {
        try {
            byte[] raw = Base64.getDecoder().decode(base64);
            boolean same =
                    raw.length == bytes && Base64.getEncoder().encodeToString(raw).equals(base64);
            return same ? raw : new byte[0];
        } catch (IllegalArgumentException e) {
            return new byte[0];
        }
    }

    private static boolean isCanonical(String digits) {
        return !digits.isEmpty()
                && digits.length() <= SUFFIX_DIGITS_MAX
                && digits.charAt(0) != '0'
                && digits.chars().allMatch(c -> c >= '0' && c <= '9');
    }
}
