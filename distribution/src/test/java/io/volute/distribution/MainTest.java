package io.volute.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.admin.VoluteCommand;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine.Command;

/** Tests the messages of the command when it fails. */
class MainTest {
    @TempDir private Path directory;

    private record Outcome(int code, String text) {}

    private static Outcome run(String... arguments) {
        PrintStream before = System.err;
        ByteArrayOutputStream captured = new ByteArrayOutputStream();
        System.setErr(new PrintStream(captured, true, StandardCharsets.UTF_8));
        try {
            int code = Main.run(arguments);
            return new Outcome(code, captured.toString(StandardCharsets.UTF_8));
        } finally {
            System.setErr(before);
        }
    }

    @Test
    void theLauncherKnowsAllCommands() throws IOException {
        Path launcher =
                Stream.iterate(Path.of("").toAbsolutePath(), Path::getParent)
                        .takeWhile(each -> each != null)
                        .map(each -> each.resolve("volute"))
                        .filter(Files::isRegularFile)
                        .findFirst()
                        .orElseThrow();
        String script = Files.readString(launcher);
        for (Class<?> command : Main.COMMANDS) {
            String name = command.getAnnotation(Command.class).name();
            assertThat(script).as(name).containsPattern("[ |]" + name + "( \\||\\))");
            assertThat(script).as("usage of " + name).containsPattern("(?m)^  " + name + "\\b");
        }
    }

    @Test
    void printsTheUsageWithoutAKnownCommand() {
        assertThat(run().code()).isEqualTo(2);
        assertThat(run().text()).contains("Usage: volute").contains("server");
        Outcome unknown = run("serve", "--data", "x");
        assertThat(unknown.code()).isEqualTo(2);
        assertThat(unknown.text())
                .isEqualTo(
                        "volute: unknown command: serve. Did you mean server or user or version?"
                                + " 'volute help' lists the commands.\n");
        assertThat(run("server", "--dta", "x").code()).isEqualTo(2);
        assertThat(run("server", "--data").text()).contains("--data");
    }

    @Test
    @Tag("slow")
    void helpAndVersionAreFoundWhereUsersLook() {
        for (String[] asked : new String[][] {{"help", "restore"}, {"restore", "--help"}}) {
            StringWriter out = new StringWriter();
            assertThat(
                            VoluteCommand.run(
                                    Main.context(),
                                    Main.COMMANDS,
                                    new PrintWriter(out),
                                    new PrintWriter(new StringWriter()),
                                    asked))
                    .isZero();
            assertThat(out.toString()).contains("Usage: volute restore");
        }
        assertThat(run("--version").code()).isZero();
        assertThat(run("help").code()).isZero();
        assertThat(run("--help").code()).isZero();
    }

    @Test
    void namesAnUnknownKey() throws IOException {
        Path file = Files.writeString(directory.resolve("volute.conf"), "log.segment-sizze = 1M");
        Outcome outcome = run("server", "--config", file.toString());
        assertThat(outcome.code()).isEqualTo(1);
        assertThat(outcome.text())
                .contains("cannot start")
                .contains("did you mean log.segment-size?")
                .doesNotContain("\tat ");
    }

    @Test
    void namesAnUnusableAddress() {
        Outcome outcome = run("server", "--listen", "nowhere");
        assertThat(outcome.code()).isEqualTo(1);
        assertThat(outcome.text()).contains("server.listen").contains("HOST:PORT");
    }

    @Test
    void namesADataDirectoryThatIsAFile() throws IOException {
        Path file = Files.writeString(directory.resolve("data"), "precious");
        Outcome outcome = run("server", "--data", file.toString(), "--listen", "127.0.0.1:0");
        assertThat(outcome.code()).isEqualTo(1);
        assertThat(outcome.text())
                .contains(file.toString())
                .contains("--data DIR")
                .doesNotContain("\tat ");
        assertThat(file).hasContent("precious");
    }

    @Test
    @Tag("slow")
    void healthIsWhatTheServerSays() throws Exception {
        assertThat(healthWhenAnswered("HTTP/1.1 200 OK\r\n\r\n").code()).isZero();
        assertThat(healthWhenAnswered("HTTP/1.1 503 Service Unavailable\r\n\r\n").code())
                .isEqualTo(1);
        assertThat(healthWhenAnswered("").code()).isEqualTo(1);
        assertThat(run("health", "--endpoint", "127.0.0.1:9000").code()).isEqualTo(2);
        assertThat(run("health", "--endpoint", "http://127.0.0.1:70000").code()).isEqualTo(2);
    }

    /** A health check in a container has a heap that they do not fit into. */
    @Test
    void plainHttpReadsNoAuthorities() throws Exception {
        try (HttpClient client = Main.context().http(URI.create("http://127.0.0.1:1")).build()) {
            assertThat(client.sslContext()).isNotSameAs(SSLContext.getDefault());
        }
    }

    private static Outcome healthWhenAnswered(String answer) throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread answering =
                    Thread.ofVirtual()
                            .start(
                                    () -> {
                                        try (Socket socket = server.accept()) {
                                            socket.getInputStream().read(new byte[4096]);
                                            socket.getOutputStream()
                                                    .write(answer.getBytes(StandardCharsets.UTF_8));
                                        } catch (IOException e) {
                                            throw new UncheckedIOException(e);
                                        }
                                    });
            StringWriter err = new StringWriter();
            PrintWriter printer = new PrintWriter(err);
            int code =
                    Main.run(
                            Main.context()
                                    .with(
                                            Map.of(
                                                    "VOLUTE_ENDPOINT",
                                                    "http://127.0.0.1:" + server.getLocalPort())),
                            printer,
                            printer,
                            "health");
            answering.join();
            return new Outcome(code, err.toString());
        }
    }
}
