package io.volute.versioning.rows;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Reads the output of {@link RowOutput}. Reading past the end throws a {@link RowFormatException}.
 */
public final class RowInput {
    private final ByteBuffer bytes;

    public RowInput(byte[] bytes) {
        this.bytes = ByteBuffer.wrap(bytes);
    }

    /** Reads the first byte and refuses a layout that this program does not support. */
    public void version(int known, String row) {
        version(known, known, row);
    }

    /**
     * Reads the first byte as {@link #version(int, String)} does, and accepts a range of layouts.
     */
    public int version(int oldest, int newest, String row) {
        int found = octet();
        if (found < oldest || found > newest) {
            throw new RowFormatException(
                    row + " row of version " + found + "; this program reads version " + newest);
        }
        return found;
    }

    public int octet() {
        try {
            return Byte.toUnsignedInt(bytes.get());
        } catch (BufferUnderflowException e) {
            throw cut(1);
        }
    }

    public long fixed() {
        try {
            return bytes.getLong();
        } catch (BufferUnderflowException e) {
            throw cut(Long.BYTES);
        }
    }

    public long varint() {
        long value = 0;
        for (int shift = 0; shift < Long.SIZE; shift += 7) {
            int next = octet();
            value |= (long) (next & 0x7F) << shift;
            if (next < 0x80) {
                return value;
            }
        }
        throw new RowFormatException("varint of more than 10 bytes at " + bytes.position());
    }

    public void skipVarint() {
        while (octet() >= 0x80) {
            // The high bit means that another byte follows.
        }
    }

    /** Reads a varint that is a count or a size in memory. */
    public int size() {
        long value = varint();
        if (value < 0 || value > Integer.MAX_VALUE) {
            throw new RowFormatException("size " + value + " at " + bytes.position());
        }
        return (int) value;
    }

    public byte[] raw(int length) {
        if (length > bytes.remaining()) {
            throw cut(length);
        }
        byte[] target = new byte[length];
        bytes.get(target);
        return target;
    }

    /** Reads all remaining bytes. */
    public byte[] rest() {
        return raw(bytes.remaining());
    }

    public String text() {
        return new String(raw(size()), StandardCharsets.UTF_8);
    }

    public void skipText() {
        int length = size();
        if (length > bytes.remaining()) {
            throw cut(length);
        }
        bytes.position(bytes.position() + length);
    }

    public int position() {
        return bytes.position();
    }

    public void position(int index) {
        bytes.position(index);
    }

    private RowFormatException cut(int wanted) {
        return new RowFormatException(
                "row ends at "
                        + bytes.limit()
                        + ", wanted "
                        + wanted
                        + " bytes at "
                        + bytes.position());
    }
}
