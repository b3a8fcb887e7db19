package io.volute.system.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.volute.system.Clients;
import io.volute.system.ExternalClient;
import io.volute.system.ServerProcess;
import io.volute.system.TemporaryStore;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;

/** Tests that each error at the start names a remedy, and that no stored data is lost by it. */
class StartUpIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private static String refuses(ServerProcess.Options options) {
        try (ServerProcess server = ServerProcess.launch(options)) {
            int code = server.awaitExit(LIMIT);
            assertThat(code).as(server.log()).isNotZero();
            assertThat(server.log()).as("no stack trace for a mistake").doesNotContain("\tat ");
            return server.log();
        }
    }

    private static void putOne(ServerProcess server) {
        try (S3Client s3 = Clients.sync(server.endpoint())) {
            s3.createBucket(create -> create.bucket("bucket"));
            s3.putObject(
                    put -> put.bucket("bucket").key("key"), RequestBody.fromString("still here"));
        }
    }

    private static void assertStillThere(ServerProcess server) {
        try (S3Client s3 = Clients.sync(server.endpoint())) {
            assertThat(s3.getObjectAsBytes(get -> get.bucket("bucket").key("key")).asUtf8String())
                    .isEqualTo("still here");
        }
    }

    @Test
    void stopsCleanlyOnSigtermAndStartsAgain() {
        try (TemporaryStore directory = TemporaryStore.create("term")) {
            ServerProcess.Options options = ServerProcess.Options.of(directory.data());
            try (ServerProcess server = ServerProcess.start(options)) {
                assertThat(server.health("/health/live")).isEqualTo(200);
                putOne(server);
                assertThat(server.stop()).as(server.log()).isZero();
            }
            try (ServerProcess server = ServerProcess.start(options)) {
                assertStillThere(server);
                assertThat(server.log()).doesNotContain(ServerProcess.SECRET_KEY);
            }
        }
    }

    @Test
    void onlyItsOwnerReadsAStore() throws IOException {
        try (TemporaryStore directory = TemporaryStore.create("modes")) {
            ServerProcess.Options options = ServerProcess.Options.of(directory.data());
            try (ServerProcess server = ServerProcess.start(options)) {
                assertThat(mode(directory.data())).isEqualTo("rwx------");
                assertThat(server.log()).doesNotContain("chmod");
                assertThat(server.stop()).isZero();
            }
            // As an earlier version made it.
            Files.setPosixFilePermissions(
                    directory.data(), PosixFilePermissions.fromString("rwxr-xr-x"));
            try (ServerProcess server = ServerProcess.start(options)) {
                assertThat(server.log()).contains("chmod -R go= " + directory.data());
            }
        }
    }

    private static String mode(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }

    @Test
    void aPortThatIsTakenIsNamed() throws IOException {
        try (TemporaryStore directory = TemporaryStore.create("port");
                ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            int port = taken.getLocalPort();
            String log = refuses(ServerProcess.Options.of(directory.data()).withPort(port));
            assertThat(log).contains(Integer.toString(port)).contains("--listen");
            assertThat(directory.data()).as("nothing is made for nothing").doesNotExist();
        }
    }

    /** Returns the commands that a start prints, from "Try it" to the end of its output. */
    private static String commands(String log) {
        return log.lines()
                .dropWhile(line -> !line.startsWith("Try it"))
                .skip(1)
                .takeWhile(line -> line.startsWith("  "))
                .collect(Collectors.joining("\n"));
    }

    @Test
    void thePrintedLinesWorkAndTheSecretIsShownUntilItsFirstUse() throws IOException {
        try (TemporaryStore directory = TemporaryStore.create("first")) {
            ServerProcess.Options options =
                    ServerProcess.Options.of(directory.data())
                            .withEnvironment(
                                    Map.of("VOLUTE_ACCESS_KEY", "", "VOLUTE_SECRET_KEY", ""));
            ExternalClient.orSkip(directory.path(), List.of("aws"), "--version");
            ExternalClient shell =
                    ExternalClient.orSkip(directory.path(), List.of("sh", "-ec"), ":");
            String unused;
            try (ServerProcess server = ServerProcess.start(options)) {
                assertThat(server.stop()).as(server.log()).isZero();
                unused = commands(server.log());
            }
            assertThat(unused).contains("AWS_SECRET_ACCESS_KEY=");
            String secret =
                    unused.replaceAll("(?s).*AWS_SECRET_ACCESS_KEY=([A-Za-z0-9]+) .*", "$1");
            try (ServerProcess server = ServerProcess.start(options)) {
                assertThat(shell.run(unused).orFail()).contains("hello");
                assertThat(server.stop()).as(server.log()).isZero();
                assertThat(commands(server.log())).isEqualTo(unused);
            }
            try (ServerProcess server = ServerProcess.start(options)) {
                assertThat(server.stop()).as(server.log()).isZero();
                assertThat(server.log()).doesNotContain(secret).contains("root.credential");
            }
        }
    }

    @Test
    void aSecondServerOnTheDirectoryLeavesTheFirstAlone() {
        try (TemporaryStore directory = TemporaryStore.create("second");
                ServerProcess first = ServerProcess.start(directory)) {
            putOne(first);
            String log = refuses(ServerProcess.Options.of(directory.data()));
            assertThat(log).contains(directory.data().toString());
            assertStillThere(first);
        }
    }

    @Test
    void aDirectoryThatIsAFileIsRefused() throws IOException {
        try (TemporaryStore directory = TemporaryStore.create("file")) {
            Files.writeString(directory.data(), "precious");
            String log = refuses(ServerProcess.Options.of(directory.data()));
            assertThat(log).contains(directory.data().toString());
            assertThat(directory.data()).hasContent("precious");
        }
    }

    @Test
    void aReadOnlyDirectoryIsRefused() throws IOException, InterruptedException {
        try (TemporaryStore directory = TemporaryStore.create("readonly")) {
            Files.createDirectory(directory.data());
            assumeThat(run("chattr", "+i", directory.data().toString()))
                    .as("chattr +i works here (root and a file system that knows it)")
                    .isZero();
            try {
                String log = refuses(ServerProcess.Options.of(directory.data()));
                assertThat(log).contains(directory.data().toString());
            } finally {
                assertThat(run("chattr", "-i", directory.data().toString())).isZero();
            }
        }
    }

    private static int run(String... command) throws IOException, InterruptedException {
        try {
            return new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
        } catch (IOException e) {
            return 127;
        }
    }

    @Test
    void anUnknownConfigurationKeyIsNamed() throws IOException {
        try (TemporaryStore directory = TemporaryStore.create("config")) {
            Path file = directory.path().resolve("volute.conf");
            Files.writeString(file, "log.segment-sizze = 1MiB\n");
            String log =
                    refuses(
                            ServerProcess.Options.of(directory.data())
                                    .withArguments("--config", file.toString()));
            assertThat(log).contains("log.segment-sizze");
        }
    }

    @Test
    void aMissingConfigurationFileIsNamed() {
        try (TemporaryStore directory = TemporaryStore.create("noconfig")) {
            String file = directory.path().resolve("nowhere.conf").toString();
            String log =
                    refuses(
                            ServerProcess.Options.of(directory.data())
                                    .withArguments("--config", file));
            assertThat(log).contains("nowhere.conf");
        }
    }

    @Test
    void halfACredentialIsRefused() {
        try (TemporaryStore directory = TemporaryStore.create("credentials")) {
            String log =
                    refuses(
                            ServerProcess.Options.of(directory.data())
                                    .withEnvironment(Map.of("VOLUTE_SECRET_KEY", "")));
            assertThat(log).contains("VOLUTE_SECRET_KEY");
        }
    }

    @Test
    void aNewerFormatIsLeftAsItIs() throws IOException {
        try (TemporaryStore directory = TemporaryStore.create("format")) {
            ServerProcess.Options options = ServerProcess.Options.of(directory.data());
            try (ServerProcess server = ServerProcess.start(options)) {
                putOne(server);
                assertThat(server.stop()).isZero();
            }
            List<Path> marks;
            try (Stream<Path> all = Files.walk(directory.data())) {
                Set<String> names = Set.of("volute.mark", "cube.mark");
                marks = all.filter(file -> names.contains(file.getFileName().toString())).toList();
            }
            assertThat(marks).as("marks of the store and of its cube").hasSize(2);
            for (Path mark : marks) {
                byte[] before = Files.readAllBytes(mark);
                Files.write(mark, ofFormat999(before));
                String log = refuses(options);
                assertThat(log).contains(mark.toString()).contains("999");
                assertThat(mark).hasBinaryContent(ofFormat999(before));
                Files.write(mark, before);
            }
            try (ServerProcess server = ServerProcess.start(options)) {
                assertStillThere(server);
            }
        }
    }

    /** The mark with another format and the checksum that belongs to it (docs/format/log.md). */
    private static byte[] ofFormat999(byte[] mark) {
        String lines =
                new String(mark, StandardCharsets.UTF_8)
                        .replaceAll("format [0-9]+", "format 999")
                        .replaceAll("(?s)crc32c .*", "");
        CRC32C crc = new CRC32C();
        crc.update(lines.getBytes(StandardCharsets.UTF_8));
        return (lines + "crc32c %08x\n".formatted(crc.getValue())).getBytes(StandardCharsets.UTF_8);
    }
}
