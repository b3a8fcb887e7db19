package io.volute.storage.rows;

import io.volute.storage.Place;
import io.volute.storage.health.BrokenInvariant;
import java.util.Arrays;

/** Reads rows of {@link RowWriter}; throws {@link BrokenInvariant} on anything else. */
public final class RowReader {
    private static final int NUMBER_BITS = 63;
    private final byte[] bytes;
    private int index;

    public RowReader(byte[] bytes) {
        this.bytes = bytes;
    }

    public long number() {
        long value = 0;
        for (int shift = 0; shift < NUMBER_BITS; shift += 7) {
            if (index >= bytes.length) {
                throw new BrokenInvariant("index row of " + bytes.length + " bytes ends early");
            }
            byte next = bytes[index++];
            value |= (next & 0x7fL) << shift;
            if (next >= 0) {
                return value;
            }
        }
        throw new BrokenInvariant("number too long in an index row at byte " + index);
    }

    int smallNumber() {
        long value = number();
        if (value > Integer.MAX_VALUE) {
            throw new BrokenInvariant("number too big in an index row: " + value);
        }
        return (int) value;
    }

    /** Reads a count of items of at least one byte each, which the rest of the row bounds. */
    int count() {
        int count = smallNumber();
        if (count > bytes.length - index) {
            throw new BrokenInvariant("count too big in an index row: " + count);
        }
        return count;
    }

    Place place() {
        long segmentId = number();
        long offset = number();
        long length = number();
        if (segmentId == 0 || length == 0) {
            throw new BrokenInvariant(
                    "impossible place in an index row: segment " + segmentId + " bytes " + length);
        }
        return new Place(segmentId, offset, length);
    }

    byte[] rest() {
        return Arrays.copyOfRange(bytes, index, bytes.length);
    }
}
