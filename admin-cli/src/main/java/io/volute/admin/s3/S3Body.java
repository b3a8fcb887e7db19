package io.volute.admin.s3;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.function.Supplier;

/**
 * The body of a request.
 *
 * @param bytes its length
 * @param content opened once for each attempt
 * @param sha256 as the signature has it
 * @param isRepeatable whether the content can be opened again
 */
public record S3Body(
        long bytes, Supplier<InputStream> content, String sha256, boolean isRepeatable) {
    static final S3Body NOTHING = of(new byte[0]);
    private static final String UNSIGNED = "UNSIGNED-PAYLOAD";

    /** Returns a body that the signature covers. */
    public static S3Body of(byte[] bytes) {
        return new S3Body(
                bytes.length,
                () -> new ByteArrayInputStream(bytes),
                HexFormat.of().formatHex(digest("SHA-256", bytes)),
                true);
    }

    /** Returns a body that is read while it is sent. The signature does not cover it. */
    public static S3Body of(InputStream content, long bytes) {
        return new S3Body(bytes, () -> content, UNSIGNED, false);
    }

    /** Returns the value of Content-MD5 for a body. */
    public static String md5(byte[] bytes) {
        return Base64.getEncoder().encodeToString(digest("MD5", bytes));
    }

    private static byte[] digest(String algorithm, byte[] bytes) {
        try {
            return MessageDigest.getInstance(algorithm).digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this JVM lacks " + algorithm, e);
        }
    }

    BodyPublisher publisher() {
        return bytes == 0
                ? BodyPublishers.noBody()
                : BodyPublishers.fromPublisher(BodyPublishers.ofInputStream(content), bytes);
    }
}
