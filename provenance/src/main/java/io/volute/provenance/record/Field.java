package io.volute.provenance.record;

import io.volute.provenance.format.ByteReader;
import io.volute.provenance.format.ByteWriter;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.provenance.format.RefusedException;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/** A value that may be hidden. */
public record Field(Form form, Bytes value) {
    public static final Field ABSENT = new Field(Form.ABSENT, Bytes.EMPTY);
    private static final int TAG_BYTES = 16;
    private static final Pattern DECIMAL = Pattern.compile("[0-9]{1,19}");

    /** The representation of the value; the ordinal is the code. */
    public enum Form {
        ABSENT,
        PLAIN,
        ENCRYPTED,
        COMMITMENT
    }

    public Field {
        if (!fits(form, value)) {
            throw new IllegalArgumentException(value.length() + " bytes do not fit " + form);
        }
    }

    public static Field plain(String text) {
        return new Field(Form.PLAIN, Bytes.of(text));
    }

    public static Field commitment(Hash hash) {
        return new Field(Form.COMMITMENT, Bytes.of(hash.toArray()));
    }

    /** Returns the number that a text of 1 to 19 decimal digits is; empty when it is none. */
    public static OptionalLong decimal(String text) {
        try {
            return DECIMAL.matcher(text).matches()
                    ? OptionalLong.of(Long.parseLong(text))
                    : OptionalLong.empty();
        } catch (NumberFormatException e) {
            return OptionalLong.empty();
        }
    }

    private static boolean fits(Form form, Bytes value) {
        return switch (form) {
            case ABSENT -> value.length() == 0;
            case PLAIN -> true;
            case ENCRYPTED -> value.length() >= TAG_BYTES;
            case COMMITMENT -> value.length() == Hash.BYTES;
        };
    }

    void encode(ByteWriter out) {
        out.u8(form.ordinal()).bytes32(value);
    }

    static Field decode(ByteReader in, String name) throws RefusedException {
        int code = in.count(Form.COMMITMENT.ordinal(), "form of " + name);
        Form form = Form.values()[code];
        Bytes value = in.bytes32(0, Entry.BYTES_MAX, name);
        if (!fits(form, value)) {
            throw in.refused(name + ": " + value.length() + " bytes do not fit " + form);
        }
        return new Field(form, value);
    }
}
