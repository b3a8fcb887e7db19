package io.volute.server.accesslog;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.json.Json;
import io.volute.server.metrics.RunningServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The access log of a whole server. */
@Timeout(120)
@Tag("slow")
class AccessLogServerTest {
    @TempDir private Path directory;

    private static String id(HttpResponse<String> answer) {
        return answer.headers().firstValue("x-amz-request-id").orElseThrow();
    }

    private static Map<String, Map<String, Object>> byId(Path file) throws IOException {
        Map<String, Map<String, Object>> lines = new TreeMap<>();
        for (String line : Files.readAllLines(file)) {
            Map<String, Object> read = Json.read(line.getBytes(StandardCharsets.UTF_8));
            assertThat(lines.put(String.valueOf(read.get("requestId")), read)).isNull();
        }
        return lines;
    }

    /** Sends bytes that are no request; returns the answer. */
    private static String malformed(RunningServer server) throws IOException {
        try (Socket socket = new Socket("127.0.0.1", server.server().address().getPort())) {
            OutputStream out = socket.getOutputStream();
            out.write("GET / HTTP/1.1\r\n broken\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            out.flush();
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void eachRequestHasALineUnderTheIdThatItsClientWasTold() throws Exception {
        Path file = directory.resolve("access.log");
        HttpResponse<String> put;
        HttpResponse<String> none;
        HttpResponse<String> space;
        String refused;
        try (RunningServer server =
                new RunningServer(
                        directory.resolve("data"), Map.of("log.access", file.toString()))) {
            assertThat(server.send("PUT", "/bucket", new byte[0])).isEqualTo(200);
            put = server.exchange("PUT", "/bucket/a%0Ab", new byte[5000]);
            none = server.exchange("GET", "/bucket/none", new byte[0]);
            space = server.exchange("GET", "/_volute/v1/space", new byte[0]);
            refused = malformed(server);
        }
        Map<String, Map<String, Object>> lines = byId(file);
        assertThat(lines).hasSize(5);
        assertThat(lines.get(id(put)))
                .containsEntry("operation", "PutObject")
                .containsEntry("method", "PUT")
                .containsEntry("user", "root")
                .containsEntry("accessKey", RunningServer.KEY)
                .containsEntry("session", "")
                .containsEntry("remoteAddress", "127.0.0.1")
                .containsEntry("bucket", "bucket")
                .containsEntry("key", "a\nb")
                .containsEntry("status", 200L)
                .containsEntry("code", "")
                .containsEntry("complete", true)
                .containsEntry("bytesIn", 5000L);
        assertThat(lines.get(id(none)))
                .containsEntry("operation", "GetObject")
                .containsEntry("status", 404L)
                .containsEntry("code", "NoSuchKey")
                .containsEntry("bytesOut", (long) none.body().length());
        assertThat(lines.get(id(space))).containsEntry("operation", "AdminSpace");
        assertThat(lines.values())
                .filteredOn(line -> line.get("code").equals("BadRequest"))
                .singleElement()
                .satisfies(
                        line -> {
                            assertThat(line).containsEntry("status", 400L);
                            assertThat(refused).contains(String.valueOf(line.get("requestId")));
                        });
        assertThat(Files.readString(file)).doesNotContain(RunningServer.SECRET);
    }

    @Test
    void aFileThatCannotBeWrittenHoldsUpNobody() throws Exception {
        Path file = directory.resolve("later/access.log");
        try (RunningServer server =
                new RunningServer(
                        directory.resolve("data"), Map.of("log.access", file.toString()))) {
            assertThat(server.send("PUT", "/bucket", new byte[0])).isEqualTo(200);
            Files.createDirectory(file.getParent());
            server.scrapeUntil(page -> page.contains("volute_access_log_lines_total 1.0"));
        }
        assertThat(byId(file)).hasSize(1);
    }

    @Test
    void withoutTheSettingThereIsNone() throws Exception {
        try (RunningServer server = new RunningServer(directory.resolve("data"), Map.of())) {
            assertThat(server.send("PUT", "/bucket", new byte[0])).isEqualTo(200);
            assertThat(server.scrapeUntil(page -> page.contains("operation=\"CreateBucket\"")))
                    .contains("volute_access_log_lines_total 0.0");
        }
    }
}
