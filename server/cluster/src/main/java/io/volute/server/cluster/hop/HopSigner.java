package io.volute.server.cluster.hop;

import io.volute.server.s3.request.HeaderList.Header;
import io.volute.server.s3.request.HttpHead;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Signs requests and answers between nodes with the secret of the cluster. Thread-safe. */
final class HopSigner {
    private static final String ALGORITHM = "HmacSHA256";

    private final SecretKeySpec key;

    HopSigner(byte[] secret) {
        this.key = new SecretKeySpec(secret, ALGORITHM);
    }

    /** Returns the MAC of a seal's values and of the request that they are for. */
    String sign(String values, HttpHead head) {
        return mac(text(values, head));
    }

    /**
     * Returns the MAC of the answer to a call. No seal of a request begins like its text.
     *
     * @param digest of the answer's content
     */
    String signAnswer(String requestId, String operation, String digest) {
        return mac("answer\n" + requestId + '\n' + operation + '\n' + digest);
    }

    private String mac(String text) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            return HexFormat.of()
                    .formatHex(mac.doFinal(text.getBytes(StandardCharsets.ISO_8859_1)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has " + ALGORITHM, e);
        }
    }

    /** Returns a line for each part. No part of a head that has arrived has a line end in it. */
    private static String text(String values, HttpHead head) {
        StringBuilder text =
                new StringBuilder(512)
                        .append(values)
                        .append('\n')
                        .append(head.method())
                        .append('\n')
                        .append(head.rawPath())
                        .append('\n')
                        .append(head.rawQuery());
        for (Header each : head.headers().headers()) {
            if (!each.name().equals(HopSeal.HEADER)) {
                text.append('\n').append(each.name()).append(':').append(each.value());
            }
        }
        return text.toString();
    }
}
