package io.volute.server.s3.checksum;

import com.dynatrace.hash4j.hashing.HashStream128;
import com.dynatrace.hash4j.hashing.HashStream64;
import com.dynatrace.hash4j.hashing.Hasher128;
import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;
import io.volute.versioning.value.ObjectAttributes.Algorithm;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.function.Supplier;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;

/** A checksum being computed. Used by one thread. */
public abstract sealed class RunningChecksum {

    /** Begins a checksum. */
    public static RunningChecksum of(Algorithm algorithm) {
        return switch (algorithm) {
            case CRC32 -> new Cyclic(new CRC32(), algorithm.bytes());
            case CRC32C -> new Cyclic(new CRC32C(), algorithm.bytes());
            case CRC64NVME -> new Cyclic(Crc64.create(), algorithm.bytes());
            case SHA1 -> new Cryptographic(digest("SHA-1"));
            case SHA256 -> new Cryptographic(digest("SHA-256"));
            case SHA512 -> new Cryptographic(digest("SHA-512"));
            case MD5 -> new Cryptographic(digest("MD5"));
            case XXHASH64 -> of64(Hashing.xxh64());
            case XXHASH3 -> of64(Hashing.xxh3_64());
            case XXHASH128 -> of128(Hashing.xxh3_128());
        };
    }

    private static RunningChecksum of64(Hasher64 hasher) {
        HashStream64 stream = hasher.hashStream();
        return new Hashed(
                stream, () -> ByteBuffer.allocate(Long.BYTES).putLong(stream.getAsLong()).array());
    }

    private static RunningChecksum of128(Hasher128 hasher) {
        HashStream128 stream = hasher.hashStream();
        return new Hashed(
                stream,
                () ->
                        ByteBuffer.allocate(2 * Long.BYTES)
                                .putLong(stream.get().getMostSignificantBits())
                                .putLong(stream.get().getLeastSignificantBits())
                                .array());
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

    private static final class Hashed extends RunningChecksum {
        private final HashStream64 stream;
        private final Supplier<byte[]> raw;

        /**
         * @param raw what the stream has come to
         */
        Hashed(HashStream64 stream, Supplier<byte[]> raw) {
            this.stream = stream;
            this.raw = raw;
        }

        @Override
        public void update(byte[] source, int count) {
            stream.putBytes(source, 0, count);
        }

        @Override
        public byte[] finish() {
            return raw.get();
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
