package io.volute.server.s3;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** SigV4 from the client's side, written from the documentation and apart from the server's. */
public record TestSigner(String accessKey, String secretKey, String date, String region) {

    public static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    public static byte[] md5(byte[] bytes) {
        try {
            return MessageDigest.getInstance("MD5").digest(bytes);
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    public static byte[] hmac(byte[] key, String text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    public byte[] signingKey() {
        byte[] key = ("AWS4" + secretKey).getBytes(StandardCharsets.UTF_8);
        for (String step : List.of(date.substring(0, 8), region, "s3", "aws4_request")) {
            key = hmac(key, step);
        }
        return key;
    }

    public String scope() {
        return date.substring(0, 8) + "/" + region + "/s3/aws4_request";
    }

    public String credential() {
        return accessKey + "/" + scope();
    }

    /**
     * @param path as sent
     * @param query encoded name to encoded value
     * @param signed header name to value
     */
    public String signature(
            String method,
            String path,
            Map<String, String> query,
            Map<String, String> signed,
            String payloadHash) {
        StringBuilder canonical = new StringBuilder(method + "\n" + path + "\n");
        canonical.append(
                String.join(
                        "&",
                        new TreeMap<>(query)
                                .entrySet().stream()
                                        .map(e -> e.getKey() + "=" + e.getValue())
                                        .toList()));
        canonical.append('\n');
        new TreeMap<>(signed)
                .forEach(
                        (name, value) ->
                                canonical
                                        .append(name)
                                        .append(':')
                                        .append(value.trim().replaceAll(" +", " "))
                                        .append('\n'));
        canonical.append('\n').append(String.join(";", new TreeMap<>(signed).keySet()));
        canonical.append('\n').append(payloadHash);
        String toSign =
                "AWS4-HMAC-SHA256\n"
                        + date
                        + "\n"
                        + scope()
                        + "\n"
                        + sha256(canonical.toString().getBytes(StandardCharsets.ISO_8859_1));
        return HexFormat.of().formatHex(hmac(signingKey(), toSign));
    }
}
