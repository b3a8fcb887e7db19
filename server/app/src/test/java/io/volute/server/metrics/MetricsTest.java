package io.volute.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests the metrics of a running server for Prometheus. */
@Timeout(120)
@Tag("slow")
class MetricsTest {
    private static final byte[] NOTHING = {};
    private static final String NAME = "[a-z]+(_[a-z0-9]+)+";

    @TempDir private Path directory;

    private RunningServer server(Map<String, String> settings) throws Exception {
        // A target has meters of its own.
        Path file = directory.resolve("volute.conf");
        Files.writeString(
                file,
                "notifications.targets = [{ name = trail, type = file, path = \""
                        + directory.resolve("trail")
                        + "\" }]");
        Map<String, String> all = new TreeMap<>(settings);
        all.put("config", file.toString());
        return new RunningServer(directory.resolve("data"), all);
    }

    /**
     * Sends requests of some kinds, and bytes that are no request; returns the metrics after them.
     */
    private static Scrape used(RunningServer server) throws Exception {
        assertThat(server.send("PUT", "/bucket", NOTHING)).isEqualTo(200);
        assertThat(server.send("PUT", "/bucket/key", new byte[5000])).isEqualTo(200);
        assertThat(server.send("GET", "/bucket/key", NOTHING)).isEqualTo(200);
        assertThat(server.send("GET", "/bucket/none", NOTHING)).isEqualTo(404);
        assertThat(server.send("GET", "/_volute/v1/space", NOTHING)).isEqualTo(200);
        malformed(server);
        return Scrape.of(
                server.scrapeUntil(
                        page ->
                                page.contains("AdminSpace")
                                        && page.contains("NoSuchKey")
                                        && page.contains("volute_refused_total{")));
    }

    private static void malformed(RunningServer server) throws IOException {
        try (Socket socket = new Socket("127.0.0.1", server.server().address().getPort())) {
            OutputStream out = socket.getOutputStream();
            out.write("GET / HTTP/1.1\r\n broken\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            out.flush();
            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .startsWith("HTTP/1.1 400");
        }
    }

    @Test
    void countsRequestsAndTheirBytes() throws Exception {
        try (RunningServer server = server(Map.of())) {
            Scrape scrape = used(server);
            String get = "{operation=\"GetObject\"}";
            assertThat(
                            scrape.get(
                                    "volute_requests_total{code=\"NoSuchKey\","
                                            + "operation=\"GetObject\",status=\"4xx\"}"))
                    .isEqualTo(1);
            assertThat(
                            scrape.get(
                                    "volute_requests_total{code=\"none\","
                                            + "operation=\"GetObject\",status=\"2xx\"}"))
                    .isEqualTo(1);
            assertThat(scrape.get("volute_request_duration_seconds_count" + get)).isEqualTo(2);
            assertThat(scrape.get("volute_request_duration_seconds_sum" + get))
                    .isGreaterThanOrEqualTo(
                            scrape.get("volute_request_first_byte_seconds_sum" + get))
                    .isPositive();
            assertThat(scrape.get("volute_request_sent_bytes_total" + get)).isGreaterThan(5000);
            assertThat(
                            scrape.get(
                                    "volute_request_received_bytes_total"
                                            + "{operation=\"PutObject\"}"))
                    .isEqualTo(5000);
            assertThat(scrape.get("volute_user_received_bytes_total{user=\"root\"}"))
                    .isEqualTo(5000);
            assertThat(scrape.get("volute_user_requests_total{user=\"root\"}")).isEqualTo(5);
            assertThat(scrape.get("volute_refused_total{code=\"BadRequest\"}")).isEqualTo(1);
            // The client and whoever was malformed.
            assertThat(scrape.get("volute_http_accepted_connections_total")).isEqualTo(2);
        }
    }

    @Test
    void tellsTheFiguresOfTheStore() throws Exception {
        try (RunningServer server = server(Map.of("memory.images.bytes", "0"))) {
            Scrape scrape = used(server);
            String cube = "{cube=\"default\"}";
            assertThat(scrape.get("volute_cube_state{cube=\"default\",state=\"healthy\"}"))
                    .isEqualTo(1);
            assertThat(scrape.get("volute_commits_total" + cube))
                    .isEqualTo(scrape.get("volute_commit_batch_transactions_sum" + cube))
                    .isGreaterThanOrEqualTo(2);
            assertThat(scrape.get("volute_commit_batches_total" + cube))
                    .isEqualTo(scrape.get("volute_commit_batch_seconds_count" + cube));
            assertThat(scrape.get("volute_commit_batch_bytes_sum" + cube)).isGreaterThan(5000);
            assertThat(
                            scrape.get(
                                    "volute_force_seconds_count"
                                            + "{cause=\"client-data\",cube=\"default\"}"))
                    .isGreaterThanOrEqualTo(scrape.get("volute_commit_batches_total" + cube));
            assertThat(scrape.get("volute_space_live_bytes" + cube)).isGreaterThan(5000);
            assertThat(scrape.get("volute_space_capacity_bytes" + cube))
                    .isEqualTo(
                            scrape.get("volute_space_used_bytes" + cube)
                                    + scrape.get("volute_space_free_bytes" + cube));
            assertThat(scrape.get("volute_images_budget_bytes" + cube)).isZero();
            assertThat(scrape.get("volute_index_block_cache_bytes" + cube)).isPositive();
            assertThat(
                            scrape.get(
                                    "volute_causality_records_total"
                                            + "{outcome=\"freeze\",policy=\"cycle-avoidance\"}"))
                    .isPositive();
            // One of the object, one of the settings.
            assertThat(scrape.get("volute_provenance_entries_total")).isEqualTo(2);
            assertThat(scrape.get("volute_provenance_signing_seconds_count")).isEqualTo(2);
        }
    }

    @Test
    void cubesOnOneDiskHaveItsFreeSpaceOnce() throws Exception {
        try (RunningServer server = server(Map.of())) {
            byte[] other = "{\"cube\": \"other\"}".getBytes(StandardCharsets.UTF_8);
            assertThat(server.send("POST", "/_volute/v1/cubes", other)).isEqualTo(200);
            Scrape scrape =
                    Scrape.of(
                            server.scrapeUntil(
                                    page -> page.contains("volute_cube_serves{cube=\"other\"} 1")));
            assertThat(scrape.get("volute_store_capacity_bytes"))
                    .isEqualTo(
                            ofCubes(scrape, "used").sum() + ofCubes(scrape, "free").max().orElse(0))
                    .isLessThan(ofCubes(scrape, "capacity").sum());
            assertThat(scrape.get("volute_store_client_free_bytes"))
                    .isEqualTo(ofCubes(scrape, "client_free").max().orElse(0));
        }
    }

    @Test
    void aRemovedCubeHasNoMetrics() throws Exception {
        try (RunningServer server = server(Map.of())) {
            byte[] other = "{\"cube\": \"other\"}".getBytes(StandardCharsets.UTF_8);
            assertThat(server.send("POST", "/_volute/v1/cubes", other)).isEqualTo(200);
            assertThat(
                            server.scrapeUntil(
                                    page -> page.contains("volute_cube_serves{cube=\"other\"} 1")))
                    .contains("volute_space_used_bytes{cube=\"other\"}");
            assertThat(server.send("POST", "/_volute/v1/cubes/remove", other)).isEqualTo(200);
            assertThat(server.ask("GET", "/metrics", Map.of()).body())
                    .contains("volute_space_used_bytes{cube=\"default\"}")
                    .doesNotContain("cube=\"other\"");
        }
    }

    private static DoubleStream ofCubes(Scrape scrape, String figure) {
        return Stream.of("default", "other")
                .mapToDouble(
                        cube ->
                                scrape.get(
                                        "volute_space_"
                                                + figure
                                                + "_bytes{cube=\""
                                                + cube
                                                + "\"}"));
    }

    /** Bounds ascend and hold what lies below them; whoever sums up gets the count. */
    @Test
    void histogramsOfTheStoreAreCumulative() throws Exception {
        try (RunningServer server = server(Map.of())) {
            Scrape scrape = used(server);
            String name = "volute_commit_batch_bytes";
            List<Double> buckets =
                    scrape.samples().entrySet().stream()
                            .filter(each -> each.getKey().startsWith(name + "_bucket"))
                            .sorted((a, b) -> Double.compare(bound(a.getKey()), bound(b.getKey())))
                            .map(Map.Entry::getValue)
                            .toList();
            assertThat(buckets).hasSize(16).isSorted();
            assertThat(buckets.getLast())
                    .isEqualTo(scrape.get(name + "_count{cube=\"default\"}"))
                    .isPositive();
        }
    }

    private static double bound(String sample) {
        String text = sample.replaceAll(".*le=\"([^\"]+)\".*", "$1");
        return text.equals("+Inf") ? Double.POSITIVE_INFINITY : Double.parseDouble(text);
    }

    // ---- docs/reference/metrics.md

    private static Path document() {
        return Stream.iterate(Path.of("").toAbsolutePath(), Path::getParent)
                .map(each -> each.resolve("docs/reference/metrics.md"))
                .filter(Files::exists)
                .findFirst()
                .orElseThrow();
    }

    /** Type and labels by name. */
    private static Map<String, String> documented() throws IOException {
        Map<String, String> rows = new TreeMap<>();
        for (String line : Files.readAllLines(document())) {
            if (line.startsWith("| `")) {
                String[] cells = line.split(" ?\\| ?", -1);
                Set<String> labels =
                        Arrays.stream(cells[3].split("[`, ]+"))
                                .filter(each -> !each.isEmpty())
                                .collect(Collectors.toCollection(TreeSet::new));
                assertThat(cells[4]).as(line).isNotBlank();
                assertThat(rows.put(cells[1].replace("`", ""), cells[2] + " " + labels))
                        .as("told twice: " + line)
                        .isNull();
            }
        }
        return rows;
    }

    @Test
    void everyMetricIsDocumentedAndNoOther() throws Exception {
        try (RunningServer server = server(Map.of())) {
            Map<String, String> told = new TreeMap<>();
            used(server)
                    .metrics()
                    .forEach(
                            (name, metric) -> {
                                assertThat(name).matches(NAME);
                                assertThat(metric.hasHelp()).as(name).isTrue();
                                told.put(name, metric.type() + " " + metric.labels());
                            });
            Map<String, String> written = documented();
            // Which there are depends on the collector, and on whether it has run.
            told.keySet().removeIf(name -> name.startsWith("jvm_gc_"));
            written.keySet().removeIf(name -> name.startsWith("jvm_gc_"));
            // Only nodes of a cluster without the store have them: StandbyMetricsTest.
            written.keySet().removeIf(name -> name.startsWith("volute_standby_"));
            assertThat(told).isEqualTo(written);
        }
    }

    @Test
    void namesFollowTheConventions() throws Exception {
        try (RunningServer server = server(Map.of())) {
            used(server)
                    .metrics()
                    .forEach(
                            (name, metric) -> {
                                assertThat(name.endsWith("_total"))
                                        .as(name)
                                        .isEqualTo(metric.type().equals("counter"));
                                assertThat(name)
                                        .doesNotContain("millis", "nanos", "_ms", "_mb", "_kb");
                            });
        }
    }

    // ---- who may ask

    @Test
    void nobodyIsToldWithoutAListener() throws Exception {
        try (RunningServer server = server(Map.of("metrics.listen", ""))) {
            assertThat(server.server().metricsAddress()).isEmpty();
            assertThat(server.send("GET", "/metrics", NOTHING)).isEqualTo(404);
        }
    }

    @Test
    void theListenerTellsMetricsAndNothingElse() throws Exception {
        try (RunningServer server = server(Map.of())) {
            HttpResponse<String> page = server.ask("GET", "/metrics", Map.of());
            assertThat(page.statusCode()).isEqualTo(200);
            assertThat(page.headers().firstValue("content-type"))
                    .hasValue("text/plain; version=0.0.4; charset=utf-8");
            HttpResponse<String> status = server.ask("GET", "/", Map.of());
            assertThat(status.body()).startsWith("<!DOCTYPE html>").contains("<b>healthy</b>");
            assertThat(status.headers().firstValue("content-type"))
                    .contains("text/html; charset=utf-8");
            assertThat(status.headers().firstValue("content-security-policy").orElseThrow())
                    .contains("default-src 'none'");
            assertThat(server.ask("POST", "/", Map.of()).statusCode()).isEqualTo(405);
            assertThat(server.ask("GET", "/bucket", Map.of()).statusCode()).isEqualTo(404);
            assertThat(server.ask("PUT", "/bucket", Map.of()).statusCode()).isEqualTo(404);
            assertThat(server.ask("POST", "/metrics", Map.of()).statusCode()).isEqualTo(405);
            assertThat(server.ask("GET", "/health/live", Map.of()).statusCode()).isEqualTo(200);
        }
    }

    @Test
    void withATokenOnlyThoseWhoShowIt() throws Exception {
        Path file = Files.writeString(directory.resolve("token"), "correct-horse-battery\n");
        try (RunningServer server = server(Map.of("metrics.token-file", file.toString()))) {
            assertThat(ask(server, "Bearer correct-horse-battery")).isEqualTo(200);
            assertThat(ask(server, "Bearer correct-horse-batterz")).isEqualTo(401);
            assertThat(ask(server, "Bearer ")).isEqualTo(401);
            assertThat(ask(server, "Basic correct-horse-battery")).isEqualTo(401);
            assertThat(ask(server, basic("somebody:correct-horse-battery"))).isEqualTo(200);
            assertThat(ask(server, basic(":correct-horse-battery"))).isEqualTo(200);
            assertThat(ask(server, basic("correct-horse-battery:"))).isEqualTo(401);
            assertThat(ask(server, basic("somebody:correct-horse-batterz"))).isEqualTo(401);
            assertThat(ask(server, "Basic ")).isEqualTo(401);
            assertThat(ask(server, "Basic !")).isEqualTo(401);
            assertThat(server.ask("GET", "/", Map.of()).statusCode()).isEqualTo(401);
            HttpResponse<String> without = server.ask("GET", "/metrics", Map.of());
            assertThat(without.statusCode()).isEqualTo(401);
            assertThat(without.body()).contains("metrics.token-file").doesNotContain("volute_");
        }
    }

    private static String basic(String pair) {
        return "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
    }

    private static int ask(RunningServer server, String authorization) throws Exception {
        return server.ask("GET", "/metrics", Map.of("authorization", authorization)).statusCode();
    }

    @Test
    void aFileWithoutATokenIsRefusedAtTheStart() throws Exception {
        Path file = Files.writeString(directory.resolve("token"), "short\n");
        assertThatThrownBy(() -> server(Map.of("metrics.token-file", file.toString())))
                .hasMessageContaining(file.toString())
                .hasMessageContaining("16 to 256")
                .hasMessageNotContaining("short");
        server(Map.of()).close();
    }
}
