package io.volute.server.outbound;

import io.volute.adminapi.signing.RequestSigner;
import io.volute.adminapi.tls.Authorities;
import io.volute.server.LogText;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
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
 * Signed requests about a bucket of another server, path-style. The signature covers the content
 * and all headers. Thread-safe.
 */
public final class S3Client implements AutoCloseable {
    private static final Duration CONNECT_TIME = Duration.ofSeconds(10);

    /** Time for an answer; content gets more, for the speed of a slow line. */
    private static final Duration ANSWER_TIME = Duration.ofSeconds(60);

    private static final long SLOW_BYTES_A_SECOND = 64 << 10;
    private static final int PIECE_BYTES = 64 << 10;

    /** An array has no more. */
    private static final int MOST_OBJECT_BYTES = Integer.MAX_VALUE - 64;

    /** A page of a list has 1,000 keys of 1,024 bytes; all other documents are short. */
    private static final int MOST_DOCUMENT_BYTES = 8 << 20;

    private static final int LONGEST_ERROR = 4096;
    private static final Pattern CODE = Pattern.compile("<Code>([A-Za-z0-9]{1,64})</Code>");

    private final Place place;
    private final S3Access access;
    private final InstantSource clock;
    private final HttpCalls http;

    /**
     * A bucket of a server.
     *
     * @param server scheme, host and perhaps a port
     * @param settings names of the settings, for messages
     */
    public record Place(URI server, String bucket, Settings settings) {
        /** Returns the host as the client sends and signs it: without the default port. */
        private String host() {
            int usual = "https".equals(server.getScheme()) ? 443 : 80;
            return server.getPort() == -1 || server.getPort() == usual
                    ? server.getHost()
                    : server.getHost() + ":" + server.getPort();
        }
    }

    /** Names in messages of the settings with which an operator mends a failure. */
    public record Settings(String credentials, String region, String authorities) {}

    /**
     * @throws IOException when the certificates cannot be used; the message names the reason
     */
    public S3Client(Place place, S3Access access, InstantSource clock) throws IOException {
        this.place = place;
        this.access = access;
        this.clock = clock;
        http = new HttpCalls(place.settings().authorities(), access.authorities(), CONNECT_TIME);
    }

    /** The answer of the other server. */
    public final class Answer {
        private final String what;
        private final HttpCalls.Answer http;

        private Answer(String what, HttpCalls.Answer http) {
            this.what = what;
            this.http = http;
        }

        /** Returns the status. */
        public int status() {
            return http.status();
        }

        /** Returns the body; at least its beginning when the request failed. */
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
            Settings settings = place.settings();
            return switch (status()) {
                case 401, 403 -> ": see " + settings.credentials() + " and their permissions there";
                case 301, 307, 308, 400 -> ": see " + settings.region();
                case 404 -> ": there is no such bucket; make it";
                default -> "";
            };
        }
    }

    /**
     * Puts an object.
     *
     * @param more further headers, by lower-case name
     */
    public Answer put(String key, Content content, Map<String, String> more) throws IOException {
        return send("PUT", key, Map.of(), content, more);
    }

    /**
     * Sends a request without content.
     *
     * @param key empty for the bucket
     */
    public Answer send(String method, String key, Map<String, String> parameters)
            throws IOException {
        return send(method, key, parameters, Content.NONE, Map.of());
    }

    private Answer send(
            String method,
            String key,
            Map<String, String> parameters,
            Content content,
            Map<String, String> more)
            throws IOException {
        String path = RequestSigner.path(place.bucket(), key);
        String query = RequestSigner.query(parameters);
        Digests digests = Digests.of(content);
        Map<String, String> all = new TreeMap<>(more);
        if (method.equals("PUT")) {
            // Without it S3 takes nothing where new objects are locked.
            all.put("content-md5", Base64.getEncoder().encodeToString(digests.md5()));
        }
        RequestSigner.Target target = new RequestSigner.Target(method, place.host(), path, query);
        String sha256 = HexFormat.of().formatHex(digests.sha256());
        Map<String, String> headers =
                access.signer().get().headersOf(target, sha256, all, clock.instant());
        String address = place.server().getScheme() + "://" + place.host() + path;
        String what = method + " " + address;
        URI uri = URI.create(query.isEmpty() ? address : address + "?" + query);
        Duration time = ANSWER_TIME.plusSeconds(digests.bytes() / SLOW_BYTES_A_SECOND);
        boolean isObject = method.equals("GET") && !key.isEmpty();
        int most = isObject ? MOST_OBJECT_BYTES : MOST_DOCUMENT_BYTES;
        try {
            HttpCalls.Answer answer = http.send(method, uri, headers, content, time, most);
            if (answer.isCut()) {
                throw new IOException("the answer is longer than " + most + " bytes");
            }
            return new Answer(what, answer);
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
                        + place.settings().authorities()
                        + " ("
                        + said
                        + ")"
                : said;
    }

    /** The length of a content, and its hashes. */
    private record Digests(long bytes, byte[] sha256, byte[] md5) {
        static Digests of(Content content) throws IOException {
            MessageDigest sha256 = digest("SHA-256");
            MessageDigest md5 = digest("MD5");
            long bytes = 0;
            try (InputStream in = content.open()) {
                byte[] piece = new byte[PIECE_BYTES];
                for (int count = in.read(piece); count > 0; count = in.read(piece)) {
                    sha256.update(piece, 0, count);
                    md5.update(piece, 0, count);
                    bytes += count;
                }
            }
            return new Digests(bytes, sha256.digest(), md5.digest());
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
