package io.volute.server;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.server.config.ConfigException;
import io.volute.server.config.ConfigSource;
import io.volute.server.config.ServerConfig;
import io.volute.server.credentials.RootCredentials;
import io.volute.server.startup.Server;
import io.volute.server.startup.StartFailure;
import io.volute.storage.io.OsFileSystem;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the whole server in this process: its answers, its files, its refusals. */
class ServerTest {
    private static final Map<String, String> ROOT =
            Map.of("VOLUTE_ACCESS_KEY", "admin", "VOLUTE_SECRET_KEY", "correct-horse");

    @TempDir private Path directory;

    private ServerConfig config(Path data, int port) throws ConfigException {
        return ConfigSource.read(
                Optional.empty(),
                Map.of("VOLUTE_LOG_SEGMENT_SIZE", "1 MiB"),
                Map.of("data.directory", data.toString(), "server.listen", "127.0.0.1:" + port));
    }

    /** A restored copy: an old lifecycle rule or retention would change it while it is read. */
    @Test
    void aCopyForReadingHasNoTasksThatChangeIt() throws Exception {
        String[] tasks = {
            "lifecycle", "history-upkeep", "access-logs", "replicate-local", "replicate-existing"
        };
        try (Server server = Server.start(config(directory, 0), ROOT)) {
            assertThat(threads()).contains(tasks);
        }
        try (Server server = Server.startForReading(config(directory, 0), ROOT)) {
            assertThat(threads()).doesNotContain(tasks);
        }
    }

    private static Set<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .map(name -> name.replaceAll(" .*", ""))
                .collect(toSet());
    }

    @Test
    @Tag("slow")
    void showsASecretThatItMadeUntilItsFirstUse() throws Exception {
        String secret;
        try (Server server = Server.start(config(directory, 0), Map.of())) {
            String greeting = String.join("\n", server.greeting());
            assertThat(greeting)
                    .contains("ready on http://127.0.0.1:" + server.address().getPort())
                    .contains("aws --endpoint-url http://127.0.0.1:");
            secret = greeting.replaceAll("(?s).*secret key  (\\S+).*", "$1");
            assertThat(secret).hasSize(40);
        }
        try (Server server = Server.start(config(directory, 0), Map.of())) {
            assertThat(String.join("\n", server.greeting())).contains(secret);
        }
        // As a first signed request does.
        RootCredentials.find(Map.of(), new OsFileSystem(), directory, new Random(1))
                .firstUse()
                .record();
        try (Server server = Server.start(config(directory, 0), Map.of())) {
            assertThat(String.join("\n", server.greeting())).doesNotContain(secret);
        }
        try (Server server = Server.start(config(directory, 0), ROOT)) {
            assertThat(String.join("\n", server.greeting()))
                    .contains("admin")
                    .doesNotContain("correct-horse", "attention");
        }
        // Without the variables the root has another key; that is not to be overlooked.
        try (Server server = Server.start(config(directory, 0), Map.of())) {
            assertThat(String.join("\n", server.greeting()))
                    .contains("attention   root key admin of earlier starts does not work now");
        }
    }

    private static HttpResponse<String> get(InetSocketAddress address, String path)
            throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + address.getPort() + path);
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(
                    HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
        }
    }

    /** Whoever waits for readiness finds all listeners, and the message was there before. */
    @Test
    void isReadyWhenEverythingIsOpen() throws Exception {
        ServerConfig all =
                ConfigSource.read(
                        Optional.empty(),
                        Map.of("VOLUTE_LOG_SEGMENT_SIZE", "1 MiB"),
                        Map.of(
                                "data.directory", directory.toString(),
                                "server.listen", "127.0.0.1:0",
                                "metrics.listen", "127.0.0.1:0"));
        List<Integer> before = new ArrayList<>();
        try (Server server =
                Server.start(
                        all,
                        ROOT,
                        greeting -> {
                            String text = String.join("\n", greeting);
                            before.add(
                                    status(
                                            text,
                                            "(?s).*ready on (http://[0-9.:]+).*",
                                            "/health/ready"));
                            before.add(
                                    status(text, "(?s).*metrics +(http://[0-9.:]+).*", "/metrics"));
                        })) {
            assertThat(before).containsExactly(503, 200);
            assertThat(get(server.address(), "/health/ready").statusCode()).isEqualTo(200);
        }
    }

    private static int status(String greeting, String address, String path) {
        URI uri = URI.create(greeting.replaceAll(address, "$1") + path);
        try {
            return get(new InetSocketAddress("127.0.0.1", uri.getPort()), path).statusCode();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void theAdminApiIsWhereItIsPut() throws Exception {
        ServerConfig apart =
                ConfigSource.read(
                        Optional.empty(),
                        Map.of("VOLUTE_LOG_SEGMENT_SIZE", "1 MiB"),
                        Map.of(
                                "data.directory", directory.toString(),
                                "server.listen", "127.0.0.1:0",
                                "admin.address", "127.0.0.1:0"));
        try (Server server = Server.start(apart, ROOT)) {
            InetSocketAddress admin = server.adminAddress().orElseThrow();
            assertThat(String.join("\n", server.greeting()))
                    .contains("admin API   http://127.0.0.1:" + admin.getPort());
            String space = "/_volute/v1/space";
            // JSON comes from the admin API, XML from S3.
            assertThat(get(admin, space).body()).startsWith("{").contains("AccessDenied");
            assertThat(get(server.address(), space).body()).startsWith("<?xml");
            assertThat(get(admin, "/bucket").statusCode()).isEqualTo(404);
            assertThat(get(admin, "/bucket").body()).contains("server.listen");
            assertThat(get(admin, "/health/ready").statusCode()).isEqualTo(200);
            assertThat(server.stop()).isTrue();
        }
        try (Server server = Server.start(config(directory, 0), ROOT)) {
            assertThat(server.adminAddress()).isEmpty();
            assertThat(get(server.address(), "/_volute/v1/space").body()).startsWith("{");
        }
    }

    @Test
    void refusesASecondServerOnTheDirectory() throws Exception {
        try (Server first = Server.start(config(directory, 0), ROOT)) {
            assertThatThrownBy(() -> Server.start(config(directory, 0), ROOT))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(directory.toString())
                    .hasMessageContaining("--data");
            assertThat(first.stop()).isTrue();
        }
    }

    /** A start that fails leaves nothing open: the next one works. */
    @Test
    @Tag("slow")
    void aTakenPortLeavesTheDirectoryFree() throws Exception {
        try (ServerSocket taken = new ServerSocket()) {
            taken.bind(new InetSocketAddress("127.0.0.1", 0));
            assertThatThrownBy(() -> Server.start(config(directory, taken.getLocalPort()), ROOT))
                    .hasMessageContaining(Integer.toString(taken.getLocalPort()))
                    .hasMessageContaining("--listen");
        }
        try (Server server = Server.start(config(directory, 0), ROOT)) {
            assertThat(server.stop()).isTrue();
        }
    }

    @Test
    @Tag("slow")
    void leavesADirectoryOfANewerFormatAlone() throws Exception {
        Server.start(config(directory, 0), ROOT).close();
        Path mark = directory.resolve("volute.mark");
        String sound = Files.readString(mark);
        String newer =
                sound.substring(0, sound.indexOf("crc32c ")).replace("format 1", "format 999");
        assertThat(newer).contains("999");
        CRC32C checksum = new CRC32C();
        checksum.update(newer.getBytes(StandardCharsets.UTF_8));
        Files.writeString(mark, newer + String.format("crc32c %08x%n", checksum.getValue()));
        assertThatThrownBy(() -> Server.start(config(directory, 0), ROOT))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("volute.mark");
        Files.writeString(mark, sound);
        Server.start(config(directory, 0), ROOT).close();
    }

    /** The message uses user ids, because a container may have no names for both users. */
    @Test
    void namesTheOwnerOfADirectoryThatIsNotOurs() throws IOException {
        Object uid = Files.getAttribute(directory, "unix:uid");
        IOException told =
                new IOException(
                        "cannot write",
                        new AccessDeniedException(directory.resolve("LOCK").toString()));
        assertThat(StartFailure.explain(told, directory))
                .hasMessageContaining("permission denied: " + directory.resolve("LOCK"))
                .hasMessageContaining("runs as uid " + uid)
                .hasMessageContaining(directory + " belongs to uid " + uid)
                .hasMessageContaining("run: chown -R " + uid + " " + directory);
        Path key = directory.resolve("elsewhere/key");
        assertThat(
                        StartFailure.explain(
                                new AccessDeniedException(key.toString()),
                                directory.resolve("data")))
                .hasMessageContaining("give this user access to " + directory);
    }

    @Test
    void saysWhatToDoAboutTheDisk() {
        Path data = Path.of("/data");
        assertThat(StartFailure.explain(new AccessDeniedException("/data/LOCK"), data))
                .hasMessageContaining("/data/LOCK")
                .hasMessageContaining("--data DIR");
        assertThat(
                        StartFailure.explain(
                                new FileSystemException("/data/x", null, "Read-only file system"),
                                data))
                .hasMessageContaining("cannot be written");
        assertThat(StartFailure.explain(new IOException("No space left on device"), data))
                .hasMessageContaining("full disk")
                .hasMessageContaining("nothing is lost");
        IOException own = new IOException("another server uses this directory");
        assertThat(StartFailure.explain(own, data)).isSameAs(own);
    }
}
