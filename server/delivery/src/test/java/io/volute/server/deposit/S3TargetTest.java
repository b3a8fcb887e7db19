package io.volute.server.deposit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.volute.adminapi.signing.RequestSigner;
import io.volute.server.encryption.FakeVault;
import io.volute.server.outbound.S3Access;
import io.volute.storage.io.OsFileSystem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A bucket as a target needs nothing but put, get, list and delete of whole objects. */
class S3TargetTest {
    private static final InstantSource NOW =
            InstantSource.fixed(Instant.parse("2026-11-26T10:00:00Z"));
    private static final S3Access ACCESS =
            new S3Access(
                    () -> new RequestSigner("AKTEST", "secret-of-the-test", "us-east-1"),
                    Optional.empty());

    /** Two keys a page. */
    private static final int PAGE = 2;

    private final TreeMap<String, byte[]> objects = new TreeMap<>();
    private final List<String> requests = new ArrayList<>();
    private int failures;

    /** Behind each page of a list. */
    private String padding = "";

    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getPath();
            byte[] body = exchange.getRequestBody().readAllBytes();
            String query = Optional.ofNullable(exchange.getRequestURI().getQuery()).orElse("");
            requests.add(exchange.getRequestMethod() + " " + path);
            boolean isSigned = exchange.getRequestHeaders().containsKey("Authorization");
            if (path.equals("/moved/a")) {
                exchange.getResponseHeaders().add("location", "/bucket/a");
                send(exchange, 307, "");
            } else if (failures > 0) {
                failures--;
                send(exchange, 503, "<Error><Code>SlowDown</Code></Error>");
            } else if (!isSigned || !path.startsWith("/bucket")) {
                send(exchange, isSigned ? 404 : 403, "<Code>NoSuchBucket</Code>");
            } else if (path.equals("/bucket")) {
                send(exchange, 200, page(query) + padding);
            } else {
                answer(exchange, path.substring("/bucket/".length()), body);
            }
        }
    }

    private void answer(HttpExchange exchange, String key, byte[] body) throws IOException {
        switch (exchange.getRequestMethod()) {
            case "PUT" -> {
                assertThat(exchange.getRequestHeaders()).containsKey("Content-md5");
                objects.put(key, body);
                send(exchange, 200, "");
            }
            case "GET" -> {
                byte[] object = objects.get(key);
                if (object == null) {
                    send(exchange, 404, "<Code>NoSuchKey</Code>");
                } else {
                    exchange.sendResponseHeaders(200, object.length);
                    exchange.getResponseBody().write(object);
                }
            }
            case "DELETE" -> {
                objects.remove(key);
                exchange.sendResponseHeaders(204, -1);
            }
            default -> send(exchange, 405, "");
        }
    }

    private static void send(HttpExchange exchange, int status, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        if (bytes.length > 0) {
            exchange.getResponseBody().write(bytes);
        }
    }

    /** The token has characters that XML escapes and queries encode. */
    private String page(String query) {
        String prefix = parameter(query, "prefix").orElse("");
        int from =
                parameter(query, "continuation-token")
                        .map(token -> Integer.parseInt(token.substring("a&b+".length())))
                        .orElse(0);
        List<String> keys =
                objects.keySet().stream().filter(key -> key.startsWith(prefix)).toList();
        String text =
                keys.stream()
                        .skip(from)
                        .limit(PAGE)
                        .map(key -> "<Contents><Key>" + key + "</Key></Contents>")
                        .collect(Collectors.joining());
        return from + PAGE < keys.size()
                ? text
                        + "<NextContinuationToken>a&amp;b+"
                        + (from + PAGE)
                        + "</NextContinuationToken>"
                : text;
    }

    private static Optional<String> parameter(String query, String name) {
        int begin = query.indexOf(name + "=");
        if (begin < 0) {
            return Optional.empty();
        }
        String value = query.substring(begin + name.length() + 1);
        int end = value.matches("a&b\\+.*") ? value.indexOf('&', 2) : value.indexOf('&');
        return Optional.of(end < 0 ? value : value.substring(0, end));
    }

    private S3Target target(String path) {
        try {
            return S3Target.open(
                    "http://127.0.0.1:" + server.getAddress().getPort() + path,
                    ACCESS,
                    NOW,
                    new S3Target.Bounds(List.of(Duration.ZERO, Duration.ZERO), 3));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void putsGetsListsAndDeletes() throws IOException {
        try (S3Target target = target("/bucket/one/two")) {
            assertThat(target.get("a", 1 << 20)).isEmpty();
            for (int i = 0; i < 5; i++) {
                target.put("packs/" + i, utf8("pack " + i));
            }
            target.put("snapshots/s", utf8("s"));
            assertThat(target.list("packs/"))
                    .containsExactly("packs/0", "packs/1", "packs/2", "packs/3", "packs/4");
            assertThat(target.get("packs/3", 1 << 20)).contains(utf8("pack 3"));
            target.delete("packs/3");
            target.delete("packs/3");
            assertThat(target.get("packs/3", 1 << 20)).isEmpty();
            assertThat(objects).containsKey("one/two/packs/4");
        }
    }

    @Test
    void repeatsARequestThatTheServerFailed() throws IOException {
        try (S3Target target = target("/bucket")) {
            failures = 2;
            target.put("a", utf8("a"));
            assertThat(requests).hasSize(3);
            failures = 3;
            assertThatThrownBy(() -> target.get("a", 1 << 20)).hasMessageContaining("503 SlowDown");
        }
    }

    /** A pause of that length has no milliseconds: a second attempt ends the test. */
    @Test
    @Tag("slow")
    void doesNotRepeatARequestToAServerThatIsNotTrusted(@TempDir Path directory)
            throws IOException {
        S3Target.Bounds noPause =
                new S3Target.Bounds(List.of(Duration.ofSeconds(Long.MAX_VALUE)), 1);
        try (FakeVault other = new FakeVault(directory);
                S3Target target =
                        S3Target.open(other.address() + "/bucket", ACCESS, NOW, noPause)) {
            assertThatThrownBy(() -> target.get("a", 1 << 20))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("its certificate is not trusted: name its authority");
        }
    }

    /** A person would wait for attempts that cannot succeed. */
    @Test
    void aTargetWithoutCredentialsIsNotOpened() {
        S3Access none =
                new S3Access(
                        () -> {
                            throw new IOException("no credentials");
                        },
                        Optional.empty());
        String text = "http://127.0.0.1:" + server.getAddress().getPort() + "/bucket";
        assertThatThrownBy(() -> S3Target.open(text, none, NOW)).hasMessage("no credentials");
        assertThat(requests).isEmpty();
    }

    @Test
    void aRedirectIsNotFollowed() throws IOException {
        try (S3Target target = target("/moved")) {
            assertThatThrownBy(() -> target.put("a", utf8("a")))
                    .hasMessageContaining("307: see the region");
            assertThat(requests).containsExactly("PUT /moved/a");
        }
    }

    /** Clouds have services of their hosts there. */
    @Test
    void theServiceOfACloudsHostIsNoTarget() throws IOException {
        try (S3Target target =
                S3Target.open(
                        "http://169.254.169.254/bucket",
                        ACCESS,
                        NOW,
                        new S3Target.Bounds(List.of(), 1))) {
            assertThatThrownBy(() -> target.get("a", 1 << 20)).hasMessageContaining("not allowed");
        }
    }

    /** Its end would be missing without a word, and an endless one would fill the heap. */
    @Test
    void aListWithoutAnEndIsRefused() {
        padding = " ".repeat(8 << 20);
        try (S3Target target = target("/bucket")) {
            objects.put("packs/1", utf8("pack"));
            assertThatThrownBy(() -> target.list("packs/"))
                    .hasMessageContaining("the answer is longer than 8388608 bytes");
        }
    }

    /** A server can always name a next page. */
    @Test
    void pagesWithoutAnEndAreRefused() {
        try (S3Target target = target("/bucket")) {
            for (int i = 0; i < 7; i++) {
                objects.put("packs/" + i, utf8("pack"));
            }
            assertThatThrownBy(() -> target.list("packs/")).hasMessageContaining("has no end");
            assertThat(requests).hasSize(3);
        }
    }

    /** The caller knows how long an object of its kind can be. */
    @Test
    void anObjectOfMoreBytesIsRefused() throws IOException {
        try (S3Target target = target("/bucket")) {
            objects.put("a", new byte[101]);
            assertThat(target.get("a", 101)).contains(new byte[101]);
            assertThatThrownBy(() -> target.get("a", 100))
                    .hasMessageContaining("the answer is longer than 100 bytes");
        }
    }

    @Test
    void aFileOfMoreBytesIsRefused(@TempDir Path directory) throws IOException {
        try (DirectoryTarget target = new DirectoryTarget(new OsFileSystem(), directory)) {
            target.put("a", new byte[101]);
            assertThat(target.get("a", 101)).contains(new byte[101]);
            assertThatThrownBy(() -> target.get("a", 100))
                    .hasMessageContaining("is longer than 100 bytes");
        }
    }

    @Test
    void aMissingBucketIsNoMissingObject() {
        try (S3Target target = target("/other")) {
            assertThatThrownBy(() -> target.get("a", 1 << 20))
                    .hasMessageContaining("no such bucket");
            assertThatThrownBy(() -> target.delete("a")).hasMessageContaining("no such bucket");
        }
    }

    @Test
    void refusesTextsThatAreNoTarget() {
        for (String text :
                List.of(
                        "https://host",
                        "https://host/B",
                        "https://user@host/bucket",
                        "https://host/bucket/../x",
                        "https://host/bucket/a b",
                        "https://host/bucket?x")) {
            assertThatThrownBy(() -> S3Target.open(text, ACCESS, NOW))
                    .as(text)
                    .hasMessageContaining("not a target");
        }
    }
}
