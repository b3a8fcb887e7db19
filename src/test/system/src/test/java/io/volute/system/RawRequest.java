package io.volute.system;

import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.InvalidKeyException;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A request as an attacker writes it: every byte is the test's own. It signs by Signature Version 4
 * (Amazon's page "Create a signed AWS API request"), written apart from the server and the SDK. The
 * test chooses the parts that stay unsigned.
 */
public final class RawRequest {
    public static final String EMPTY_HASH =
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    private static final DateTimeFormatter STAMP =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'", Locale.ROOT)
                    .withZone(ZoneOffset.UTC);

    private final String method;
    private final String rawPath;
    private final Map<String, String> query = new TreeMap<>();
    private final List<String[]> signedHeaders = new ArrayList<>();
    private final List<String[]> unsignedHeaders = new ArrayList<>();
    private byte[] body = new byte[0];
    private String payloadHash = "";
    private Instant time = Instant.now();
    private String region = "us-east-1";
    private String service = "s3";
    private String accessKey = ServerProcess.ACCESS_KEY;
    private String secretKey = ServerProcess.SECRET_KEY;
    private long expiresSeconds = 300;

    private RawRequest(String method, String rawPath) {
        this.method = method;
        this.rawPath = rawPath;
    }

    /** {@code rawPath} goes out as it is; nothing is encoded for it. */
    public static RawRequest of(String method, String rawPath) {
        return new RawRequest(method, rawPath);
    }

    public RawRequest query(String name, String value) {
        query.put(name, value);
        return this;
    }

    public RawRequest header(String name, String value) {
        signedHeaders.add(new String[] {name, value});
        return this;
    }

    public RawRequest unsigned(String name, String value) {
        unsignedHeaders.add(new String[] {name, value});
        return this;
    }

    public RawRequest body(byte[] bytes) {
        body = bytes.clone();
        return this;
    }

    public RawRequest body(String text) {
        return body(text.getBytes(StandardCharsets.UTF_8));
    }

    /** The value of x-amz-content-sha256, instead of the body's own hash. */
    public RawRequest payloadHash(String value) {
        payloadHash = value;
        return this;
    }

    public RawRequest at(Instant instant) {
        time = instant;
        return this;
    }

    public RawRequest scope(String otherRegion, String otherService) {
        region = otherRegion;
        service = otherService;
        return this;
    }

    public RawRequest credentials(String access, String secret) {
        accessKey = access;
        secretKey = secret;
        return this;
    }

    public RawRequest expires(Duration duration) {
        expiresSeconds = duration.toSeconds();
        return this;
    }

    // ---- the message

    /** The whole message, signed in its headers. */
    public byte[] signed(URI endpoint) {
        return message(signHeaders(endpoint), body);
    }

    /** The whole message, signed in its query. */
    public byte[] presigned(URI endpoint) {
        return message(presign(endpoint), body);
    }

    /** The whole message without any signature. */
    public byte[] anonymous(URI endpoint) {
        List<String[]> headers = new ArrayList<>();
        headers.add(new String[] {"Host", endpoint.getAuthority()});
        headers.addAll(signedHeaders);
        return message(new Head(target(query), headers, ""), body);
    }

    /**
     * Request line and headers, up to and with the empty line, without a Content-Length of ours.
     */
    public String signedHead(URI endpoint) {
        return text(signHeaders(endpoint));
    }

    private record Head(String target, List<String[]> headers, String signature) {}

    private byte[] message(Head head, byte[] payload) {
        List<String[]> headers = new ArrayList<>(head.headers());
        boolean sized = headers.stream().anyMatch(h -> h[0].equalsIgnoreCase("content-length"));
        if (!sized && (payload.length > 0 || method.equals("PUT") || method.equals("POST"))) {
            headers.add(new String[] {"Content-Length", Integer.toString(payload.length)});
        }
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(
                text(new Head(head.target(), headers, head.signature()))
                        .getBytes(StandardCharsets.UTF_8));
        all.writeBytes(payload);
        return all.toByteArray();
    }

    private String text(Head head) {
        StringBuilder text = new StringBuilder();
        text.append(method).append(' ').append(head.target()).append(" HTTP/1.1\r\n");
        for (String[] header : head.headers()) {
            text.append(header[0]).append(": ").append(header[1]).append("\r\n");
        }
        for (String[] header : unsignedHeaders) {
            text.append(header[0]).append(": ").append(header[1]).append("\r\n");
        }
        return text.append("\r\n").toString();
    }

    private String target(Map<String, String> parameters) {
        String joined = canonicalQuery(parameters);
        return joined.isEmpty() ? rawPath : rawPath + "?" + joined;
    }

    private Head signHeaders(URI endpoint) {
        List<String[]> headers = new ArrayList<>();
        headers.add(new String[] {"Host", endpoint.getAuthority()});
        headers.add(new String[] {"x-amz-date", STAMP.format(time)});
        String hash = payloadHash.isEmpty() ? Bytes.sha256Hex(body) : payloadHash;
        headers.add(new String[] {"x-amz-content-sha256", hash});
        headers.addAll(signedHeaders);
        String signature = signature(query, headers, hash);
        headers.add(
                new String[] {
                    "Authorization",
                    "AWS4-HMAC-SHA256 Credential="
                            + accessKey
                            + "/"
                            + scope()
                            + ", SignedHeaders="
                            + names(headers)
                            + ", Signature="
                            + signature
                });
        return new Head(target(query), headers, signature);
    }

    private Head presign(URI endpoint) {
        List<String[]> headers = new ArrayList<>();
        headers.add(new String[] {"Host", endpoint.getAuthority()});
        headers.addAll(signedHeaders);
        Map<String, String> all = new TreeMap<>(query);
        all.put("X-Amz-Algorithm", "AWS4-HMAC-SHA256");
        all.put("X-Amz-Credential", accessKey + "/" + scope());
        all.put("X-Amz-Date", STAMP.format(time));
        all.put("X-Amz-Expires", Long.toString(expiresSeconds));
        all.put("X-Amz-SignedHeaders", names(headers));
        String signature = signature(all, headers, "UNSIGNED-PAYLOAD");
        return new Head(target(all) + "&X-Amz-Signature=" + signature, headers, signature);
    }

    // ---- Signature Version 4

    private String scope() {
        return STAMP.format(time).substring(0, 8) + "/" + region + "/" + service + "/aws4_request";
    }

    private static String names(List<String[]> headers) {
        TreeMap<String, String> sorted = new TreeMap<>();
        headers.forEach(header -> sorted.put(header[0].toLowerCase(Locale.ROOT), ""));
        return String.join(";", sorted.keySet());
    }

    private String signature(Map<String, String> parameters, List<String[]> headers, String hash) {
        TreeMap<String, String> sorted = new TreeMap<>();
        for (String[] header : headers) {
            sorted.merge(
                    header[0].toLowerCase(Locale.ROOT),
                    header[1].strip().replaceAll(" +", " "),
                    (first, second) -> first + "," + second);
        }
        StringBuilder canonical = new StringBuilder();
        canonical.append(method).append('\n');
        canonical.append(encode(decode(rawPath), true)).append('\n');
        canonical.append(canonicalQuery(parameters)).append('\n');
        sorted.forEach(
                (name, value) -> canonical.append(name).append(':').append(value).append('\n'));
        canonical.append('\n').append(String.join(";", sorted.keySet())).append('\n').append(hash);
        String toSign =
                "AWS4-HMAC-SHA256\n"
                        + STAMP.format(time)
                        + "\n"
                        + scope()
                        + "\n"
                        + Bytes.sha256Hex(canonical.toString().getBytes(StandardCharsets.UTF_8));
        return hex(hmac(signingKey(), toSign));
    }

    private byte[] signingKey() {
        byte[] key =
                hmac(
                        ("AWS4" + secretKey).getBytes(StandardCharsets.UTF_8),
                        STAMP.format(time).substring(0, 8));
        return hmac(hmac(hmac(key, region), service), "aws4_request");
    }

    private static byte[] hmac(byte[] key, String text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException | InvalidKeyException e) {
            throw new AssertionError(e);
        }
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    private static String canonicalQuery(Map<String, String> parameters) {
        List<String> pairs = new ArrayList<>();
        parameters.forEach(
                (name, value) ->
                        pairs.add(
                                encode(name.getBytes(StandardCharsets.UTF_8), false)
                                        + "="
                                        + encode(value.getBytes(StandardCharsets.UTF_8), false)));
        return String.join("&", pairs);
    }

    private static byte[] decode(String raw) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int i = 0; i < raw.length(); i++) {
            char c = raw.charAt(i);
            if (c == '%'
                    && i + 2 < raw.length()
                    && HexFormat.isHexDigit(raw.charAt(i + 1))
                    && HexFormat.isHexDigit(raw.charAt(i + 2))) {
                bytes.write(HexFormat.fromHexDigits(raw, i + 1, i + 3));
                i += 2;
            } else {
                bytes.write(c);
            }
        }
        return bytes.toByteArray();
    }

    private static String encode(byte[] bytes, boolean path) {
        StringBuilder text = new StringBuilder();
        for (byte each : bytes) {
            char c = (char) (each & 0xFF);
            boolean plain =
                    c < 128 && (Character.isLetterOrDigit(c) || "-._~".indexOf(c) >= 0)
                            || path && c == '/';
            if (plain) {
                text.append(c);
            } else {
                text.append('%').append(HexFormat.of().withUpperCase().toHexDigits(each));
            }
        }
        return text.toString();
    }

    // ---- aws-chunked, signed chunk by chunk

    /** A signed chunk of a {@code STREAMING-AWS4-HMAC-SHA256-PAYLOAD} body. */
    public record Chunk(byte[] data, String signature) {
        byte[] bytes() {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            all.writeBytes(
                    (Integer.toHexString(data.length) + ";chunk-signature=" + signature + "\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            all.writeBytes(data);
            all.writeBytes("\r\n".getBytes(StandardCharsets.US_ASCII));
            return all.toByteArray();
        }
    }

    /** A signed head and the chunks that follow it, the empty last one included. */
    public record Chunked(byte[] head, List<Chunk> chunks) {
        public byte[] message() {
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            all.writeBytes(head);
            chunks.forEach(chunk -> all.writeBytes(chunk.bytes()));
            return all.toByteArray();
        }

        public Chunked with(List<Chunk> others) {
            return new Chunked(head, others);
        }
    }

    public Chunked chunked(URI endpoint, List<byte[]> parts) {
        int decoded = parts.stream().mapToInt(part -> part.length).sum();
        long length = 0;
        List<byte[]> all = new ArrayList<>(parts);
        all.add(new byte[0]);
        for (byte[] part : all) {
            length += Integer.toHexString(part.length).length() + 17 + 64 + 2 + part.length + 2;
        }
        payloadHash("STREAMING-AWS4-HMAC-SHA256-PAYLOAD");
        header("content-encoding", "aws-chunked");
        header("x-amz-decoded-content-length", Integer.toString(decoded));
        header("content-length", Long.toString(length));
        Head head = signHeaders(endpoint);
        String previous = head.signature();
        List<Chunk> chunks = new ArrayList<>();
        for (byte[] part : all) {
            String toSign =
                    "AWS4-HMAC-SHA256-PAYLOAD\n"
                            + STAMP.format(time)
                            + "\n"
                            + scope()
                            + "\n"
                            + previous
                            + "\n"
                            + EMPTY_HASH
                            + "\n"
                            + Bytes.sha256Hex(part);
            previous = hex(hmac(signingKey(), toSign));
            chunks.add(new Chunk(part, previous));
        }
        return new Chunked(text(head).getBytes(StandardCharsets.UTF_8), chunks);
    }
}
