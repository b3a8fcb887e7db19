package io.volute.versioning.rows;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A growing buffer for the bytes of a row: single bytes, 8-byte numbers, LEB128 varints, counted
 * strings. Not thread-safe.
 */
public final class RowOutput {
    private byte[] bytes = new byte[96];
    private int length;

    public RowOutput octet(int value) {
        room(1);
        bytes[length++] = (byte) value;
        return this;
    }

    /** Appends 8 bytes, big-endian. */
    public RowOutput fixed(long value) {
        room(Long.BYTES);
        ByteBuffer.wrap(bytes).putLong(length, value);
        length += Long.BYTES;
        return this;
    }

    /** Appends 7 bits a byte, lowest first, high bit set on all but the last; unsigned. */
    public RowOutput varint(long value) {
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            octet((int) (rest & 0x7F) | 0x80);
            rest >>>= 7;
        }
        return octet((int) rest);
    }

    public RowOutput raw(byte[] source) {
        return raw(source, 0, source.length);
    }

    public RowOutput raw(byte[] source, int from, int to) {
        room(to - from);
        System.arraycopy(source, from, bytes, length, to - from);
        length += to - from;
        return this;
    }

    /** Appends the length in bytes as varint, then UTF-8. */
    public RowOutput text(String value) {
        byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
        return varint(utf8.length).raw(utf8);
    }

    public int length() {
        return length;
    }

    public byte[] toBytes() {
        return Arrays.copyOf(bytes, length);
    }

    private void room(int more) {
        if (length + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, length + more));
        }
    }
}
