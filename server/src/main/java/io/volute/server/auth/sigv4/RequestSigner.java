package io.volute.server.auth.sigv4;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Signs requests in the Authorization header, as a client does (S3 API Reference, "Authenticating
 * Requests: Using the Authorization Header"). Thread-safe.
 *
 * @param region as the server is configured
 */
public record RequestSigner(String accessKey, String secretKey, String region) {
    private static final String SIGNED = "host;x-amz-content-sha256;x-amz-date";
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'", Locale.ROOT)
                    .withZone(ZoneOffset.UTC);

    /**
     * The headers to add.
     *
     * @param host as in the Host header, with the port when it is there
     * @param path of unreserved characters and slashes; there is no query
     */
    public Map<String, String> headers(
            String method, String host, String path, byte[] body, Instant now) {
        String time = TIME.format(now);
        String date = time.substring(0, 8);
        String payload = sha256(body);
        String canonical =
                method
                        + "\n"
                        + path
                        + "\n\nhost:"
                        + host
                        + "\nx-amz-content-sha256:"
                        + payload
                        + "\nx-amz-date:"
                        + time
                        + "\n\n"
                        + SIGNED
                        + "\n"
                        + payload;
        String scope = date + "/" + region + "/" + SigningKey.SERVICE + "/" + SigningKey.TERMINATOR;
        String toSign =
                Claim.ALGORITHM
                        + "\n"
                        + time
                        + "\n"
                        + scope
                        + "\n"
                        + sha256(canonical.getBytes(StandardCharsets.UTF_8));
        byte[] signature = SigningKey.derive(secretKey, date, region).sign(toSign);
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("x-amz-date", time);
        headers.put("x-amz-content-sha256", payload);
        headers.put(
                "authorization",
                Claim.ALGORITHM
                        + " Credential="
                        + accessKey
                        + "/"
                        + scope
                        + ", SignedHeaders="
                        + SIGNED
                        + ", Signature="
                        + HexFormat.of().formatHex(signature));
        return headers;
    }

    private static String sha256(byte[] bytes) {
        return HexFormat.of().formatHex(CanonicalRequest.sha256().digest(bytes));
    }

    /** Leaves the secret out. */
    @Override
    public String toString() {
        return "RequestSigner[accessKey=" + accessKey + ", region=" + region + "]";
    }
}
