package io.volute.provenance.format;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** Writes the numbers and strings of {@code docs/format/provenance.md}; not thread-safe. */
public final class ByteWriter {
    private byte[] buffer = new byte[256];
    private int length;

    public ByteWriter u8(int value) {
        return number(value, 1);
    }

    public ByteWriter u16(int value) {
        return number(value, 2);
    }

    public ByteWriter u32(long value) {
        return number(value, 4);
    }

    /**
     * @throws IllegalArgumentException when it is negative
     */
    public ByteWriter u64(long value) {
        return number(value, 8);
    }

    private ByteWriter number(long value, int bytes) {
        if (value < 0 || bytes < 8 && value >>> bytes * 8 != 0) {
            throw new IllegalArgumentException(value + " does not fit " + bytes + " bytes");
        }
        reserve(bytes);
        for (int shift = (bytes - 1) * 8; shift >= 0; shift -= 8) {
            buffer[length++] = (byte) (value >> shift);
        }
        return this;
    }

    public ByteWriter raw(Bytes value) {
        return raw(value.array());
    }

    public ByteWriter raw(byte[] value) {
        reserve(value.length);
        System.arraycopy(value, 0, buffer, length, value.length);
        length += value.length;
        return this;
    }

    public ByteWriter hash(Hash value) {
        return raw(value.array());
    }

    /** A u8 with their number, then the hashes. */
    public ByteWriter hashes(List<Hash> values) {
        u8(values.size());
        values.forEach(this::hash);
        return this;
    }

    public ByteWriter bytes16(Bytes value) {
        return u16(value.length()).raw(value);
    }

    public ByteWriter bytes32(Bytes value) {
        return u32(value.length()).raw(value);
    }

    public ByteWriter text(String value) {
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        return u16(bytes.length).raw(bytes);
    }

    private void reserve(int bytes) {
        if (buffer.length - length < bytes) {
            buffer = Arrays.copyOf(buffer, Math.max(buffer.length * 2, length + bytes));
        }
    }

    public Bytes toBytes() {
        return Bytes.owned(Arrays.copyOf(buffer, length));
    }
}
