package io.volute.server.json;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
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

    private byte[] bytes;
    private int length;
    private int lines;

    /** The last written time up to its second: most lines share it. */
    private String secondText = "";

    private long second = Long.MIN_VALUE;

    /** The name of a field. */
    public static final class Name {
        /** The encoded name, with a comma before it, which the first field of a line omits. */
        private final byte[] encoded;

        private Name(byte[] encoded) {
            this.encoded = encoded;
        }

        /** A name of visible ASCII, without quotes or backslashes. */
        public static Name of(String name) {
            return new Name((",\"" + name + "\":").getBytes(StandardCharsets.US_ASCII));
        }
    }

    /**
     * A field whose text is often that of the line before: then it is copied as it was encoded. Not
     * thread-safe.
     */
    public static final class Repeated {
        private final Name name;
        private String last = "";
        private byte[] encoded;

        /**
         * @param name of the field
         */
        public Repeated(Name name) {
            this.name = name;
            this.encoded = encode("");
        }

        private byte[] encode(String value) {
            VisibleLines alone = new VisibleLines(name.encoded.length + value.length() + 2);
            return alone.copied(name.encoded, 0).string(value).toBytes();
        }

        private byte[] of(String value) {
            if (!value.equals(last)) {
                encoded = encode(value);
                last = value;
            }
            return encoded;
        }
    }

    /** Creates a buffer without lines. */
    public VisibleLines() {
        this(BYTES);
    }

    private VisibleLines(int capacity) {
        bytes = new byte[capacity];
    }

    /** Begins a line. */
    public VisibleLines begin() {
        return raw("{");
    }

    /** Adds a text to the line. */
    public VisibleLines text(Name name, String value) {
        return name(name).string(value);
    }

    /** Appends a field like {@link #text(Name, String)}. */
    public VisibleLines text(Repeated field, String value) {
        return field(field.of(value));
    }

    /** Adds a number to the line. */
    public VisibleLines number(Name name, long value) {
        name(name);
        if (value < 0) {
            return raw(Long.toString(value));
        }
        int count = 1;
        for (long rest = value / 10; rest > 0; rest /= 10) {
            count++;
        }
        return digits(value, count);
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
        return digits(value.getNano() / NANOS_IN_MILLI, MILLIS_DIGITS).raw("Z\"");
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

    /** Returns the number of bytes since {@link #clear}. */
    public int bytes() {
        return length;
    }

    /** Returns a copy of all lines since {@link #clear}. */
    public byte[] toBytes() {
        return Arrays.copyOf(bytes, length);
    }

    /** Returns all lines since {@link #clear}; valid until the next call of it. */
    public ByteBuffer buffer() {
        return ByteBuffer.wrap(bytes, 0, length);
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
        return field(name.encoded);
    }

    /** Adds what begins with the comma before it. */
    private VisibleLines field(byte[] encoded) {
        return copied(encoded, bytes[length - 1] == '{' ? 1 : 0);
    }

    private VisibleLines copied(byte[] from, int begin) {
        int count = from.length - begin;
        room(count);
        System.arraycopy(from, begin, bytes, length, count);
        length += count;
        return this;
    }

    /** Adds the last digits of a number that is not negative. */
    private VisibleLines digits(long value, int count) {
        room(count);
        long rest = value;
        for (int at = length + count - 1; at >= length; at--) {
            bytes[at] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
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
        return copied(text.toByteArray(), 0);
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
