package io.volute.system;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.SplittableRandom;

/** Bodies made from a seed, and their digests. */
final class Bytes {
    private Bytes() {}

    static byte[] random(long seed, int length) {
        byte[] bytes = new byte[length];
        new SplittableRandom(seed).nextBytes(bytes);
        return bytes;
    }

    static byte[] digest(String algorithm, byte[] bytes) {
        try {
            return MessageDigest.getInstance(algorithm).digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    static String sha256Hex(byte[] bytes) {
        return HexFormat.of().formatHex(digest("SHA-256", bytes));
    }

    static String md5Hex(byte[] bytes) {
        return HexFormat.of().formatHex(digest("MD5", bytes));
    }

    static String md5Base64(byte[] bytes) {
        return Base64.getEncoder().encodeToString(digest("MD5", bytes));
    }
}
