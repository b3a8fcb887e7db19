package io.volute.storage.format;

/**
 * The effect of a difference at the begin of a CRC32C on its end: multiplication by x to the power
 * of 8 n modulo the polynomial, in the reflected representation (the method of zlib's
 * crc32_combine).
 */
final class ChecksumShift {
    private static final int POLYNOMIAL = 0x82F63B78;
    private static final int ONE = 0x80000000;

    /** x to the power of 8 times 2 to the power of the index. */
    private static final int[] POWERS = powers();

    private ChecksumShift() {}

    private static int[] powers() {
        int[] powers = new int[Integer.SIZE - 1];
        int power = ONE >>> 1;
        for (int i = 0; i < 3; i++) {
            power = multiply(power, power);
        }
        for (int i = 0; i < powers.length; i++) {
            powers[i] = power;
            power = multiply(power, power);
        }
        return powers;
    }

    /**
     * Returns the difference at the end.
     *
     * @param bytes bytes between begin and end
     * @param difference exclusive or of the two checksums at the begin
     */
    static int over(int bytes, int difference) {
        int result = difference;
        for (int left = bytes, i = 0; left != 0; left >>>= 1, i++) {
            if ((left & 1) != 0) {
                result = multiply(POWERS[i], result);
            }
        }
        return result;
    }

    private static int multiply(int a, int b) {
        int product = 0;
        int factor = b;
        for (int bit = Integer.SIZE - 1; bit >= 0; bit--) {
            if ((a >>> bit & 1) != 0) {
                product ^= factor;
            }
            factor = (factor & 1) != 0 ? factor >>> 1 ^ POLYNOMIAL : factor >>> 1;
        }
        return product;
    }
}
