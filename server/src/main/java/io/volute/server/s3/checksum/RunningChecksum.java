package io.volute.server.s3.checksum;

import io.volute.versioning.ObjectAttributes.Algorithm;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;

/** A checksum being computed. Used by one thread. */
public abstract sealed class RunningChecksum {

    /** Begins a checksum. */
    public static RunningChecksum of(Algorithm algorithm) {
        return switch (algorithm) {
            case CRC32 -> new Cyclic(new CRC32(), 4);
            case CRC32C -> new Cyclic(new CRC32C(), 4);
            case CRC64NVME -> new Cyclic(Crc64.create(), 8);
            case SHA1 -> new Cryptographic(digest("SHA-1"));
            case SHA256 -> new Cryptographic(digest("SHA-256"));
        };
    }

    /** MD5, which S3's ETags are made of. */
    public static RunningChecksum md5() {
        return new Cryptographic(digest("MD5"));
    }

    private static MessageDigest digest(String name) {
        try {
            return MessageDigest.getInstance(name);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this JVM lacks " + name, e);
        }
    }

    /** Adds the first bytes of the array. */
    public abstract void update(byte[] source, int count);

    /** The raw checksum, big-endian; ends the computation. */
    public abstract byte[] finish();

    private static final class Cyclic extends RunningChecksum {
        private final Checksum checksum;
        private final int bytes;

        Cyclic(Checksum checksum, int bytes) {
            this.checksum = checksum;
            this.bytes = bytes;
        }

        @Override
        public void update(byte[] source, int count) {
            checksum.update(source, 0, count);
        }

        @Override
        public byte[] finish() {
            byte[] raw = new byte[bytes];
            long value = checksum.getValue();
            for (int i = bytes - 1; i >= 0; i--) {
                raw[i] = (byte) value;
                value >>>= 8;
            }
            return raw;
        }
    }

    private static final class Cryptographic extends RunningChecksum {
        private final MessageDigest digest;

        Cryptographic(MessageDigest digest) {
            this.digest = digest;
        }

        @Override
        public void update(byte[] source, int count) {
            digest.update(source, 0, count);
        }

        @Override
        public byte[] finish() {
            return digest.digest();
        }
    }
}
