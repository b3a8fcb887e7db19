package io.volute.provenance.format;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;

/** A SHA-256, 32 bytes. */
public final class Hash implements Comparable<Hash> {
    public static final int BYTES = 32;
    public static final Hash ZERO = new Hash(new byte[BYTES]);

    private static final MessageDigest SHA_256 = begin();

    private final byte[] bytes;

    private Hash(byte[] bytes) {
        this.bytes = bytes;
    }

    /**
     * @throws IllegalArgumentException when it is not 32 bytes
     */
    public static Hash of(byte[] bytes) {
        if (bytes.length != BYTES) {
            throw new IllegalArgumentException("a hash has 32 bytes, not " + bytes.length);
        }
        return new Hash(bytes.clone());
    }

    public static Hash ofHex(String hex) {
        return of(HexFormat.of().parseHex(hex));
    }

    /** The plain SHA-256 of an object's content. */
    public static Hash ofContent(byte[] content) {
        return new Hash(sha256().digest(content));
    }

    /** The 32 bytes at an index, copied. */
    public static Hash at(byte[] bytes, int index) {
        return new Hash(Arrays.copyOfRange(bytes, index, index + BYTES));
    }

    static Hash owned(byte[] bytes) {
        return new Hash(bytes);
    }

    /** A digest for contents. */
    public static MessageDigest sha256() {
        return copy(SHA_256);
    }

    /** Costs a tenth of asking the providers for one; the original is only read. */
    static MessageDigest copy(MessageDigest begun) {
        try {
            return (MessageDigest) begun.clone();
        } catch (CloneNotSupportedException e) {
            throw new IllegalStateException("the JDK's SHA-256 can be copied", e);
        }
    }

    private static MessageDigest begin() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** A copy. */
    public byte[] toArray() {
        return bytes.clone();
    }

    public void copyTo(byte[] target, int index) {
        System.arraycopy(bytes, 0, target, index, BYTES);
    }

    byte[] array() {
        return bytes;
    }

    /** Bit 0 is the highest of the first byte. */
    public boolean bit(int index) {
        return (bytes[index >> 3] >> (7 - (index & 7)) & 1) != 0;
    }

    /** The number of first bits that two have in common; 256 when they are equal. */
    public int commonBits(Hash other) {
        int index = Arrays.mismatch(bytes, other.bytes);
        if (index < 0) {
            return BYTES * Byte.SIZE;
        }
        int differing = (bytes[index] ^ other.bytes[index]) & 0xFF;
        return index * Byte.SIZE + Integer.numberOfLeadingZeros(differing) - 24;
    }

    public String hex() {
        return HexFormat.of().formatHex(bytes);
    }

    @Override
    public int compareTo(Hash other) {
        return Arrays.compareUnsigned(bytes, other.bytes);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Hash that && MessageDigest.isEqual(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return hex();
    }
}
