package io.volute.server.s3.call;

import io.volute.provenance.format.Hash;
import io.volute.server.s3.error.S3Exception;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;

/**
 * Continuation tokens, opaque to clients: a check and the name where the next page begins. The
 * check refuses what no page of this listing answered, such as a key or the token of another
 * bucket: the client would otherwise miss entries. It is no secret, since a token allows nothing
 * that {@code start-after} does not, and so it holds after a restart and at other nodes.
 */
public final class Tokens {
    private static final int CHECK_BYTES = 8;

    private Tokens() {}

    /**
     * Returns the token for the page behind a name.
     *
     * @param listing what is listed: the operation and its bucket
     */
    public static String encode(String listing, String name) {
        byte[] text = name.getBytes(StandardCharsets.UTF_8);
        byte[] token = Arrays.copyOf(check(listing, text), CHECK_BYTES + text.length);
        System.arraycopy(text, 0, token, CHECK_BYTES, text.length);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(token);
    }

    /**
     * Returns the name in a token of the same listing.
     *
     * @throws S3Exception InvalidArgument for every other text
     */
    public static String decode(String listing, String token) {
        byte[] bytes;
        try {
            bytes = Base64.getUrlDecoder().decode(token);
        } catch (IllegalArgumentException e) {
            throw invalid(token);
        }
        if (bytes.length <= CHECK_BYTES) {
            throw invalid(token);
        }
        byte[] text = Arrays.copyOfRange(bytes, CHECK_BYTES, bytes.length);
        byte[] check = Arrays.copyOf(bytes, CHECK_BYTES);
        if (!MessageDigest.isEqual(check, check(listing, text))) {
            throw invalid(token);
        }
        return new String(text, StandardCharsets.UTF_8);
    }

    private static byte[] check(String listing, byte[] name) {
        MessageDigest digest = Hash.sha256();
        digest.update(listing.getBytes(StandardCharsets.UTF_8));
        digest.update((byte) 0);
        return Arrays.copyOf(digest.digest(name), CHECK_BYTES);
    }

    private static S3Exception invalid(String token) {
        return S3Exception.invalidArgument(
                "continuation-token", token, "The continuation token provided is incorrect");
    }
}
