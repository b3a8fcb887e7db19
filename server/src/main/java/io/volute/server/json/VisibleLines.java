package io.volute.server.json;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;

/**
 * Lines of {@link VisibleText}, an object each, gathered in an array that is used again. Texts with
 * nothing to escape, which nearly all are, are copied as they are; Jackson writes the others. Not
 * thread-safe.
 */
public final class VisibleLines {
    private static final int BYTES = 1 << 16;

    /** An array that has become longer is not kept. */
    private static final int KEPT_BYTES = 1 << 20;

    private static final int MILLIS_DIGITS = 3;
    private static final int NANOS_IN_MILLI = 1_000_000;

    private byte[] bytes = new byte[BYTES];
    private int length;
    private int lines;

    /** How the second begins that was written last: most lines have the same. */
    private String secondText = "";

    private long second = Long.MIN_VALUE;

    /** What a field is called. */
    public static final class Name {
        /** As it is written, with the comma before it, which the first of a line is without. */
        private final byte[] encoded;

        private Name(byte[] encoded) {
            this.encoded = encoded;
        }

        /** A name of visible ASCII, without quotes or backslashes. */
        public static Name of(String name) {
            return new Name((",\"" + name + "\":").getBytes(StandardCharsets.US_ASCII));
        }
    }

    /** Begins a line. */
    public VisibleLines begin() {
        return raw("{");
    }

    /** Adds a text to the line. */
    public VisibleLines text(Name name, String value) {
        return name(name).string(value);
    }

    /** Adds a number to the line. */
    public VisibleLines number(Name name, long value) {
        return name(name).raw(Long.toString(value));
    }

    /** Adds a boolean to the line. */
    public VisibleLines flag(Name name, boolean value) {
        return name(name).raw(Boolean.toString(value));
    }

    /** Adds an instant to the line, as {@link VisibleText#of} has it. */
    public VisibleLines time(Name name, Instant value) {
        if (value.getEpochSecond() != second) {
            String text = VisibleText.of(value);
            secondText = text.substring(0, text.indexOf('.') + 1);
            second = value.getEpochSecond();
        }
        name(name).raw("\"").raw(secondText);
        room(MILLIS_DIGITS);
        int rest = value.getNano() / NANOS_IN_MILLI;
        for (int at = MILLIS_DIGITS - 1; at >= 0; at--) {
            bytes[length + at] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        length += MILLIS_DIGITS;
        return raw("Z\"");
    }

    /** Ends the line. */
    public void end() {
        raw("}\n");
        lines++;
    }

    /** Lines since {@link #clear} that were ended. */
    public int lines() {
        return lines;
    }

    /** Length of what there is since {@link #clear}. */
    public int bytes() {
        return length;
    }

    /** All lines since {@link #clear}. */
    public byte[] toBytes() {
        return Arrays.copyOf(bytes, length);
    }

    /** Forgets all lines. */
    public void clear() {
        length = 0;
        lines = 0;
        if (bytes.length > KEPT_BYTES) {
            bytes = new byte[BYTES];
        }
    }

    private VisibleLines name(Name name) {
        byte[] encoded = name.encoded;
        int from = bytes[length - 1] == '{' ? 1 : 0;
        int count = encoded.length - from;
        room(count);
        System.arraycopy(encoded, from, bytes, length, count);
        length += count;
        return this;
    }

    private VisibleLines string(String value) {
        int count = value.length();
        room(count + 2);
        bytes[length] = '"';
        for (int i = 0; i < count; i++) {
            char c = value.charAt(i);
            if (c < ' ' || c > '~' || c == '"' || c == '\\') {
                return escaped(value);
            }
            bytes[length + 1 + i] = (byte) c;
        }
        bytes[length + 1 + count] = '"';
        length += count + 2;
        return this;
    }

    private VisibleLines escaped(String value) {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        try (JsonGenerator out =
                VisibleText.FACTORY.createGenerator(ObjectWriteContext.empty(), text)) {
            out.writeString(value);
        }
        byte[] escaped = text.toByteArray();
        room(escaped.length);
        System.arraycopy(escaped, 0, bytes, length, escaped.length);
        length += escaped.length;
        return this;
    }

    /** Adds visible ASCII. */
    private VisibleLines raw(String text) {
        int count = text.length();
        room(count);
        for (int i = 0; i < count; i++) {
            bytes[length + i] = (byte) text.charAt(i);
        }
        length += count;
        return this;
    }

    private void room(int more) {
        if (bytes.length - length < more) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + more));
        }
    }
}
