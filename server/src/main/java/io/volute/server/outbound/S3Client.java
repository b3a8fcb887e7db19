package io.volute.server.outbound;

import io.volute.adminapi.signing.RequestSigner;
import io.volute.adminapi.tls.Authorities;
import io.volute.server.LogText;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Signed requests about the buckets of another server, path-style. The signature covers all
 * headers, and the content if it is signed. Thread-safe.
 */
public final class S3Client implements AutoCloseable {
    /**
     * Most bytes of an answer that is no object: a page of a list has 1,000 keys of 1,024 bytes.
     */
    public static final int MOST_DOCUMENT_BYTES = 8 << 20;

    private static final Duration TIME = Duration.ofSeconds(60);
    private static final String UNSIGNED = "UNSIGNED-PAYLOAD";
    private static final int LONGEST_ERROR = 4096;
    private static final Pattern CODE = Pattern.compile("<Code>([A-Za-z0-9]{1,64})</Code>");

    private final URI server;
    private final S3Access access;
    private final Settings settings;
    private final InstantSource clock;
    private final HttpClient http;

    /** Names in messages of the settings with which an operator mends a failure. */
    public record Settings(String credentials, String region, String authorities) {}

    /**
     * @param server scheme, host and perhaps a port
     * @throws IOException when the certificates cannot be used; the message names the reason
     */
    public S3Client(
            URI server,
            Addresses addresses,
            S3Access access,
            Settings settings,
            InstantSource clock)
            throws IOException {
        this.server = server;
        this.access = access;
        this.settings = settings;
        this.clock = clock;
        http =
                new HttpClient(
                        server,
                        addresses,
                        Authorities.trusted(settings.authorities(), access.authorities())
                                .getSocketFactory());
    }

    /**
     * A request.
     *
     * @param key empty for the bucket
     * @param query parameters as they are before they are encoded
     * @param headers further ones, by lower-case name
     */
    public record Request(
            String method,
            String bucket,
            String key,
            Map<String, String> query,
            Map<String, String> headers,
            Content content) {
        /** Returns a request without a query, headers and content. */
        public static Request of(String method, String bucket, String key) {
            return new Request(method, bucket, key, Map.of(), Map.of(), Content.NONE);
        }
    }

    /** The answer of the other server. */
    public final class Answer {
        private final String what;
        private final HttpClient.Answer http;

        private Answer(String what, HttpClient.Answer http) {
            this.what = what;
            this.http = http;
        }

        /** Returns the status. */
        public int status() {
            return http.status();
        }

        /** Returns the headers by lower-case name. */
        public Map<String, String> headers() {
            return http.headers();
        }

        /** Returns the body. */
        public byte[] body() {
            return http.body();
        }

        /** Returns the code of the error; empty when the answer names none. */
        public String code() {
            int length = Math.min(body().length, LONGEST_ERROR);
            Matcher found = CODE.matcher(new String(body(), 0, length, StandardCharsets.UTF_8));
            return found.find() ? found.group(1) : "";
        }

        /**
         * Requires success.
         *
         * @throws IOException with the answer and the next step, for every status but 2xx
         */
        public void requireSuccess() throws IOException {
            if (status() / 100 != 2) {
                String code = code();
                throw new IOException(
                        what
                                + " was answered with "
                                + status()
                                + (code.isEmpty() ? "" : " " + code)
                                + advice());
            }
        }

        private String advice() {
            return switch (status()) {
                case 401, 403 -> ": see " + settings.credentials() + " and their permissions there";
                case 301, 307, 308, 400 -> ": see " + settings.region();
                case 404 -> ": there is no such bucket; make it";
                default -> "";
            };
        }
    }

    /**
     * Sends a request, and returns the answer, whatever its status.
     *
     * @param mostBytes of the answer's body
     * @throws IOException when there is no such answer; the message names the request
     */
    public Answer send(Request request, int mostBytes) throws IOException {
        String path = RequestSigner.path(request.bucket(), request.key());
        String query = RequestSigner.query(request.query());
        Content content = request.content();
        Map<String, String> all = new TreeMap<>(request.headers());
        String sha256 = UNSIGNED;
        if (content.isSigned()) {
            Digests digests = Digests.of(content);
            sha256 = HexFormat.of().formatHex(digests.sha256());
            if (request.method().equals("PUT")) {
                // Without it S3 takes nothing where new objects are locked.
                all.put("content-md5", Base64.getEncoder().encodeToString(digests.md5()));
            }
        }
        Map<String, String> headers =
                access.signer()
                        .get()
                        .headersOf(
                                new RequestSigner.Target(
                                        request.method(), http.host(), path, query),
                                sha256,
                                all,
                                clock.instant());
        String what = request.method() + " " + server.getScheme() + "://" + http.host() + path;
        String target = query.isEmpty() ? path : path + "?" + query;
        try {
            HttpClient.Request sent =
                    new HttpClient.Request(request.method(), target, headers, content);
            return new Answer(what, http.send(sent, TIME, mostBytes));
        } catch (InterruptedIOException e) {
            throw new InterruptedIOException(what + " was " + e.getMessage());
        } catch (IOException e) {
            throw new IOException(what + " failed: " + why(e), e);
        }
    }

    private String why(IOException e) {
        String said = LogText.reason(e);
        return Authorities.areMissing(e)
                ? "its certificate is not trusted: name its authority with "
                        + settings.authorities()
                        + " ("
                        + said
                        + ")"
                : said;
    }

    /** The hashes of a content. */
    private record Digests(byte[] sha256, byte[] md5) {
        static Digests of(Content content) throws IOException {
            MessageDigest sha256 = digest("SHA-256");
            MessageDigest md5 = digest("MD5");
            content.writeTo(
                    new DigestOutputStream(
                            new DigestOutputStream(OutputStream.nullOutputStream(), md5), sha256));
            return new Digests(sha256.digest(), md5.digest());
        }

        private static MessageDigest digest(String algorithm) {
            try {
                return MessageDigest.getInstance(algorithm);
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException("every JDK has " + algorithm, e);
            }
        }
    }

    @Override
    public void close() {
        http.close();
    }
}
