package io.volute.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.json.Json;
import io.volute.system.ExternalClient.Running;
import io.volute.system.MonitoringFiles.Query;
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
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.services.s3.S3Client;

/** A real Prometheus takes the files of {@code docker/prometheus} and asks a real server. */
class PrometheusIT {
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final long AGAIN_NANOS = 100_000_000;

    /** A bound in an alert's expression: without it, what it looks at remains. */
    private static final Pattern BOUND = Pattern.compile("\\s(==|>)\\s[0-9.]+");

    /** What a healthy server without load has nothing of: its index is in memory. */
    private static final Pattern MAY_BE_EMPTY =
            Pattern.compile(
                    "ALERTS|absent|jvm_gc_|balancer_decisions|block_cache_hits|status=\"[45]xx\"|"
                            + "volute_refused_total|deriv|broken_off|"
                            + "(changes|_bytes_total).*> 0|_timestamp_seconds.*> 0");

    @TempDir private Path directory;

    private final HttpClient http = HttpClient.newHttpClient();

    private ExternalClient program(String name) throws IOException {
        return ExternalClient.orSkip(directory, List.of(name), "--version");
    }

    private static Path prometheusFile(String name) {
        return MonitoringFiles.file("prometheus/" + name);
    }

    @Test
    void promtoolAcceptsRulesAndConfiguration() throws IOException {
        ExternalClient promtool = program("promtool");
        assertThat(promtool.run("check", "rules", prometheusFile("alerts.yml").toString()).orFail())
                .contains("SUCCESS: " + MonitoringFiles.alerts().size() + " rules found");
        promtool.run("check", "config", prometheusFile("prometheus.yml").toString()).orFail();
        Path broken = directory.resolve("broken.yml");
        Files.writeString(
                broken,
                Files.readString(prometheusFile("alerts.yml")).replaceFirst("== 0", "=== 0"));
        assertThat(promtool.run("check", "rules", broken.toString()).code()).isNotZero();
    }

    /** Prometheus' own simulation of time: which alerts fire, and when. */
    @Test
    void alertsFireWhenTheyShould() throws IOException {
        ExternalClient promtool = program("promtool");
        Files.copy(prometheusFile("alerts.yml"), directory.resolve("alerts.yml"));
        Path cases = directory.resolve("alerts_test.yml");
        try (var resource = PrometheusIT.class.getResourceAsStream("/alerts_test.yml")) {
            Files.write(cases, resource.readAllBytes());
        }
        promtool.run("test", "rules", cases.toString()).orFail();
    }

    @Test
    void queriesOfDashboardsAndAlertsAreAnsweredWithData() throws Exception {
        ExternalClient prometheus = program("prometheus");
        String metrics = "127.0.0.1:" + ServerProcess.freePort();
        String listen = "127.0.0.1:" + ServerProcess.freePort();
        URI api = URI.create("http://" + listen);
        try (TemporaryStore store = TemporaryStore.create("prometheus");
                ServerProcess server =
                        ServerProcess.start(store, Map.of("VOLUTE_METRICS_LISTEN", metrics));
                Running running =
                        prometheus.start(
                                "--config.file=" + configuration(metrics),
                                "--storage.tsdb.path=" + directory.resolve("tsdb"),
                                "--web.listen-address=" + listen)) {
            // A rate needs two scrapes, and something in between.
            use(server);
            awaitData(running, api, "volute_requests_total{operation=\"DeleteObject\"}");
            use(server);
            String last = "rate(volute_requests_total{operation=\"DeleteObject\"}[1m])";
            awaitData(running, api, last + " > 0");
            dashboardsHaveData(api);
            alertsLookAtWhatIsThere(api);
            allRulesAreEvaluatedAndNoneFires(running, api);
            assertThat(server.stop()).as(server.log()).isZero();
            // The canary of all of it: what is gone is noticed.
            awaitData(running, api, "up{job=\"volute\"} == 0");
        }
    }

    /** That of docker/, which asks the server of this test and asks it more often. */
    private Path configuration(String metrics) throws IOException {
        Files.copy(prometheusFile("alerts.yml"), directory.resolve("alerts.yml"));
        String text =
                Files.readString(prometheusFile("prometheus.yml"))
                        .replace("volute:9464", metrics)
                        .replace("_interval: 15s", "_interval: 1s");
        assertThat(text).contains(metrics, "scrape_interval: 1s", "evaluation_interval: 1s");
        return Files.writeString(directory.resolve("prometheus.yml"), text);
    }

    private static void use(ServerProcess server) {
        try (S3Client s3 = Clients.once(server.endpoint())) {
            Store store = new Store(server.endpoint(), s3);
            String bucket = store.bucket();
            store.put(bucket, "key", Bytes.random(1, 5_000));
            assertThat(store.get(bucket, "key")).hasSize(5_000);
            store.put(bucket, "key", Bytes.random(2, 300_000));
            assertThat(store.get(bucket, "key")).hasSize(300_000);
            assertThat(s3.listObjectsV2(list -> list.bucket(bucket)).contents()).hasSize(1);
            Store.refused(404, "NoSuchKey", () -> store.get(bucket, "none"));
            s3.deleteObject(delete -> delete.bucket(bucket).key("key"));
        }
    }

    private void dashboardsHaveData(URI api) throws Exception {
        TreeSet<String> without = new TreeSet<>();
        for (Query each : MonitoringFiles.dashboardQueries()) {
            String expression =
                    each.expression()
                            .replace("$instance", ".*")
                            .replace("$__rate_interval", "1m")
                            .replace("$__range", "1h");
            assertThat(expression).as(each.toString()).doesNotContain("$");
            if (result(api, expression).isEmpty() && !isEmptyAllowed(expression)) {
                without.add(each.toString());
            }
        }
        assertThat(without).isEmpty();
    }

    private void alertsLookAtWhatIsThere(URI api) throws Exception {
        TreeSet<String> without = new TreeSet<>();
        for (Query each : MonitoringFiles.alertQueries()) {
            String unbounded = BOUND.matcher(each.expression()).replaceAll("");
            if (result(api, unbounded).isEmpty() && !isEmptyAllowed(unbounded)) {
                without.add(each.toString());
            }
        }
        assertThat(without).isEmpty();
    }

    private static boolean isEmptyAllowed(String expression) {
        return MAY_BE_EMPTY.matcher(expression).find();
    }

    private void allRulesAreEvaluatedAndNoneFires(Running running, URI api) throws Exception {
        List<Map<String, Object>> rules = rules(api);
        Instant deadline = Instant.now().plus(PATIENCE);
        while (rules.stream().anyMatch(rule -> rule.get("health").equals("unknown"))) {
            waitFor(running, deadline, "all rules are evaluated");
            rules = rules(api);
        }
        assertThat(rules).hasSize(MonitoringFiles.alerts().size());
        for (Map<String, Object> rule : rules) {
            assertThat(rule.get("health")).as(rule.toString()).isEqualTo("ok");
            assertThat(rule.get("state")).as(rule.toString()).isNotEqualTo("firing");
        }
    }

    private List<Map<String, Object>> rules(URI api) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(api.resolve("/api/v1/rules")).build();
        return MonitoringFiles.objects(answer(request, "rules"), "groups").stream()
                .flatMap(group -> MonitoringFiles.objects(group, "rules").stream())
                .toList();
    }

    private void awaitData(Running running, URI api, String expression) throws Exception {
        Instant deadline = Instant.now().plus(PATIENCE);
        while (true) {
            try {
                if (!result(api, expression).isEmpty()) {
                    return;
                }
            } catch (ConnectException e) {
                assertThat(e).as("not listening yet").isNotNull();
            }
            waitFor(running, deadline, expression);
        }
    }

    private static void waitFor(Running running, Instant deadline, String what) throws IOException {
        if (!running.process().isAlive()) {
            throw new AssertionError("Prometheus ended: " + running.result().output());
        }
        assertThat(Instant.now()).as("until " + what).isBefore(deadline);
        LockSupport.parkNanos(AGAIN_NANOS);
    }

    private List<Map<String, Object>> result(URI api, String expression) throws Exception {
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
        // While it reads its log, it says 503.
        if (response.statusCode() == 503) {
            return Map.of();
        }
        String text = new String(response.body(), StandardCharsets.UTF_8);
        assertThat(response.statusCode()).as(what + ": " + text).isEqualTo(200);
        return (Map<String, Object>) Json.read(response.body()).get("data");
    }
}
