package io.volute.adminapi.signing;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;

/**
 * The chain of chunk signatures (S3 API Reference, "Signature calculations: transferring payload in
 * multiple chunks"), begun by the signature of the head. Used by one thread.
 */
public final class ChunkSigning {
    private static final String EMPTY_SHA256 =
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    private final SigningKey key;
    private final String timestampAndScope;
    private String previous;

    /**
     * @param timestamp of the head's signature
     * @param scope of the head's signature: date, region, service and terminator
     * @param seed the signature of the head
     */
    public ChunkSigning(SigningKey key, String timestamp, String scope, String seed) {
        this.key = key;
        this.timestampAndScope = timestamp + "\n" + scope + "\n";
        this.previous = seed;
    }

    /** Returns the string to sign for the next chunk, whose bytes have this SHA-256. */
    String chunkToSign(byte[] sha256) {
        return "AWS4-HMAC-SHA256-PAYLOAD\n"
                + timestampAndScope
                + previous
                + "\n"
                + EMPTY_SHA256
                + "\n"
                + HexFormat.of().formatHex(sha256);
    }

    /** Returns the string to sign for the trailers, whose canonical form has this SHA-256. */
    String trailerToSign(byte[] sha256) {
        return "AWS4-HMAC-SHA256-TRAILER\n"
                + timestampAndScope
                + previous
                + "\n"
                + HexFormat.of().formatHex(sha256);
    }

    /** Continues the chain behind a signature that was made and not verified. */
    void follow(String signature) {
        previous = signature;
    }

    /** Returns whether the signature is that of the next chunk, whose bytes have this SHA-256. */
    public boolean acceptChunk(byte[] sha256, String signature) {
        return accept(chunkToSign(sha256), signature);
    }

    /**
     * Returns whether the signature is that of the trailers, whose canonical form has this SHA-256.
     */
    public boolean acceptTrailer(byte[] sha256, String signature) {
        return accept(trailerToSign(sha256), signature);
    }

    private boolean accept(String stringToSign, String signature) {
        String expected = HexFormat.of().formatHex(key.sign(stringToSign));
        previous = expected;
        return MessageDigest.isEqual(
                expected.getBytes(StandardCharsets.US_ASCII),
                signature.getBytes(StandardCharsets.UTF_8));
    }
}
