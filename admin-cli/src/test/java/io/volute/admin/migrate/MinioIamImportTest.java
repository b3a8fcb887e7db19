package io.volute.admin.migrate;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.admin.FakeServer;
import io.volute.admin.FakeServer.Outcome;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Imports the identities of an export in the form that MinIO writes. */
class MinioIamImportTest {
    private static final String DONE = "{\"name\": \"done\"}";

    @RegisterExtension private final FakeServer server = new FakeServer();
    @TempDir private Path directory;
    private Path export;

    @BeforeEach
    void write() throws IOException {
        export = directory.resolve("export.zip");
        Map<String, String> files =
                Map.of(
                        "policies",
                        "{'readwrite': {'Statement': []}, 'photos': {'Statement': []}}",
                        "users",
                        "{'alice': {'secretKey': 'plainsecret1', 'status': 'enabled'},"
                                + " 'bob': {'secretKey': 'plainsecret2', 'status': 'disabled'}}",
                        "groups",
                        "{'devs': {'version': 1, 'status': 'enabled', 'members': ['alice']}}",
                        "svcaccts",
                        "{'SERVICE1': {'parent': 'alice', 'secretKey': 'plainsecret3'}}",
                        "user_mappings",
                        "{'bob': {'version': 0, 'policy': 'photos,readwrite'}}",
                        "group_mappings",
                        "{'devs': {'version': 0, 'policy': 'readwrite'}}");
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(export))) {
            for (Map.Entry<String, String> each : files.entrySet()) {
                zip.putNextEntry(new ZipEntry("iam-assets/" + each.getKey() + ".json"));
                zip.write(each.getValue().replace('\'', '"').getBytes(StandardCharsets.UTF_8));
            }
        }
        server.answer("GET policies", "{\"policies\": []}");
        server.answer("GET users", "{\"users\": []}");
        server.answer("PUT policies", DONE);
        server.answer("POST users", DONE);
        server.answer("POST groups", DONE);
        server.answer("POST groups/members", DONE);
        server.answer(
                "POST policies/attach",
                "{\"name\": \"x\", \"created\": \"2026-11-26T05:00:00Z\", \"groups\": [],"
                        + " \"keys\": [], \"policies\": [], \"inline\": {}}");
        server.answer("POST keys/state", "{\"accessKey\": \"K\", \"active\": false}");
        server.answer(
                "POST keys",
                "{\"user\": \"alice\", \"accessKey\": \"K1\", \"secretKey\": \"S1\"}",
                "{\"user\": \"alice\", \"accessKey\": \"K2\", \"secretKey\": \"S2\"}",
                "{\"user\": \"bob\", \"accessKey\": \"K3\", \"secretKey\": \"S3\"}");
    }

    private Outcome run() {
        server.answer("GET groups", "{\"groups\": []}");
        return server.run("import", "--minio-iam", export.toString());
    }

    @Test
    void allIsMadeWithNewKeys() {
        Outcome outcome = run();
        assertThat(outcome.code()).as(outcome.err()).isZero();
        assertThat(outcome.out()).contains("K1", "S1", "K2", "S2", "K3", "S3");
        assertThat(server.asked())
                .filteredOn(each -> !each.startsWith("GET"))
                .containsExactly(
                        "PUT policies{\"name\":\"photos\",\"document\":\"{\\\"Statement\\\":[]}\"}",
                        "POST users{\"name\":\"alice\"}",
                        "POST keys{\"user\":\"alice\"}",
                        "POST keys{\"user\":\"alice\"}",
                        "POST users{\"name\":\"bob\"}",
                        attached("photos", "user", "bob"),
                        attached("readwrite", "user", "bob"),
                        "POST keys{\"user\":\"bob\"}",
                        "POST keys/state{\"accessKey\":\"K3\",\"active\":false}",
                        "POST groups{\"name\":\"devs\"}",
                        "POST groups/members{\"group\":\"devs\",\"user\":\"alice\","
                                + "\"member\":true}",
                        attached("readwrite", "group", "devs"));
    }

    private static String attached(String policy, String kind, String name) {
        return "POST policies/attach{\"policy\":\""
                + policy
                + "\",\""
                + kind
                + "\":\""
                + name
                + "\",\"attached\":true}";
    }

    /** Its secrets stay where they are. */
    @Test
    void noSecretOfTheExportIsSent() {
        Outcome outcome = run();
        assertThat(outcome.out() + outcome.err() + server.asked()).doesNotContain("plainsecret");
    }

    /** A key was made, and nothing but the output has its secret. */
    @Test
    void newKeysAreShownAlsoWhenItFails() {
        // The server does not list its groups.
        Outcome outcome = server.run("import", "--minio-iam", export.toString());
        assertThat(outcome.code()).isEqualTo(1);
        assertThat(outcome.out()).contains("K1", "S1", "K2", "S2", "K3", "S3");
    }

    @Test
    void aFileThatIsNoExportIsRefused() throws IOException {
        Path other = directory.resolve("other.zip");
        Files.writeString(other, "no zip");
        Outcome outcome = server.run("import", "--minio-iam", other.toString());
        assertThat(outcome.code()).isEqualTo(1);
        assertThat(outcome.err()).contains("other.zip is no export of MinIO");
    }

    @Test
    void oneKindOfImportIsNeeded() {
        for (String[] wrong :
                new String[][] {
                    {"import"},
                    {"import", "--all", "--from", "s3://b"},
                    {"import", "--all", "--bucket", "b"},
                    {"import", "--all", "--minio-iam", export.toString()},
                    {"import", "--from", "s3:b", "--from-endpoint", "http://127.0.0.1:1"},
                    {"import", "--from", "s3://b"},
                    {"import", "--from", "s3://b", "--from-endpoint", "http://127.0.0.1:1/x"}
                }) {
            assertThat(server.run(wrong).code()).as(String.join(" ", wrong)).isEqualTo(2);
        }
    }
}
