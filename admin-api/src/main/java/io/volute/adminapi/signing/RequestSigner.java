package io.volute.adminapi.signing;

import io.volute.provenance.format.Hash;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Signs requests in the Authorization header, as a client does (S3 API Reference, "Authenticating
 * Requests: Using the Authorization Header"). Thread-safe.
 *
 * @param region as the server is configured
 * @param sessionToken the token of temporary credentials, which each request carries and signs
 */
public record RequestSigner(
        String accessKey, String secretKey, String region, Optional<String> sessionToken) {
    public static final String ALGORITHM = "AWS4-HMAC-SHA256";

    private static final String TOKEN = "x-amz-security-token";

    private static final String SIGNATURE = ", Signature=";
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'", Locale.ROOT)
                    .withZone(ZoneOffset.UTC);

    /** A signer with the credentials of a user, which have no session token. */
    public RequestSigner(String accessKey, String secretKey, String region) {
        this(accessKey, secretKey, region, Optional.empty());
    }

    /** Parameters as they are sent and signed, without the question mark. */
    public static String query(Map<String, String> parameters) {
        Map<String, String> encoded = new TreeMap<>();
        parameters.forEach((name, value) -> encoded.put(encode(name), encode(value)));
        return encoded.entrySet().stream()
                .map(each -> each.getKey() + "=" + each.getValue())
                .collect(Collectors.joining("&"));
    }

    /** Returns the text as SigV4's {@code UriEncode} has it. */
    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8)
                .replace("+", "%20")
                .replace("*", "%2A")
                .replace("%7E", "~");
    }

    /**
     * Returns the path of an object, or of a bucket if the key is empty, as it is sent and signed.
     */
    public static String path(String bucket, String key) {
        return "/" + bucket + (key.isEmpty() ? "" : "/" + encode(key).replace("%2F", "/"));
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
        return headersOf(method, host, path, query, Hash.ofContent(body).hex(), now);
    }

    /**
     * Returns headers like {@link #headers(String, String, String, String, byte[], Instant)}, for a
     * body that is not in memory.
     *
     * @param payload the body's SHA-256, lower-case hex
     */
    public Map<String, String> headersOf(
            String method, String host, String path, String query, String payload, Instant now) {
        return headersOf(new Target(method, host, path, query), payload, Map.of(), now);
    }

    /**
     * The parts of a request that its signature covers beside the headers.
     *
     * @param host as in the Host header, with the port when it is there
     * @param path of unreserved characters and slashes
     * @param query made by {@link #query}; empty for none
     */
    public record Target(String method, String host, String path, String query) {}

    /**
     * Returns the headers to add, the given ones among them.
     *
     * @param payload the value of x-amz-content-sha256
     * @param more further headers to sign, by lower-case name
     */
    public Map<String, String> headersOf(
            Target target, String payload, Map<String, String> more, Instant now) {
        String time = TIME.format(now);
        String date = time.substring(0, 8);
        TreeMap<String, String> signed = new TreeMap<>(more);
        signed.put("host", target.host());
        signed.put("x-amz-content-sha256", payload);
        signed.put("x-amz-date", time);
        sessionToken.ifPresent(token -> signed.put(TOKEN, token));
        String names = String.join(";", signed.keySet());
        StringBuilder canonical = new StringBuilder();
        canonical.append(target.method()).append('\n');
        canonical.append(target.path()).append('\n');
        canonical.append(target.query()).append('\n');
        signed.forEach(
                (name, value) -> canonical.append(name).append(':').append(value).append('\n'));
        canonical.append('\n').append(names).append('\n').append(payload);
        String scope = date + "/" + region + "/" + SigningKey.SERVICE + "/" + SigningKey.TERMINATOR;
        String toSign =
                ALGORITHM
                        + "\n"
                        + time
                        + "\n"
                        + scope
                        + "\n"
                        + Hash.ofContent(canonical.toString().getBytes(StandardCharsets.UTF_8))
                                .hex();
        byte[] signature = keyOf(date).sign(toSign);
        Map<String, String> headers = new LinkedHashMap<>(signed);
        headers.remove("host");
        headers.put(
                "authorization",
                ALGORITHM
                        + " Credential="
                        + accessKey
                        + "/"
                        + scope
                        + ", SignedHeaders="
                        + names
                        + SIGNATURE
                        + HexFormat.of().formatHex(signature));
        return headers;
    }

    /**
     * Begins the signatures of a body in signed chunks.
     *
     * @param headers made by {@link #headersOf(Target, String, Map, Instant)}
     */
    public ChunkSigner chunks(Map<String, String> headers) {
        String time = headers.get("x-amz-date");
        String date = time.substring(0, 8);
        String scope = date + "/" + region + "/" + SigningKey.SERVICE + "/" + SigningKey.TERMINATOR;
        String authorization = headers.get("authorization");
        int seed = authorization.indexOf(SIGNATURE) + SIGNATURE.length();
        SigningKey key = keyOf(date);
        return new ChunkSigner(
                key, new ChunkSigning(key, time, scope, authorization.substring(seed)));
    }

    /** Signs the chunks of one body, in their order. Used by one thread. */
    public static final class ChunkSigner {
        private final SigningKey key;
        private final ChunkSigning chain;

        private ChunkSigner(SigningKey key, ChunkSigning chain) {
            this.key = key;
            this.chain = chain;
        }

        /** Returns the signature of the next chunk, whose bytes have this SHA-256. */
        public String signChunk(byte[] sha256) {
            return sign(chain.chunkToSign(sha256));
        }

        /** Returns the signature of the trailers, whose canonical form has this SHA-256. */
        public String signTrailer(byte[] sha256) {
            return sign(chain.trailerToSign(sha256));
        }

        private String sign(String toSign) {
            String signature = HexFormat.of().formatHex(key.sign(toSign));
            chain.follow(signature);
            return signature;
        }
    }

    private SigningKey keyOf(String date) {
        return SigningKey.derive(secretKey, date, region, SigningKey.SERVICE);
    }

    /** Leaves the secret out. */
    @Override
    public String toString() {
        return "RequestSigner[accessKey=" + accessKey + ", region=" + region + "]";
    }
}
