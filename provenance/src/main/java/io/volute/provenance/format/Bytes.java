package io.volute.provenance.format;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;

/** Some bytes with value equality; never change. */
public final class Bytes implements Comparable<Bytes> {
    public static final Bytes EMPTY = new Bytes(new byte[0]);

    private final byte[] bytes;

    private Bytes(byte[] bytes) {
        this.bytes = bytes;
    }

    /** Copies. */
    public static Bytes of(byte[] bytes) {
        return new Bytes(bytes.clone());
    }

    /** UTF-8. */
    public static Bytes of(String text) {
        return new Bytes(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Takes an array that nobody else holds. */
    static Bytes owned(byte[] bytes) {
        return new Bytes(bytes);
    }

    public static Bytes ofHex(String hex) {
        return new Bytes(HexFormat.of().parseHex(hex));
    }

    public int length() {
        return bytes.length;
    }

    /** A copy. */
    public byte[] toArray() {
        return bytes.clone();
    }

    /** For reading only, in this package. */
    byte[] array() {
        return bytes;
    }

    public String hex() {
        return HexFormat.of().formatHex(bytes);
    }

    /** The bytes as UTF-8; malformed ones become replacement characters. */
    public String text() {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    @Override
    public int compareTo(Bytes other) {
        return Arrays.compareUnsigned(bytes, other.bytes);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Bytes that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    /** Hex; long values are cut. */
    @Override
    public String toString() {
        return bytes.length <= 32 ? hex() : hex().substring(0, 64) + "... " + bytes.length;
    }
}
