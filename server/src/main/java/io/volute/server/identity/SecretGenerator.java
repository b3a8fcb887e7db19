package io.volute.server.identity;

import java.security.SecureRandom;

/** Generates unpredictable access keys, ids and secrets. */
final class SecretGenerator {
    private static final String CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    private static final String ALL =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

    private SecretGenerator() {}

    /** An access key or an id: 20 characters that begin so. */
    static String name(String prefix, SecureRandom random) {
        return prefix + letters(CAPITALS, 20 - prefix.length(), random);
    }

    /** 40 characters. */
    static String secret(SecureRandom random) {
        return letters(ALL, 40, random);
    }

    private static String letters(String alphabet, int count, SecureRandom random) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < count; i++) {
            text.append(alphabet.charAt(random.nextInt(alphabet.length())));
        }
        return text.toString();
    }
}
