package io.volute.server.s3.checksum;

import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.versioning.value.ObjectAttributes.Algorithm;
import io.volute.versioning.value.ObjectAttributes.Type;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** Names of the checksum algorithms (S3 User Guide, "Checking object integrity"). */
public final class ChecksumFamily {
    private static final Algorithm[] ALL = Algorithm.values();

    private ChecksumFamily() {}

    /** Header and trailer name, {@code x-amz-checksum-crc32} and the like. */
    public static String header(Algorithm algorithm) {
        return switch (algorithm) {
            case CRC32 -> "x-amz-checksum-crc32";
            case CRC32C -> "x-amz-checksum-crc32c";
            case CRC64NVME -> "x-amz-checksum-crc64nvme";
            case SHA1 -> "x-amz-checksum-sha1";
            case SHA256 -> "x-amz-checksum-sha256";
            case SHA512 -> "x-amz-checksum-sha512";
            case MD5 -> "x-amz-checksum-md5";
            case XXHASH64 -> "x-amz-checksum-xxhash64";
            case XXHASH3 -> "x-amz-checksum-xxhash3";
            case XXHASH128 -> "x-amz-checksum-xxhash128";
        };
    }

    /** Element name in documents, {@code ChecksumCRC32} and the like. */
    public static String element(Algorithm algorithm) {
        return switch (algorithm) {
            case CRC32 -> "ChecksumCRC32";
            case CRC32C -> "ChecksumCRC32C";
            case CRC64NVME -> "ChecksumCRC64NVME";
            case SHA1 -> "ChecksumSHA1";
            case SHA256 -> "ChecksumSHA256";
            case SHA512 -> "ChecksumSHA512";
            case MD5 -> "ChecksumMD5";
            case XXHASH64 -> "ChecksumXXHASH64";
            case XXHASH3 -> "ChecksumXXHASH3";
            case XXHASH128 -> "ChecksumXXHASH128";
        };
    }

    /** Returns the type that multipart uploads use when the client names none. */
    public static Type defaultType(Algorithm algorithm) {
        return algorithm == Algorithm.CRC64NVME ? Type.FULL_OBJECT : Type.COMPOSITE;
    }

    /** Returns whether multipart uploads may use this pair. */
    public static boolean isLegal(Algorithm algorithm, Type type) {
        return switch (algorithm) {
            case CRC32, CRC32C -> true;
            case CRC64NVME -> type == Type.FULL_OBJECT;
            case SHA1, SHA256, SHA512, MD5, XXHASH64, XXHASH3, XXHASH128 -> type == Type.COMPOSITE;
        };
    }

    /** Finds an algorithm by its name in {@code x-amz-checksum-algorithm}, in any case. */
    public static Optional<Algorithm> byName(String name) {
        String upper = name.toUpperCase(Locale.ROOT);
        for (Algorithm algorithm : ALL) {
            if (algorithm.name().equals(upper)) {
                return Optional.of(algorithm);
            }
        }
        return Optional.empty();
    }

    /**
     * Finds an algorithm like {@link #byName}.
     *
     * @throws S3Exception InvalidRequest when there is none of this name
     */
    public static Algorithm named(String name) {
        return byName(name)
                .orElseThrow(
                        () ->
                                new S3Exception(
                                        S3Error.INVALID_REQUEST,
                                        "Checksum algorithm provided is unsupported. Please try"
                                                + " again with any of the valid types: "
                                                + Arrays.toString(ALL)));
    }

    /** Finds an algorithm by its header name in lower case. */
    public static Optional<Algorithm> byHeader(String name) {
        for (Algorithm algorithm : ALL) {
            if (header(algorithm).equals(name)) {
                return Optional.of(algorithm);
            }
        }
        return Optional.empty();
    }
}
