package io.volute.benchmarks.http;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.Locale;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Signs requests with Signature Version 4 in the Authorization header, over {@code host}, {@code
 * x-amz-content-sha256} and {@code x-amz-date}, and the actor header if an actor is set. The signer
 * keeps the signing key and the date text, so that a request costs one hash and one HMAC of some
 * hundred bytes. Used by one thread.
 *
 * <p>Source: Amazon S3 API Reference, "Authenticating Requests: Using the Authorization Header".
 */
public final class RequestSigner {
    /** The access key, the secret key and the signing region of a server account. */
    public record Account(String accessKey, String secretKey, String region) {}

    private static final String SIGNED_HEADERS = "host;x-amz-content-sha256;x-amz-date";
    private static final String ACTOR_HEADER = "x-volute-actor";
    private static final DateTimeFormatter STAMP =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'", Locale.ROOT)
                    .withZone(ZoneOffset.UTC);

    private final Account account;
    private final byte[] host;
    private final MessageDigest sha256;
    private final Mac signingMac;
    private final AsciiBuffer canonical = new AsciiBuffer();
    private final AsciiBuffer toSign = new AsciiBuffer();
    private final byte[] digestBytes = new byte[32];
    private long second = Long.MIN_VALUE;
    private String stamp = "";
    private String day = "";
    private byte[] authorizationStart = new byte[0];
    private byte[] scope = new byte[0];
    private String actor = "";

    /**
     * @param host as in the Host header, with the port
     */
    public RequestSigner(Account account, String host) {
        this.account = account;
        this.host = host.getBytes(StandardCharsets.US_ASCII);
        try {
            this.sha256 = MessageDigest.getInstance("SHA-256");
            this.signingMac = Mac.getInstance("HmacSHA256");
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** Sets the Volute actor that later requests name; empty for none. */
    public void actor(String name) {
        actor = name;
    }

    /** The lower-case hex SHA-256 of a body. */
    public static byte[] payloadHash(byte[] body) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(body))
                    .getBytes(StandardCharsets.US_ASCII);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /**
     * Appends Host, x-amz-date, x-amz-content-sha256 and Authorization lines to a head, and that of
     * an actor.
     *
     * @param path percent-encoded as sent
     * @param query canonical: sorted, encoded, every parameter with a {@code =}
     * @param payloadHash hex SHA-256 of the body, or {@code UNSIGNED-PAYLOAD}
     */
    public void sign(
            AsciiBuffer head,
            String method,
            AsciiBuffer path,
            AsciiBuffer query,
            byte[] payloadHash,
            Instant now) {
        refresh(now);
        canonical.clear().put(method).put("\n").put(path).put("\n").put(query).put("\nhost:");
        canonical.put(host).put("\nx-amz-content-sha256:").put(payloadHash);
        canonical.put("\nx-amz-date:").put(stamp);
        if (!actor.isEmpty()) {
            canonical.put("\n").put(ACTOR_HEADER).put(":").put(actor);
        }
        canonical.put("\n\n");
        putSignedHeaders(canonical).put("\n").put(payloadHash);
        canonical.digestInto(sha256);
        toSign.clear().put("AWS4-HMAC-SHA256\n").put(stamp).put("\n").put(scope).put("\n");
        try {
            sha256.digest(digestBytes, 0, digestBytes.length);
            toSign.putHex(digestBytes);
            signingMac.update(toSign.array(), 0, toSign.length());
            signingMac.doFinal(digestBytes, 0);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("a digest of 32 bytes fits", e);
        }
        head.put("Host: ").put(host).put("\r\nx-amz-date: ").put(stamp);
        if (!actor.isEmpty()) {
            head.put("\r\n").put(ACTOR_HEADER).put(": ").put(actor);
        }
        head.put("\r\nx-amz-content-sha256: ").put(payloadHash).put(authorizationStart);
        putSignedHeaders(head).put(",Signature=").putHex(digestBytes).put("\r\n");
    }

    private AsciiBuffer putSignedHeaders(AsciiBuffer to) {
        to.put(SIGNED_HEADERS);
        return actor.isEmpty() ? to : to.put(";").put(ACTOR_HEADER);
    }

    private void refresh(Instant now) {
        if (now.getEpochSecond() == second) {
            return;
        }
        second = now.getEpochSecond();
        stamp = STAMP.format(now);
        String today = stamp.substring(0, 8);
        if (today.equals(day)) {
            return;
        }
        day = today;
        String scopeText = day + "/" + account.region() + "/s3/aws4_request";
        scope = scopeText.getBytes(StandardCharsets.US_ASCII);
        authorizationStart =
                ("\r\nAuthorization: AWS4-HMAC-SHA256 Credential="
                                + account.accessKey()
                                + "/"
                                + scopeText
                                + ",SignedHeaders=")
                        .getBytes(StandardCharsets.US_ASCII);
        byte[] key = hmac(("AWS4" + account.secretKey()).getBytes(StandardCharsets.UTF_8), day);
        key = hmac(hmac(hmac(key, account.region()), "s3"), "aws4_request");
        try {
            signingMac.init(new SecretKeySpec(key, "HmacSHA256"));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("a key of 32 bytes is valid", e);
        }
    }

    private static byte[] hmac(byte[] key, String text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac.doFinal(text.getBytes(StandardCharsets.US_ASCII));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has HmacSHA256", e);
        }
    }
}
