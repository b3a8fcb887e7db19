package io.volute.server.auth.sigv4;

import io.volute.server.s3.request.PercentCoding;
import io.volute.server.s3.request.PercentCoding.Slash;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

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

    /** Parameters as they are sent and signed, without the question mark. */
    public static String query(Map<String, String> parameters) {
        Map<String, String> encoded = new TreeMap<>();
        parameters.forEach(
                (name, value) ->
                        encoded.put(
                                PercentCoding.encode(name, Slash.ENCODED),
                                PercentCoding.encode(value, Slash.ENCODED)));
        return encoded.entrySet().stream()
                .map(each -> each.getKey() + "=" + each.getValue())
                .collect(Collectors.joining("&"));
    }

    /** The headers to add to a request without a query. */
    public Map<String, String> headers(
            String method, String host, String path, byte[] body, Instant now) {
        return headers(method, host, path, "", body, now);
    }

    /**
     * The headers to add.
     *
     * @param host as in the Host header, with the port when it is there
     * @param path of unreserved characters and slashes
     * @param query made by {@link #query}; empty for none
     */
    public Map<String, String> headers(
            String method, String host, String path, String query, byte[] body, Instant now) {
        return headersOf(method, host, path, query, CanonicalRequest.sha256Hex(body), now);
    }

    /**
     * Returns headers like {@link #headers(String, String, String, String, byte[], Instant)}, for a
     * body that is not in memory.
     *
     * @param payload the body's SHA-256, lower-case hex
     */
    public Map<String, String> headersOf(
            String method, String host, String path, String query, String payload, Instant now) {
        String time = TIME.format(now);
        String date = time.substring(0, 8);
        String canonical =
                method
                        + "\n"
                        + path
                        + "\n"
                        + query
                        + "\nhost:"
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
                        + CanonicalRequest.sha256Hex(canonical.getBytes(StandardCharsets.UTF_8));
        byte[] signature =
                SigningKey.derive(secretKey, date, region, SigningKey.SERVICE).sign(toSign);
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

    /** Leaves the secret out. */
    @Override
    public String toString() {
        return "RequestSigner[accessKey=" + accessKey + ", region=" + region + "]";
    }
}
