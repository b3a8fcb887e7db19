package io.volute.server.auditlog;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.auditlog.AuditLogVerifier.Terms;
import io.volute.server.json.Json;
import io.volute.server.metrics.RunningServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The audit log of a whole server. */
@Timeout(120)
class AuditLogServerTest {
    private static final String VERSIONED =
            "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>";
    private static final String LOCKED =
            "<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled><Rule>"
                    + "<DefaultRetention><Mode>GOVERNANCE</Mode><Days>7</Days></DefaultRetention>"
                    + "</Rule></ObjectLockConfiguration>";

    private static final String POLICY =
            """
            {"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":"*",\
            "Action":"s3:GetObject","Resource":"arn:aws:s3:::photos/*"}]}\
            """;

    @TempDir private Path directory;

    private Path data() {
        return directory.resolve("data");
    }

    private List<Map<String, Object>> lines() throws IOException {
        List<Map<String, Object>> lines = new ArrayList<>();
        for (Path file : AuditLogVerifier.files(data().resolve("audit"))) {
            for (String line : Files.readAllLines(file)) {
                lines.add(Json.read(line.getBytes(StandardCharsets.UTF_8)));
            }
        }
        return lines;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String id(HttpResponse<String> answer) {
        return answer.headers().firstValue("x-amz-request-id").orElseThrow();
    }

    private List<Map<String, Object>> of(HttpResponse<String> answer) throws IOException {
        return lines().stream().filter(line -> line.get("requestId").equals(id(answer))).toList();
    }

    private static String unsigned(RunningServer server, String path) throws Exception {
        int port = server.server().address().getPort();
        HttpRequest request =
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                        .header(
                                "authorization",
                                "AWS4-HMAC-SHA256 Credential=NOBODY/20260301/us-east-1/s3/"
                                        + "aws4_request,SignedHeaders=host;x-amz-date,Signature="
                                        + "00".repeat(32))
                        .header("x-amz-date", "20260301T120000Z")
                        .header("x-amz-content-sha256", "UNSIGNED-PAYLOAD")
                        .POST(BodyPublishers.ofString("{}"))
                        .build();
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(request, BodyHandlers.ofString()).body();
        }
    }

    @Test
    void whoDidWhatIsThereAndNoSecretIs() throws Exception {
        HttpResponse<String> user;
        HttpResponse<String> key;
        HttpResponse<String> missing;
        HttpResponse<String> bucket;
        HttpResponse<String> policy;
        HttpResponse<String> lock;
        HttpResponse<String> export;
        try (RunningServer server = new RunningServer(data(), Map.of())) {
            user = server.exchange("POST", "/_volute/v1/users", bytes("{\"name\":\"ann\"}"));
            key = server.exchange("POST", "/_volute/v1/keys", bytes("{\"user\":\"ann\"}"));
            missing = server.exchange("POST", "/_volute/v1/keys", bytes("{\"user\":\"bob\"}"));
            bucket = server.exchange("PUT", "/photos", new byte[0]);
            policy = server.exchange("PUT", "/photos?policy=", bytes(POLICY));
            assertThat(server.send("PUT", "/photos/a", bytes("content-canary"))).isEqualTo(200);
            assertThat(server.send("PUT", "/photos?versioning=", bytes(VERSIONED))).isEqualTo(200);
            lock = server.exchange("PUT", "/photos?object-lock=", bytes(LOCKED));
            export = server.exchange("GET", "/_volute/v1/provenance/export", new byte[0]);
            assertThat(server.send("GET", "/_volute/v1/space", new byte[0])).isEqualTo(200);
            for (int i = 0; i < 5; i++) {
                assertThat(unsigned(server, "/_volute/v1/users")).contains("RequestTimeTooSkewed");
            }
        }
        assertThat(of(user))
                .extracting(line -> line.get("outcome"))
                .containsExactly("begun", "done");
        assertThat(of(user).get(0))
                .containsEntry("event", "Request")
                .containsEntry("user", "root")
                .containsEntry("accessKey", RunningServer.KEY)
                .containsEntry("remoteAddress", "127.0.0.1")
                .containsEntry("operation", "AdminCreateUser")
                .containsEntry("details", Map.of("name", "ann"));
        String secret = String.valueOf(Json.read(bytes(key.body())).get("secretKey"));
        assertThat(of(key).get(1))
                .containsEntry(
                        "details",
                        Map.of("accessKey", Json.read(bytes(key.body())).get("accessKey")));
        assertThat(of(missing).get(1))
                .containsEntry("outcome", "failed")
                .containsEntry("code", "NoSuchEntity");
        assertThat(of(bucket).get(0))
                .containsEntry("operation", "CreateBucket")
                .containsEntry("bucket", "photos");
        assertThat(of(policy).get(1)).containsEntry("outcome", "done");
        assertThat(String.valueOf(of(policy).get(1).get("details")))
                .contains("s3:GetObject")
                .contains("versioning=unversioned");
        assertThat(String.valueOf(of(lock).get(1).get("details")))
                .contains("versioning=enabled", "objectLock=governance 7 days");
        assertThat(of(export)).hasSize(1);
        List<Map<String, Object>> all = lines();
        assertThat(all).extracting(line -> line.get("operation")).doesNotContain("AdminSpace");
        assertThat(all.get(0)).containsEntry("event", "ServerStarted");
        assertThat(all).extracting(line -> line.get("event")).contains("ServerStopped", "Sealed");
        assertThat(all)
                .filteredOn(line -> line.get("event").equals("Refusals"))
                .extracting(line -> String.valueOf(line.get("details")))
                .singleElement()
                .asString()
                .contains("count=5, code=RequestTimeTooSkewed, remoteAddress=127.0.0.1");
        List<Path> files = AuditLogVerifier.files(data().resolve("audit"));
        assertThat(files).hasSize(1);
        assertThat(Files.readString(files.get(0)))
                .doesNotContain(secret)
                .doesNotContain(RunningServer.SECRET)
                .doesNotContain("content-canary");
        AuditLogReport report =
                new AuditLogVerifier(new Terms(Optional.empty(), true, Map.of())).verify(files);
        assertThat(report.findings().list()).isEmpty();
        assertThat(report.seals()).isPositive();
    }

    @Test
    @Tag("slow")
    void whatCannotBeWrittenDownIsNotDone() throws Exception {
        Path audit = data().resolve("audit");
        try (RunningServer server =
                new RunningServer(data(), Map.of("log.audit-file-size", "64 KiB"))) {
            // Its directory becomes a file, and the file of the log is over soon.
            for (Path file : AuditLogVerifier.files(audit)) {
                Files.delete(file);
            }
            Files.delete(audit);
            Files.writeString(audit, "in the way");
            HttpResponse<String> refused = null;
            for (int i = 0; i < 200 && (refused == null || refused.statusCode() == 200); i++) {
                refused =
                        server.exchange(
                                "POST",
                                "/_volute/v1/users",
                                bytes("{\"name\":\"user-" + i + "\"}"));
            }
            assertThat(refused.statusCode()).isEqualTo(503);
            assertThat(refused.body()).contains("AuditLogUnavailable", "log.audit-directory");
            String users = server.exchange("GET", "/_volute/v1/users", new byte[0]).body();
            assertThat(server.exchange("PUT", "/photos", new byte[0]).body())
                    .contains("ServiceUnavailable");
            assertThat(
                            server.exchange(
                                    "POST", "/_volute/v1/clean", bytes("{\"level\":\"compact\"}")))
                    .extracting(HttpResponse::statusCode)
                    .isEqualTo(200);
            Files.delete(audit);
            assertThat(server.send("PUT", "/photos", new byte[0])).isEqualTo(200);
            assertThat(server.exchange("GET", "/_volute/v1/users", new byte[0]).body())
                    .isEqualTo(users);
        }
        assertThat(lines().toString()).contains("lostBefore=");
    }

    @Test
    void withoutTheSettingThereIsNone() throws Exception {
        try (RunningServer server = new RunningServer(data(), Map.of("log.audit", "false"))) {
            assertThat(server.send("PUT", "/photos", new byte[0])).isEqualTo(200);
        }
        assertThat(data().resolve("audit")).doesNotExist();
    }
}
