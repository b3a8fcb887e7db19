package io.volute.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.auth.sigv4.AuthSettings;
import io.volute.server.auth.sigv4.Authenticator;
import io.volute.server.auth.sigv4.RequestSigner;
import io.volute.server.credentials.Credential;
import io.volute.server.s3.S3TestBed;
import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.HeaderList.Header;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.RequestBody;
import io.volute.server.s3.request.S3Response;
import io.volute.storage.Cube;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who may ask what, how refusals look, and that the description is that of the routes. */
class AdminFrontTest {
    private static final Instant NOW = Instant.parse("2026-11-21T10:00:00Z");
    private static final RequestSigner ROOT =
            new RequestSigner("ROOTKEY", "rootsecret", "us-east-1");
    private static final RequestSigner ALICE =
            new RequestSigner("ALICE", "alicesecret", "us-east-1");
    private static final Map<String, Credential> CREDENTIALS =
            Map.of(
                    "ROOTKEY", new Credential("ROOTKEY", "rootsecret", "root", "Root", true),
                    "ALICE", new Credential("ALICE", "alicesecret", "alice", "Alice", false));

    @TempDir private Path directory;
    private final List<String> passedOn = new ArrayList<>();
    private Cube cube;
    private AdminApi api;
    private AdminFront front;

    @BeforeEach
    void open() throws IOException {
        cube = S3TestBed.cube(directory, () -> NOW);
        api = new AdminApi(Map.of("default", cube), () -> NOW);
        front =
                new AdminFront(
                        (head, body) -> {
                            passedOn.add(head.rawPath());
                            return new S3Response(299, List.of(), new S3Response.Content.None(-1));
                        },
                        new Authenticator(
                                key -> Optional.ofNullable(CREDENTIALS.get(key)),
                                new AuthSettings("us-east-1", () -> NOW, true)),
                        List.of("s3.example.com"),
                        api);
    }

    @AfterEach
    void close() throws Exception {
        api.close();
        cube.close();
    }

    private record Answer(int status, Map<String, Object> document) {
        String code() {
            return String.valueOf(document.get("code"));
        }
    }

    private static final class OneBuffer implements RequestBody {
        private final ByteBuffer bytes;
        private boolean given;

        OneBuffer(byte[] bytes) {
            this.bytes = ByteBuffer.wrap(bytes);
        }

        @Override
        public boolean next() {
            boolean more = !given && bytes.hasRemaining();
            given = true;
            return more;
        }

        @Override
        public ByteBuffer buffer() {
            return bytes;
        }
    }

    private S3Response raw(
            String method, String path, String host, byte[] body, Map<String, String> signed) {
        List<Header> headers = new ArrayList<>();
        headers.add(new Header("host", host));
        signed.forEach((name, value) -> headers.add(new Header(name, value)));
        HttpHead head =
                new HttpHead(
                        method,
                        path,
                        "",
                        new HeaderList(headers),
                        false,
                        "127.0.0.1",
                        body.length,
                        "REQUEST1");
        return front.handle(head, new OneBuffer(body));
    }

    private Answer send(RequestSigner who, String method, String path, String text)
            throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        return read(
                raw(
                        method,
                        path,
                        "localhost",
                        body,
                        who.headers(method, "localhost", path, body, NOW)));
    }

    private static Answer read(S3Response response) throws IOException {
        assertThat(response.headers()).contains(new Header("content-type", "application/json"));
        byte[] bytes = ((S3Response.Content.Bytes) response.content()).bytes();
        return new Answer(response.status(), Json.read(bytes));
    }

    private Answer root(String method, String path, String text) throws IOException {
        return send(ROOT, method, path, text);
    }

    @Test
    void tellsWhereTheBytesAre() throws IOException {
        Answer answer = root("GET", "/_volute/v1/space", "");
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.document().toString())
                .contains(
                        "cube=default", "state=healthy", "kind=survivor", "reason=", "client-data");
    }

    @Test
    void cleansAtBothLevels() throws IOException {
        for (String level : List.of("compact", "combined")) {
            Answer answer = root("POST", "/_volute/v1/clean", "{\"level\": \"" + level + "\"}");
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.document())
                    .containsEntry("level", level)
                    .containsEntry("freedBytes", 0L);
        }
    }

    @Test
    void checksInTheBackgroundAndKeepsTheReport() throws Exception {
        assertThat(root("GET", "/_volute/v1/check", "").document().toString())
                .contains("state=none");
        Answer begun = root("POST", "/_volute/v1/check", "{\"bytesPerSecond\": 1048576}");
        assertThat(begun.status()).isEqualTo(202);
        assertThat(begun.document()).containsEntry("cube", "default");
        api.close();
        assertThat(root("GET", "/_volute/v1/check", "").document().toString())
                .containsAnyOf("state=finished", "state=stopped")
                .contains("started=2026-11-21T10:00:00Z");
        assertThat(root("POST", "/_volute/v1/check", "").code()).isEqualTo("CheckInProgress");
    }

    @Test
    void refusesWhoIsNotRoot() throws IOException {
        Answer alice = send(ALICE, "GET", "/_volute/v1/space", "");
        assertThat(alice.status()).isEqualTo(403);
        assertThat(alice.document())
                .containsEntry("code", "AccessDenied")
                .containsEntry("requestId", "REQUEST1")
                .containsKey("message");
        Answer thief =
                send(
                        new RequestSigner("ROOTKEY", "guessed", "us-east-1"),
                        "GET",
                        "/_volute/v1/space",
                        "");
        assertThat(thief.status()).isEqualTo(403);
        assertThat(thief.code()).isEqualTo("SignatureDoesNotMatch");
        Answer anonymous =
                read(raw("GET", "/_volute/v1/space", "localhost", new byte[0], Map.of()));
        assertThat(anonymous.status()).isEqualTo(403);
        // Not even what there is may be learnt without credentials.
        Answer unknown = read(raw("GET", "/_volute/v9", "localhost", new byte[0], Map.of()));
        assertThat(unknown).isEqualTo(anonymous);
        assertThat(passedOn).isEmpty();
    }

    @Test
    void refusesWhatItDoesNotKnow() throws IOException {
        for (String path : List.of("/_volute", "/_volute/", "/_volute/v1", "/_volute/v1/spaces")) {
            Answer answer = root("GET", path, "");
            assertThat(answer.status()).as(path).isEqualTo(404);
            assertThat(answer.code()).isEqualTo("NoSuchPath");
        }
        Answer method = root("DELETE", "/_volute/v1/space", "");
        assertThat(method.status()).isEqualTo(405);
        assertThat(method.document().get("message").toString()).contains("takes GET");
        for (String body :
                List.of(
                        "{",
                        "[]",
                        "{} {}",
                        "{\"level\": \"all\"}",
                        "{}",
                        "{\"level\": \"compact\", \"levle\": 1}",
                        "[".repeat(2000))) {
            assertThat(root("POST", "/_volute/v1/clean", body).status()).as(body).isEqualTo(400);
        }
        assertThat(root("POST", "/_volute/v1/clean", " ".repeat(5000)).status()).isEqualTo(400);
        assertThat(root("POST", "/_volute/v1/check", "{\"bytesPerSecond\": 1}").status())
                .isEqualTo(400);
        Answer cube = root("POST", "/_volute/v1/check", "{\"cube\": \"other\"}");
        assertThat(cube.status()).isEqualTo(404);
        assertThat(cube.code()).isEqualTo("NoSuchCube");
    }

    @Test
    void takesOnlyWhatIsItsOwn() {
        for (String path : List.of("/", "/bucket/_volute/v1/space", "/_volutes/v1/space", "/%ZZ")) {
            S3Response passed = raw("GET", path, "localhost", new byte[0], Map.of());
            assertThat(passed.status()).as(path).isEqualTo(299);
        }
        // A key of a bucket that is named by the host.
        S3Response key = raw("GET", "/_volute/v1/space", "b.s3.example.com", new byte[0], Map.of());
        assertThat(key.status()).isEqualTo(299);
        S3Response escaped = raw("GET", "/%5Fvolute/v1/space", "localhost", new byte[0], Map.of());
        assertThat(escaped.status()).isEqualTo(403);
    }

    @Test
    void aHeadHasNoBody() {
        S3Response head = raw("HEAD", "/_volute/v1/space", "localhost", new byte[0], Map.of());
        assertThat(head.content()).isInstanceOf(S3Response.Content.None.class);
    }

    @Test
    void theDescriptionHasEveryRouteAndNoOther() throws IOException {
        Path document =
                Stream.iterate(Path.of("").toAbsolutePath(), Path::getParent)
                        .takeWhile(path -> path != null)
                        .map(path -> path.resolve("docs/openapi.yaml"))
                        .filter(Files::exists)
                        .findFirst()
                        .orElseThrow();
        Pattern pathLine = Pattern.compile("  (/\\S+):");
        Pattern methodLine = Pattern.compile("    (get|post|put|delete|head):");
        TreeSet<String> described = new TreeSet<>();
        String path = "";
        for (String line : Files.readAllLines(document)) {
            Matcher begin = pathLine.matcher(line);
            Matcher method = methodLine.matcher(line);
            if (begin.matches()) {
                path = begin.group(1);
            } else if (method.matches()) {
                described.add(method.group(1).toUpperCase(java.util.Locale.ROOT) + " " + path);
            }
        }
        TreeSet<String> routes = new TreeSet<>();
        for (AdminRoute route : AdminRoute.values()) {
            routes.add(route.method() + " " + route.path());
        }
        assertThat(described).isEqualTo(routes);
    }
}
