package io.volute.server.s3.checksum;

import io.volute.versioning.value.ObjectAttributes.Algorithm;

/**
 * The CRC of a concatenation from the CRCs of its pieces: multiplies by x to the power of 8 n
 * modulo the polynomial, in the reflected representation (the method of zlib's crc32_combine).
 */
final class CrcCombination {
    private static final long CRC32 = 0xEDB88320L;
    private static final long CRC32C = 0x82F63B78L;

    private final long polynomial;
    private final int width;
    private final long one;

    private CrcCombination(long polynomial, int width) {
        this.polynomial = polynomial;
        this.width = width;
        this.one = 1L << (width - 1);
    }

    /**
     * @throws IllegalArgumentException when checksums of this algorithm cannot be combined
     */
    public static CrcCombination of(Algorithm algorithm) {
        return switch (algorithm) {
            case CRC32 -> new CrcCombination(CRC32, 32);
            case CRC32C -> new CrcCombination(CRC32C, 32);
            case CRC64NVME -> new CrcCombination(Crc64Nvme.POLYNOMIAL, 64);
            case SHA1, SHA256, SHA512, MD5, XXHASH64, XXHASH3, XXHASH128 ->
                    throw new IllegalArgumentException(algorithm + " cannot be combined");
        };
    }

    /**
     * @param first CRC of the bytes before
     * @param second CRC of the bytes behind them
     * @param secondBytes how many those are
     * @return the CRC of all
     */
    public long combine(long first, long second, long secondBytes) {
        return multiply(powerOfX(secondBytes), first) ^ second;
    }

    /** x to the power of 8 n. */
    private long powerOfX(long bytes) {
        long result = one;
        long square = one >>> 1;
        for (int i = 0; i < 3; i++) {
            square = multiply(square, square);
        }
        for (long n = bytes; n != 0; n >>>= 1) {
            if ((n & 1) != 0) {
                result = multiply(square, result);
            }
            square = multiply(square, square);
        }
        return result;
    }

    private long multiply(long a, long b) {
        long product = 0;
        long factor = b;
        for (int bit = width - 1; bit >= 0; bit--) {
            if ((a >>> bit & 1) != 0) {
                product ^= factor;
            }
            factor = (factor & 1) != 0 ? factor >>> 1 ^ polynomial : factor >>> 1;
        }
        return product;
    }
}
