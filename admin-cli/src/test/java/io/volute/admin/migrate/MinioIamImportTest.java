package io.volute.admin.migrate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.volute.admin.FakeServer;
import io.volute.admin.FakeServer.Outcome;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Imports the identities of an export in the form that MinIO writes. */
class MinioIamImportTest {
    private static final String USERS =
            "{\"users\": [%s]}"
                    .formatted(
                            Stream.of("alice", "bob")
                                    .map(
                                            name ->
                                                    "{\"name\": \""
                                                            + name
                                                            + "\", \"created\":"
                                                            + " \"2026-11-26T05:00:00Z\","
                                                            + " \"groups\": [], \"keys\": [],"
                                                            + " \"policies\": [],"
                                                            + " \"inline\": {}}")
                                    .collect(Collectors.joining(",")));
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
        write(files);
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

    private void write(Map<String, String> files) throws IOException {
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(export))) {
            for (Map.Entry<String, String> each : files.entrySet()) {
                zip.putNextEntry(new ZipEntry("iam-assets/" + each.getKey() + ".json"));
                zip.write(each.getValue().replace('\'', '"').getBytes(StandardCharsets.UTF_8));
            }
        }
    }

    private Outcome imported() {
        return server.run(
                "import",
                "--minio-iam",
                export.toString(),
                "--new-keys",
                directory.resolve("keys").toString());
    }

    private Outcome run() {
        server.answer("GET groups", "{\"groups\": []}");
        return imported();
    }

    private String keys() throws IOException {
        return Files.readString(directory.resolve("keys"));
    }

    @Test
    void allIsMadeWithNewKeys() throws IOException {
        Outcome outcome = run();
        assertThat(outcome.code()).as(outcome.err()).isZero();
        assertThat(outcome.out())
                .contains("3 pairs: " + directory.resolve("keys"))
                .doesNotContain("K1", "S1", "S2", "S3");
        assertThat(keys().lines())
                .containsExactly(
                        pair("alice", "alice", 1, true),
                        pair("alice", "SERVICE1", 2, true),
                        pair("bob", "bob", 3, false));
        assertThat(Files.getPosixFilePermissions(directory.resolve("keys")))
                .isEqualTo(PosixFilePermissions.fromString("rw-------"));
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

    private static String pair(String user, String old, int number, boolean isActive) {
        return "{'user':'%s','oldAccessKey':'%s','accessKey':'K%d','secretKey':'S%d','active':%s}"
                .replace('\'', '"')
                .formatted(user, old, number, number, isActive);
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

    /** A key was made, and nothing but the file has its secret. */
    @Test
    void newKeysAreKeptAlsoWhenItFails() throws IOException {
        // The server does not list its groups.
        Outcome outcome = imported();
        assertThat(outcome.code()).isEqualTo(1);
        assertThat(outcome.out()).contains("3 pairs: ");
        assertThat(keys()).contains("K1", "S1", "K2", "S2", "K3", "S3");
    }

    @Test
    void aFileOfKeysIsNotReplaced() throws IOException {
        Files.writeString(directory.resolve("keys"), "of a run before");
        Outcome outcome = run();
        assertThat(outcome.code()).isEqualTo(1);
        assertThat(outcome.err()).contains("exists and is not replaced");
        assertThat(keys()).isEqualTo("of a run before");
        assertThat(server.asked()).noneMatch(each -> each.startsWith("POST users"));
        // Without new users no file is needed. The answer before is given once more.
        server.answer("GET users", USERS);
        assertThat(run().code()).isEqualTo(1);
        assertThat(run().code()).isZero();
    }

    @Test
    void onlyStatementsAboutS3AreTaken() throws IOException {
        Map<String, String> files =
                new HashMap<>(
                        Map.of(
                                "users", "{}",
                                "groups", "{}",
                                "svcaccts", "{}",
                                "user_mappings", "{}",
                                "group_mappings", "{}"));
        files.put(
                "policies",
                "{'mixed': {'Version': '2012-10-17', 'Statement': ["
                        + "{'Effect': 'Allow', 'Action': ['admin:*']},"
                        + "{'Effect': 'Allow', 'Action': ['kms:*', 's3:GetObject'],"
                        + " 'Resource': ['arn:aws:s3:::b/*']},"
                        + "{'Effect': 'Allow', 'Action': '*', 'Resource': 'arn:aws:s3:::*'},"
                        + "{'Effect': 'Allow', 'NotAction': ['admin:*'], 'Resource': '*'},"
                        + "{'Effect': 'Deny', 'NotAction': ['admin:*', 's3:GetObject'],"
                        + " 'Resource': 'arn:aws:s3:::c/*'},"
                        + "{'Effect': 'Deny', 'Action': ['S3:Put*'],"
                        + " 'Resource': 'arn:aws:s3:::c/*'}]},"
                        + " 'operators': {'Statement': {'Effect': 'Allow',"
                        + " 'Action': ['admin:ServerInfo', 'kms:Status']}},"
                        + " 'plain': {'Statement': [{'Effect': 'Allow', 'Action': ['s3:*'],"
                        + " 'Resource': ['arn:aws:s3:::*']}]}}");
        write(files);
        Outcome outcome = run();
        assertThat(outcome.code()).isEqualTo(3);
        assertThat(outcome.out())
                .contains(
                        "policy mixed: left out statement 1: all of it (admin:*); statement 2:"
                                + " kms:*; statement 3: * (s3:* in place of *); statement 4: all of"
                                + " it (admin:*); statement 5: admin:*",
                        "policy operators is not about S3: statement 1: all of it"
                                + " (admin:ServerInfo, kms:Status)");
        assertThat(server.asked())
                .filteredOn(each -> each.startsWith("PUT policies"))
                .map(each -> each.replace("\\\"", "'"))
                .containsExactly(
                        "PUT policies{\"name\":\"mixed\",\"document\":\""
                                + "{'Version':'2012-10-17','Statement':["
                                + "{'Effect':'Allow','Action':['s3:GetObject'],"
                                + "'Resource':['arn:aws:s3:::b/*']},"
                                + "{'Effect':'Allow','Action':['s3:*'],"
                                + "'Resource':'arn:aws:s3:::*'},"
                                + "{'Effect':'Deny','NotAction':['s3:GetObject'],"
                                + "'Resource':'arn:aws:s3:::c/*'},"
                                + "{'Effect':'Deny','Action':['S3:Put*'],"
                                + "'Resource':'arn:aws:s3:::c/*'}]}\"}",
                        "PUT policies{\"name\":\"plain\",\"document\":\""
                                + "{'Statement':[{'Effect':'Allow','Action':['s3:*'],"
                                + "'Resource':['arn:aws:s3:::*']}]}\"}");
    }

    /** The directory of a ZIP file can name any size. */
    @Test
    void aFileThatUnpacksToMuchIsRefused() throws IOException {
        write(Map.of("policies", "{}" + " ".repeat(33 << 20)));
        Outcome outcome = run();
        assertThat(outcome.code()).isEqualTo(1);
        assertThat(outcome.err()).contains("policies.json", "more than 32 MiB");
    }

    @Test
    void aReportThatCannotBeWrittenEndsTheImport() throws IOException {
        assumeTrue(Files.exists(Path.of("/dev/full")), "a device that is always full");
        server.answer("GET groups", "{\"groups\": []}");
        write(
                Map.of(
                        "policies",
                        "{'photos': {'Statement': {'Effect': 'Allow', 'Action': 'admin:*'}}}",
                        "users",
                        "{}",
                        "groups",
                        "{}",
                        "svcaccts",
                        "{}",
                        "user_mappings",
                        "{}",
                        "group_mappings",
                        "{}"));
        Outcome outcome =
                server.run(
                        "import",
                        "--minio-iam",
                        export.toString(),
                        "--new-keys",
                        directory.resolve("keys").toString(),
                        "--report",
                        "/dev/full");
        assertThat(outcome.code()).isEqualTo(1);
        assertThat(outcome.err())
                .contains("cannot write the report", "No space left", "policy photos")
                .doesNotContain("Exception");
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
                    {"import", "--all", "--into", "b"},
                    {"import", "--all", "--minio-iam", export.toString()},
                    {"import", "--from", "s3:b", "--from-endpoint", "http://127.0.0.1:1"},
                    {"import", "--from", "s3://b"},
                    {"import", "--from", "s3://b", "--from-endpoint", "http://127.0.0.1:1/x"}
                }) {
            assertThat(server.run(wrong).code()).as(String.join(" ", wrong)).isEqualTo(2);
        }
    }
}
