package io.volute.benchmarks.http;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;

/** A reusable byte array that grows; used by one thread, so that a request makes no garbage. */
public final class AsciiBuffer {
    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

    private byte[] bytes = new byte[512];
    private int length;

    /** Empties it. */
    public AsciiBuffer clear() {
        length = 0;
        return this;
    }

    /** Appends bytes. */
    public AsciiBuffer put(byte[] source) {
        reserve(source.length);
        System.arraycopy(source, 0, bytes, length, source.length);
        length += source.length;
        return this;
    }

    /** Appends what another holds. */
    public AsciiBuffer put(AsciiBuffer source) {
        reserve(source.length);
        System.arraycopy(source.bytes, 0, bytes, length, source.length);
        length += source.length;
        return this;
    }

    /** Appends characters that are known to be ASCII. */
    public AsciiBuffer put(String ascii) {
        int count = ascii.length();
        reserve(count);
        for (int i = 0; i < count; i++) {
            bytes[length++] = (byte) ascii.charAt(i);
        }
        return this;
    }

    /** Appends a number that is not negative, filled with zeros to a width. */
    public AsciiBuffer putNumber(long number, int width) {
        reserve(20);
        int digits = 1;
        for (long rest = number / 10; rest > 0; rest /= 10) {
            digits++;
        }
        int size = Math.max(width, digits);
        long rest = number;
        for (int i = length + size - 1; i >= length; i--) {
            bytes[i] = (byte) ('0' + (int) (rest % 10));
            rest /= 10;
        }
        length += size;
        return this;
    }

    /** Appends two lower-case digits for each byte. */
    public AsciiBuffer putHex(byte[] source) {
        reserve(source.length * 2);
        for (byte b : source) {
            bytes[length++] = HEX[(b >> 4) & 15];
            bytes[length++] = HEX[b & 15];
        }
        return this;
    }

    void digestInto(MessageDigest digest) {
        digest.update(bytes, 0, length);
    }

    byte[] array() {
        return bytes;
    }

    /** Number of bytes. */
    public int length() {
        return length;
    }

    void copyTo(ByteBuffer target) {
        target.put(bytes, 0, length);
    }

    /** A copy of the bytes. */
    public byte[] toBytes() {
        return Arrays.copyOf(bytes, length);
    }

    @Override
    public String toString() {
        return new String(bytes, 0, length, StandardCharsets.US_ASCII);
    }

    private void reserve(int more) {
        if (bytes.length - length < more) {
            bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, length + more));
        }
    }
}
