package io.volute.adminapi.signing;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A signing key, derived for one day, region and service (S3 API Reference, "Calculating a
 * signature"). Thread-safe: the keyed Mac is only ever cloned.
 */
public final class SigningKey {
    private static final String ALGORITHM = "HmacSHA256";
    public static final String SERVICE = "s3";
    public static final String TERMINATOR = "aws4_request";

    private final Mac keyed;

    private SigningKey(Mac keyed) {
        this.keyed = keyed;
    }

    /**
     * Derives the key of a secret.
     *
     * @param date as {@code yyyyMMdd}, in UTC
     */
    public static SigningKey derive(String secret, String date, String region, String service) {
        try {
            byte[] key = ("AWS4" + secret).getBytes(StandardCharsets.UTF_8);
            for (String step : new String[] {date, region, service, TERMINATOR}) {
                key = mac(key).doFinal(step.getBytes(StandardCharsets.UTF_8));
            }
            return new SigningKey(mac(key));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JVM lacks " + ALGORITHM, e);
        }
    }

    private static Mac mac(byte[] key) throws GeneralSecurityException {
        Mac mac = Mac.getInstance(ALGORITHM);
        mac.init(new SecretKeySpec(key, ALGORITHM));
        return mac;
    }

    /** Returns the HMAC-SHA256 of the text. */
    public byte[] sign(String text) {
        try {
            return ((Mac) keyed.clone()).doFinal(text.getBytes(StandardCharsets.UTF_8));
        } catch (CloneNotSupportedException e) {
            throw new IllegalStateException("this JVM cannot clone " + ALGORITHM, e);
        }
    }
}
