package io.volute.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.adminapi.signing.RequestSigner;
import io.volute.server.admin.AdminTestBed.Answer;
import io.volute.server.s3.TestSigner;
import io.volute.server.s3.request.S3Response;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests the permissions of callers, and the form of refusals. */
@Tag("slow")
class AdminFrontTest extends AdminTestCase {
    private Answer root(String method, String path, String text) throws IOException {
        return bed.root(method, path, text);
    }

    private S3Response raw(
            String method, String path, String host, byte[] body, Map<String, String> signed) {
        return bed.raw(method, path, host, body, signed);
    }

    private Answer send(RequestSigner who, String method, String path, String text)
            throws IOException {
        return bed.send(who, method, path, text);
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
        bed.api.close();
        assertThat(root("GET", "/_volute/v1/check", "").document().toString())
                .containsAnyOf("state=finished", "state=stopped")
                .contains("started=2026-11-21T10:00:00Z");
        assertThat(root("POST", "/_volute/v1/check", "").code()).isEqualTo("CheckInProgress");
    }

    @Test
    void refusesBodiesThatNoSignatureCovers() throws IOException {
        String path = "/_volute/v1/check";
        byte[] body = "{}".getBytes(StandardCharsets.UTF_8);
        for (String payload : List.of("UNSIGNED-PAYLOAD", "STREAMING-UNSIGNED-PAYLOAD-TRAILER")) {
            Map<String, String> signed =
                    AdminTestBed.ROOT.headersOf(
                            "POST", "localhost", path, "", payload, AdminTestBed.NOW);
            Answer answer = AdminTestBed.read(bed.raw("POST", path, "localhost", body, signed));
            assertThat(answer.status()).as(payload + answer.document()).isEqualTo(403);
            assertThat(answer.document().toString()).contains("unsigned bodies");
        }
    }

    /** A link with a signature is passed on, and stands in logs: it must not administer. */
    @Test
    void refusesPresignedRequests() throws IOException {
        TestSigner root = new TestSigner("ROOTKEY", "rootsecret", "20261121T100000Z", "us-east-1");
        for (String path : List.of("/_volute/v1/space", "/_volute/v1/check", "/_volute/v1/clean")) {
            for (String method : List.of("GET", "POST")) {
                Map<String, String> query = new TreeMap<>();
                query.put("X-Amz-Algorithm", "AWS4-HMAC-SHA256");
                query.put("X-Amz-Credential", root.credential().replace("/", "%2F"));
                query.put("X-Amz-Date", root.date());
                query.put("X-Amz-Expires", "60");
                query.put("X-Amz-SignedHeaders", "host");
                String signature =
                        root.signature(
                                method,
                                path,
                                query,
                                Map.of("host", "localhost"),
                                "UNSIGNED-PAYLOAD");
                query.put("X-Amz-Signature", signature);
                List<String> parameters = new ArrayList<>();
                query.forEach((name, value) -> parameters.add(name + "=" + value));
                String target = path + "?" + String.join("&", parameters);
                Answer answer =
                        AdminTestBed.read(raw(method, target, "localhost", new byte[0], Map.of()));
                assertThat(answer.status()).as(method + path + answer.document()).isEqualTo(403);
                assertThat(answer.document().get("message").toString())
                        .contains("neither presigned requests");
            }
        }
        assertThat(bed.passedOn).isEmpty();
    }

    @Test
    void refusesWhoIsNotRoot() throws IOException {
        Answer alice = send(AdminTestBed.ALICE, "GET", "/_volute/v1/space", "");
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
                AdminTestBed.read(
                        raw("GET", "/_volute/v1/space", "localhost", new byte[0], Map.of()));
        assertThat(anonymous.status()).isEqualTo(403);
        // Without credentials, a caller must not even learn which routes exist.
        Answer unknown =
                AdminTestBed.read(raw("GET", "/_volute/v9", "localhost", new byte[0], Map.of()));
        assertThat(unknown).isEqualTo(anonymous);
        assertThat(bed.passedOn).isEmpty();
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
        assertThat(root("POST", "/_volute/v1/clean", " ".repeat(20_000)).status()).isEqualTo(400);
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
}
