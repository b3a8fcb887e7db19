package io.volute.server.cluster;

import io.volute.server.s3.request.HttpHead;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Signs the seals of forwarded requests with the secret of the cluster. Thread-safe. */
final class HopSigner {
    private static final String ALGORITHM = "HmacSHA256";

    private final SecretKeySpec key;

    HopSigner(byte[] secret) {
        this.key = new SecretKeySpec(secret, ALGORITHM);
    }

    /** Returns the MAC of a seal's values and of the request that they are for. */
    String sign(String values, HttpHead head) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            String text = String.join("\n", values, head.method(), head.rawPath(), head.rawQuery());
            return HexFormat.of()
                    .formatHex(mac.doFinal(text.getBytes(StandardCharsets.ISO_8859_1)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has " + ALGORITHM, e);
        }
    }
}
