package io.volute.server.auth.sigv4;

import io.volute.server.credentials.Credential;
import io.volute.server.credentials.CredentialStore;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.HttpHead;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Finds the credentials of signers and counts their failures, for all versions of signatures.
 * Thread-safe.
 */
final class Signers {
    private final CredentialStore credentials;
    private final AuthSettings settings;

    Signers(CredentialStore credentials, AuthSettings settings) {
        this.credentials = credentials;
        this.settings = settings;
    }

    /**
     * Finds the claimed credential. Only a caller with the session's secret learns that the session
     * has expired: see {@link #verified}.
     *
     * @param token of a session; empty for none
     * @throws S3Exception InvalidAccessKeyId, InvalidToken or SlowDown
     */
    Credential claimed(HttpHead head, String accessKey, String token) {
        long now = settings.clock().millis();
        if (!settings.failures().mayTry(head.remoteAddress(), accessKey, now)) {
            throw new S3Exception(
                    S3Error.SLOW_DOWN, "Too many signatures did not match. Try again later.");
        }
        Optional<Credential> found =
                token.isEmpty()
                        ? credentials.find(accessKey)
                        : credentials.session(accessKey, token);
        if (found.isEmpty()) {
            settings.failures().failed(head.remoteAddress(), accessKey, now);
            throw token.isEmpty()
                    ? new S3Exception(S3Error.INVALID_ACCESS_KEY_ID)
                            .with("AWSAccessKeyId", accessKey)
                    : new S3Exception(S3Error.INVALID_TOKEN);
        }
        return found.get();
    }

    /**
     * Refuses a signature that does not hold, and a session that has expired.
     *
     * @param holds whether the signature is that of the credential
     * @param signature as it was sent
     * @throws S3Exception SignatureDoesNotMatch or ExpiredToken; SlowDown when the caller has its
     *     share of the requests already
     */
    void verified(HttpHead head, Credential credential, boolean holds, String signature) {
        String accessKey = credential.accessKey();
        long now = settings.clock().millis();
        if (!holds) {
            settings.failures().failed(head.remoteAddress(), accessKey, now);
            throw new S3Exception(S3Error.SIGNATURE_DOES_NOT_MATCH)
                    .with("AWSAccessKeyId", accessKey)
                    .with("SignatureProvided", signature);
        }
        settings.failures().held(head.remoteAddress(), accessKey, now);
        boolean isOver =
                credential
                        .session()
                        .filter(session -> !settings.clock().instant().isBefore(session.expiry()))
                        .isPresent();
        if (isOver) {
            throw new S3Exception(S3Error.EXPIRED_TOKEN);
        }
        head.allowance().authenticated(credential);
    }

    /**
     * Returns whether a signature of version 2 is that of a text.
     *
     * @param text one char an octet, so that headers are signed as they arrived
     */
    static boolean isSignature(String claimed, Credential credential, String text) {
        if (text.chars().anyMatch(c -> c > 0xFF)) {
            return false;
        }
        try {
            Mac mac = Mac.getInstance("HmacSHA1");
            byte[] secret = credential.secretKey().getBytes(StandardCharsets.UTF_8);
            mac.init(new SecretKeySpec(secret, "HmacSHA1"));
            byte[] signature = mac.doFinal(text.getBytes(StandardCharsets.ISO_8859_1));
            return MessageDigest.isEqual(
                    Base64.getEncoder().encode(signature),
                    claimed.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has HMAC-SHA1", e);
        }
    }
}
