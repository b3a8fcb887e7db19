package io.volute.storage.rows;

import io.volute.storage.Place;
import java.util.Arrays;

/** Builds the value of an index row from variable-length integers (7 bits a byte, low first). */
public final class RowWriter {
    private byte[] bytes;
    private int length;

    public RowWriter(int expectedBytes) {
        bytes = new byte[Math.max(expectedBytes, 16)];
    }

    public RowWriter number(long value) {
        if (value < 0) {
            throw new IllegalArgumentException("negative: " + value);
        }
        room(9);
        long rest = value;
        while (rest >= 0x80) {
            bytes[length++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        bytes[length++] = (byte) rest;
        return this;
    }

    RowWriter place(Place place) {
        return number(place.segmentId()).number(place.offset()).number(place.bytes());
    }

    public RowWriter raw(byte[] source) {
        room(source.length);
        System.arraycopy(source, 0, bytes, length, source.length);
        length += source.length;
        return this;
    }

    public byte[] toBytes() {
        return length == bytes.length ? bytes : Arrays.copyOf(bytes, length);
    }

    private void room(int more) {
        if (bytes.length - length < more) {
            bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, length + more));
        }
    }
}
