package io.volute.server.deposit;

import io.volute.adminapi.signing.RequestSigner;
import io.volute.adminapi.tls.Authorities;
import io.volute.server.LogText;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A bucket of another server, by S3, path-style. It uses PutObject, GetObject, ListObjectsV2 and
 * DeleteObject. It follows no redirects. Requests without an answer, and those that the server
 * answers with 5xx, are repeated, because each of them may be done twice.
 */
final class S3Target implements BackupTarget {
    private static final Duration CONNECT_TIME = Duration.ofSeconds(10);
    private static final Duration ANSWER_TIME = Duration.ofSeconds(60);
    private static final long SLOW_BYTES_A_SECOND = 64 << 10;
    private static final int LONGEST_ERROR = 4096;
    private static final List<Duration> PAUSES =
            List.of(Duration.ofSeconds(1), Duration.ofSeconds(4), Duration.ofSeconds(15));
    private static final Pattern CODE = Pattern.compile("<Code>([A-Za-z0-9]{1,64})</Code>");
    private static final Pattern KEY = Pattern.compile("<Key>([A-Za-z0-9./-]{1,1024})</Key>");
    private static final Pattern NEXT =
            Pattern.compile("<NextContinuationToken>([^<]{1,4096})</NextContinuationToken>");

    /** Scheme, host and perhaps a port; bucket; prefix. */
    private static final Pattern FORM =
            Pattern.compile(
                    "(https?://[A-Za-z0-9][A-Za-z0-9.-]{0,252}(?::[0-9]{1,5})?)"
                            + "/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])"
                            + "((?:/(?!\\.{1,2}(?:/|$))[A-Za-z0-9.-]{1,200}){0,8})/?");

    private final String text;
    private final URI server;
    private final String bucket;
    private final String prefix;
    private final S3Access access;
    private final InstantSource clock;
    private final HttpClient http;
    private final List<Duration> pauses;

    private S3Target(
            String text, Matcher form, S3Access access, InstantSource clock, List<Duration> pauses)
            throws IOException {
        this.pauses = pauses;
        this.text = text;
        server = URI.create(form.group(1));
        bucket = form.group(2);
        prefix = form.group(3).isEmpty() ? "" : form.group(3).substring(1) + "/";
        this.access = access;
        this.clock = clock;
        http =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .followRedirects(HttpClient.Redirect.NEVER)
                        .connectTimeout(CONNECT_TIME)
                        .sslContext(
                                Authorities.trusted("the certificates in", access.authorities()))
                        .build();
    }

    /**
     * Opens a target.
     *
     * @param text {@code https://HOST/BUCKET/PREFIX}, the port and the prefix if necessary
     * @throws IOException when the text or the certificates cannot be used
     */
    public static S3Target open(String text, S3Access access, InstantSource clock)
            throws IOException {
        return open(text, access, clock, PAUSES);
    }

    /** Opens a target with other pauses before a request is repeated. */
    static S3Target open(String text, S3Access access, InstantSource clock, List<Duration> pauses)
            throws IOException {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw new IOException(
                    "not a target: " + text + "; write https://HOST/BUCKET or a directory");
        }
        return new S3Target(text, form, access, clock, pauses);
    }

    @Override
    public String text() {
        return text;
    }

    @Override
    public void put(String name, byte[] content) throws IOException {
        Map<String, String> more = new LinkedHashMap<>();
        // Without it S3 takes nothing where new objects are locked.
        more.put("content-md5", Base64.getEncoder().encodeToString(hash("MD5", content)));
        send("PUT", prefix + name, Map.of(), content, more).require(200);
    }

    @Override
    public Optional<byte[]> get(String name) throws IOException {
        Answer answer = send("GET", prefix + name, Map.of(), new byte[0], Map.of());
        if (answer.status() == 404 && !answer.code().equals("NoSuchBucket")) {
            return Optional.empty();
        }
        answer.require(200);
        return Optional.of(answer.body());
    }

    @Override
    public List<String> list(String names) throws IOException {
        List<String> found = new ArrayList<>();
        Optional<String> next = Optional.empty();
        do {
            Map<String, String> query = new TreeMap<>();
            query.put("list-type", "2");
            query.put("prefix", prefix + names);
            next.ifPresent(token -> query.put("continuation-token", token));
            Answer answer = send("GET", "", query, new byte[0], Map.of());
            answer.require(200);
            String page = new String(answer.body(), StandardCharsets.UTF_8);
            Matcher keys = KEY.matcher(page);
            while (keys.find()) {
                found.add(keys.group(1).substring(prefix.length()));
            }
            Matcher token = NEXT.matcher(page);
            next = token.find() ? Optional.of(plain(token.group(1))) : Optional.empty();
        } while (next.isPresent());
        return found;
    }

    private static String plain(String escaped) {
        return escaped.replace("&lt;", "<")
                .replace("&gt;", ">")
                .replace("&quot;", "\"")
                .replace("&amp;", "&");
    }

    @Override
    public void delete(String name) throws IOException {
        Answer answer = send("DELETE", prefix + name, Map.of(), new byte[0], Map.of());
        if (answer.status() != 404 || answer.code().equals("NoSuchBucket")) {
            answer.require(204);
        }
    }

    /** The answer of the other server. */
    private record Answer(String what, int status, byte[] body) {
        String code() {
            int length = Math.min(body.length, LONGEST_ERROR);
            Matcher found = CODE.matcher(new String(body, 0, length, StandardCharsets.UTF_8));
            return found.find() ? found.group(1) : "";
        }

        void require(int expected) throws IOException {
            if (status != expected) {
                String code = code();
                throw new IOException(
                        what
                                + " was answered with "
                                + status
                                + (code.isEmpty() ? "" : " " + code)
                                + advice());
            }
        }

        private String advice() {
            return switch (status) {
                case 401, 403 -> ": see the credentials and what they may do there";
                case 301, 307, 308, 400 -> ": see the region";
                case 404 -> ": there is no such bucket; make it";
                default -> "";
            };
        }
    }

    private Answer send(
            String method,
            String key,
            Map<String, String> query,
            byte[] body,
            Map<String, String> more)
            throws IOException {
        for (Duration pause : pauses) {
            try {
                Answer answer = once(method, key, query, body, more);
                if (answer.status() / 100 != 5) {
                    return answer;
                }
            } catch (InterruptedIOException e) {
                throw e;
            } catch (IOException e) {
                if (Authorities.areMissing(e)) {
                    throw e;
                }
                // The last attempt reports it.
            }
            pause(pause);
        }
        return once(method, key, query, body, more);
    }

    private static void pause(Duration time) throws InterruptedIOException {
        try {
            TimeUnit.MILLISECONDS.sleep(time.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted before an attempt was repeated");
        }
    }

    private Answer once(
            String method,
            String key,
            Map<String, String> parameters,
            byte[] body,
            Map<String, String> more)
            throws IOException {
        String path = "/" + bucket + (key.isEmpty() ? "" : "/" + key);
        String query = RequestSigner.query(parameters);
        String host = host();
        URI uri =
                URI.create(
                        server.getScheme()
                                + "://"
                                + host
                                + path
                                + (query.isEmpty() ? "" : "?" + query));
        BodyPublisher publisher =
                method.equals("PUT") ? BodyPublishers.ofByteArray(body) : BodyPublishers.noBody();
        HttpRequest.Builder request =
                HttpRequest.newBuilder(uri)
                        .method(method, publisher)
                        .timeout(ANSWER_TIME.plusSeconds(body.length / SLOW_BYTES_A_SECOND));
        String sha256 = HexFormat.of().formatHex(hash("SHA-256", body));
        access.signer()
                .get()
                .headersOf(method, host, path, query, sha256, clock.instant())
                .forEach(request::header);
        more.forEach(request::header);
        String what = method + " " + server + path;
        try {
            HttpResponse<byte[]> response = http.send(request.build(), BodyHandlers.ofByteArray());
            return new Answer(what, response.statusCode(), response.body());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException(what + " was interrupted");
        } catch (IOException e) {
            throw new IOException(what + " failed: " + why(e), e);
        }
    }

    private static String why(IOException e) {
        return Authorities.areMissing(e)
                ? "its certificate is not trusted: name its authority with backup.ca, or with --ca"
                : LogText.of(
                        Optional.ofNullable(e.getMessage()).orElse(e.getClass().getSimpleName()));
    }

    /** Returns the host as the client sends and signs it: without the default port. */
    private String host() {
        int usual = "https".equals(server.getScheme()) ? 443 : 80;
        return server.getPort() == -1 || server.getPort() == usual
                ? server.getHost()
                : server.getHost() + ":" + server.getPort();
    }

    private static byte[] hash(String algorithm, byte[] bytes) {
        try {
            return MessageDigest.getInstance(algorithm).digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has " + algorithm, e);
        }
    }

    @Override
    public void close() {
        http.shutdownNow();
    }
}
