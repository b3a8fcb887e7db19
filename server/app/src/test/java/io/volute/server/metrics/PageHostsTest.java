package io.volute.server.metrics;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Asks the listener of metrics for hosts, as a browser does for the name in its address line. */
@Tag("slow")
class PageHostsTest {
    private static final List<String> SERVED =
            List.of(
                    "127.0.0.1",
                    "127.0.0.1:9464",
                    "192.0.2.255:80",
                    "[::1]",
                    "[::1]:9464",
                    "[::ffff:192.0.2.1]:9464",
                    "localhost",
                    "LOCALHOST:9464",
                    "store1.example.org",
                    "Store1.Example.org:9464");

    private static final List<String> REFUSED =
            List.of(
                    ":9464",
                    "evil.example",
                    "evil.example:9464",
                    "evil.example.",
                    "localhost.evil.example",
                    "evil.localhost",
                    "127.0.0.1.evil.example",
                    "evil.example:80:80",
                    "store1.example.org.evil.example",
                    "evil.store1.example.org",
                    "256.0.0.1",
                    "1.2.3",
                    "[evil.example]",
                    "[]",
                    "::1");

    @TempDir private Path directory;

    private static int ask(RunningServer server, String path, String version, String headers)
            throws Exception {
        int port = server.server().metricsAddress().orElseThrow().getPort();
        try (Socket socket = new Socket("127.0.0.1", port)) {
            String request = "GET " + path + " " + version + "\r\n" + headers + "\r\n";
            socket.getOutputStream().write(request.getBytes(ISO_8859_1));
            String answer = new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
            int status = Integer.parseInt(answer.substring(9, 12));
            assertThat(answer.contains("volute_") || answer.contains("<html"))
                    .as(answer)
                    .isEqualTo(status == 200);
            if (status == 421) {
                assertThat(answer).contains("metrics.hosts");
            }
            return status;
        }
    }

    private static int ask(RunningServer server, String path, String host) throws Exception {
        return ask(server, path, "HTTP/1.1", "Host: " + host + "\r\nConnection: close\r\n");
    }

    @Test
    void aNameOfAnotherSiteReadsNothing() throws Exception {
        Map<String, String> settings = Map.of("metrics.hosts", "store1.example.org, store2");
        try (RunningServer server = new RunningServer(directory, settings)) {
            for (String path : List.of("/", "/metrics")) {
                Map<String, Integer> statuses = new HashMap<>();
                Map<String, Integer> expected = new HashMap<>();
                for (String host : SERVED) {
                    expected.put(host, 200);
                    statuses.put(host, ask(server, path, host));
                }
                for (String host : REFUSED) {
                    expected.put(host, 421);
                    statuses.put(host, ask(server, path, host));
                }
                assertThat(statuses).as(path).isEqualTo(expected);
            }
            // The absolute form must agree with the header, so it cannot stand in for it.
            assertThat(ask(server, "http://localhost/metrics", "evil.example")).isEqualTo(400);
            assertThat(ask(server, "http://evil.example/metrics", "evil.example")).isEqualTo(421);
            assertThat(ask(server, "/metrics", "")).isEqualTo(400);
            assertThat(ask(server, "/metrics", "127.0.0.1@evil.example")).isEqualTo(400);
            // No browser sends HTTP/1.0 without a host.
            assertThat(ask(server, "/metrics", "HTTP/1.0", "")).isEqualTo(200);
        }
    }

    /** A browser may keep the token of a name that now points elsewhere. */
    @Test
    void aTokenDoesNotStandInForTheName() throws Exception {
        Path token = Files.writeString(directory.resolve("token"), "correct-horse-battery");
        Map<String, String> settings = Map.of("metrics.token-file", token.toString());
        try (RunningServer server = new RunningServer(directory.resolve("data"), settings)) {
            String bearer = "Authorization: Bearer correct-horse-battery\r\nConnection: close\r\n";
            assertThat(ask(server, "/metrics", "HTTP/1.1", "Host: localhost\r\n" + bearer))
                    .isEqualTo(200);
            assertThat(ask(server, "/metrics", "HTTP/1.1", "Host: evil.example\r\n" + bearer))
                    .isEqualTo(421);
        }
    }

    /** The host of the configured address is one of its names. */
    @Test
    void theNameOfTheAddressIsServed() throws Exception {
        Map<String, String> settings = Map.of("metrics.listen", "localhost:0");
        try (RunningServer server = new RunningServer(directory, settings)) {
            assertThat(ask(server, "/metrics", "localhost")).isEqualTo(200);
        }
    }
}
