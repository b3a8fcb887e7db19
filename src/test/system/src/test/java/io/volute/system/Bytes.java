package io.volute.system;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.SplittableRandom;

/** Bodies made from a seed, and their digests. */
public final class Bytes {
    private Bytes() {}

    public static byte[] random(long seed, int length) {
        byte[] bytes = new byte[length];
        new SplittableRandom(seed).nextBytes(bytes);
        return bytes;
    }

    public static byte[] digest(String algorithm, byte[] bytes) {
        try {
            return MessageDigest.getInstance(algorithm).digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    public static String sha256Hex(byte[] bytes) {
        return HexFormat.of().formatHex(digest("SHA-256", bytes));
    }

    public static String md5Hex(byte[] bytes) {
        return HexFormat.of().formatHex(digest("MD5", bytes));
    }

    public static String md5Base64(byte[] bytes) {
        return Base64.getEncoder().encodeToString(digest("MD5", bytes));
    }
}
