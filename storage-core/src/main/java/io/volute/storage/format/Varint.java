package io.volute.storage.format;

import java.nio.ByteBuffer;

/**
 * Unsigned LEB128: seven bits for each byte, low bits first. The high bit is set when more bytes
 * follow.
 */
final class Varint {
    static final int BYTES_MAX = 10;

    private Varint() {}

    static long bytes(long value) {
        int bits = Long.SIZE - Long.numberOfLeadingZeros(value | 1);
        return (bits + 6L) / 7;
    }

    static void put(ByteBuffer target, long value) {
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            target.put((byte) (rest | 0x80));
            rest >>>= 7;
        }
        target.put((byte) rest);
    }

    static long get(ByteBuffer source) throws FormatException {
        long value = 0;
        for (int i = 0; i < BYTES_MAX; i++) {
            if (!source.hasRemaining()) {
                throw new FormatException("a number is cut off");
            }
            byte next = source.get();
            value |= (next & 0x7FL) << (7 * i);
            if (next >= 0) {
                return value;
            }
        }
        throw new FormatException("a number is longer than " + BYTES_MAX + " bytes");
    }

    /** Reads a count or length, which cannot exceed the rest of the entry. */
    static int getCount(ByteBuffer source) throws FormatException {
        long value = get(source);
        if (value < 0 || value > source.remaining()) {
            throw new FormatException(
                    "a length of " + value + " where " + source.remaining() + " bytes are left");
        }
        return (int) value;
    }
}
