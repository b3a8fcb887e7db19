package io.volute.testkit.ledger;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Digests of bodies as the ledger knows them. */
public final class Digests {
    private Digests() {}

    /** SHA-256 in hex. */
    public static String of(byte[] content) {
        return finish(start(), content);
    }

    /** For bodies that are read piece by piece. */
    public static MessageDigest start() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException missing) {
            throw new IllegalStateException("every Java platform has SHA-256", missing);
        }
    }

    /** Takes the last piece and gives the digest in hex. */
    public static String finish(MessageDigest digest, byte[] last) {
        return HexFormat.of().formatHex(digest.digest(last));
    }
}
