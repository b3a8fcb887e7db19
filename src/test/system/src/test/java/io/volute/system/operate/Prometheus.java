package io.volute.system.operate;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.json.Json;
import io.volute.system.ExternalClient;
import io.volute.system.ExternalClient.Running;
import io.volute.system.ServerProcess;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/** A real Prometheus with the files of {@code docker/prometheus}, which asks often. */
final class Prometheus implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final long AGAIN_NANOS = 100_000_000;

    private final URI api;
    private final Running running;
    private final HttpClient http = HttpClient.newHttpClient();

    private Prometheus(URI api, Running running) {
        this.api = api;
        this.running = running;
    }

    /** Skips the test where the program is not installed. */
    static ExternalClient orSkip(Path directory) throws IOException {
        return ExternalClient.orSkip(directory, List.of("prometheus"), "--version");
    }

    /** A file of {@code docker/prometheus}. */
    static Path file(String name) {
        return MonitoringFiles.file("prometheus/" + name);
    }

    /**
     * Starts one.
     *
     * @param directory for its files
     * @param metrics host and port that it asks
     */
    static Prometheus start(ExternalClient program, Path directory, String metrics)
            throws IOException {
        String listen = "127.0.0.1:" + ServerProcess.freePort();
        return new Prometheus(
                URI.create("http://" + listen),
                program.start(
                        "--config.file=" + configuration(directory, metrics),
                        "--storage.tsdb.path=" + directory.resolve("tsdb"),
                        "--web.listen-address=" + listen));
    }

    /**
     * Writes the configuration of docker/ with this server as its target and a shorter interval.
     */
    private static Path configuration(Path directory, String metrics) throws IOException {
        Files.copy(file("alerts.yml"), directory.resolve("alerts.yml"));
        String text =
                Files.readString(file("prometheus.yml"))
                        .replace("volute:9464", metrics)
                        .replace("_interval: 15s", "_interval: 1s");
        assertThat(text).contains(metrics, "scrape_interval: 1s", "evaluation_interval: 1s");
        return Files.writeString(directory.resolve("prometheus.yml"), text);
    }

    /** The rules, once all of them have been evaluated. */
    List<Map<String, Object>> evaluatedRules() throws Exception {
        List<Map<String, Object>> rules = rules();
        Instant deadline = Instant.now().plus(PATIENCE);
        while (rules.stream().anyMatch(rule -> rule.get("health").equals("unknown"))) {
            waitFor(deadline, "all rules are evaluated");
            rules = rules();
        }
        return rules;
    }

    private List<Map<String, Object>> rules() throws Exception {
        HttpRequest request = HttpRequest.newBuilder(api.resolve("/api/v1/rules")).build();
        return MonitoringFiles.objects(answer(request, "rules"), "groups").stream()
                .flatMap(group -> MonitoringFiles.objects(group, "rules").stream())
                .toList();
    }

    /** Returns when the expression has data. */
    void awaitData(String expression) throws Exception {
        Instant deadline = Instant.now().plus(PATIENCE);
        while (true) {
            try {
                if (!result(expression).isEmpty()) {
                    return;
                }
            } catch (ConnectException e) {
                assertThat(e).as("not listening yet").isNotNull();
            }
            waitFor(deadline, expression);
        }
    }

    /** A moment, as long as there is hope. */
    private void waitFor(Instant deadline, String what) throws IOException {
        if (!running.process().isAlive()) {
            throw new AssertionError("Prometheus ended: " + running.result().output());
        }
        assertThat(Instant.now()).as("until " + what).isBefore(deadline);
        LockSupport.parkNanos(AGAIN_NANOS);
    }

    /** Returns the current value of an expression. */
    List<Map<String, Object>> result(String expression) throws Exception {
        HttpRequest request =
                HttpRequest.newBuilder(api.resolve("/api/v1/query"))
                        .header("content-type", "application/x-www-form-urlencoded")
                        .POST(
                                BodyPublishers.ofString(
                                        "query="
                                                + URLEncoder.encode(
                                                        expression, StandardCharsets.UTF_8)))
                        .build();
        return MonitoringFiles.objects(answer(request, expression), "result");
    }

    /** The data of an answer of Prometheus' API. */
    @SuppressWarnings("unchecked") // Json makes maps of names only
    private Map<String, Object> answer(HttpRequest request, String what) throws Exception {
        HttpResponse<byte[]> response = http.send(request, BodyHandlers.ofByteArray());
        // While Prometheus reads its log, it answers 503.
        if (response.statusCode() == 503) {
            return Map.of();
        }
        String text = new String(response.body(), StandardCharsets.UTF_8);
        assertThat(response.statusCode()).as(what + ": " + text).isEqualTo(200);
        return (Map<String, Object>) Json.read(response.body()).get("data");
    }

    @Override
    public void close() {
        running.close();
        http.close();
    }
}
