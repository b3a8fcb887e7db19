package io.volute.system.operate;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.Bytes;
import io.volute.system.Clients;
import io.volute.system.ExternalClient;
import io.volute.system.ServerProcess;
import io.volute.system.Store;
import io.volute.system.TemporaryStore;
import io.volute.system.operate.MonitoringFiles.Query;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.services.s3.S3Client;

/** A real Prometheus takes the files of {@code docker/prometheus} and asks a real server. */
class PrometheusIT {
    /** A bound in an alert's expression: without it, what it looks at remains. */
    private static final Pattern BOUND = Pattern.compile("\\s(==|>)\\s[0-9.]+");

    /** The queries without results on a server without load and TLS, whose index is in memory. */
    private static final Pattern MAY_BE_EMPTY =
            Pattern.compile(
                    "ALERTS|absent|jvm_gc_|balancer_decisions|block_cache_hits|status=\"[45]xx\"|"
                            + "volute_refused_total|volute_notification_|volute_standby_|deriv|"
                            + "broken_off|volute_certificate_end_|"
                            + "(changes|_bytes_total).*> 0|_timestamp_seconds.*> 0");

    @TempDir private Path directory;

    private ExternalClient promtool() throws IOException {
        return ExternalClient.orSkip(directory, List.of("promtool"), "--version");
    }

    @Test
    void promtoolAcceptsRulesAndConfiguration() throws IOException {
        ExternalClient promtool = promtool();
        assertThat(
                        promtool.run("check", "rules", Prometheus.file("alerts.yml").toString())
                                .orFail())
                .contains("SUCCESS: " + MonitoringFiles.alerts().size() + " rules found");
        promtool.run("check", "config", Prometheus.file("prometheus.yml").toString()).orFail();
        Path broken = directory.resolve("broken.yml");
        Files.writeString(
                broken,
                Files.readString(Prometheus.file("alerts.yml")).replaceFirst("== 0", "=== 0"));
        assertThat(promtool.run("check", "rules", broken.toString()).code()).isNotZero();
    }

    /** Prometheus' own simulation of time: which alerts fire, and when. */
    @Test
    void alertsFireWhenTheyShould() throws IOException {
        ExternalClient promtool = promtool();
        Files.copy(Prometheus.file("alerts.yml"), directory.resolve("alerts.yml"));
        Path cases = directory.resolve("alerts_test.yml");
        try (var resource = PrometheusIT.class.getResourceAsStream("/alerts_test.yml")) {
            Files.write(cases, resource.readAllBytes());
        }
        promtool.run("test", "rules", cases.toString()).orFail();
    }

    @Test
    void queriesOfDashboardsAndAlertsAreAnsweredWithData() throws Exception {
        ExternalClient program = Prometheus.orSkip(directory);
        String metrics = "127.0.0.1:" + ServerProcess.freePort();
        try (TemporaryStore store = TemporaryStore.create("prometheus");
                ServerProcess server =
                        ServerProcess.start(store, Map.of("VOLUTE_METRICS_LISTEN", metrics));
                Prometheus prometheus = Prometheus.start(program, directory, metrics)) {
            // A rate needs two scrapes, and something in between.
            use(server);
            prometheus.awaitData("volute_requests_total{operation=\"DeleteObject\"}");
            use(server);
            String last = "rate(volute_requests_total{operation=\"DeleteObject\"}[1m])";
            prometheus.awaitData(last + " > 0");
            dashboardsHaveData(prometheus);
            alertsLookAtWhatIsThere(prometheus);
            allRulesAreEvaluatedAndNoneFires(prometheus);
            assertThat(server.stop()).as(server.log()).isZero();
            // The canary of all of it: what is gone is noticed.
            prometheus.awaitData("up{job=\"volute\"} == 0");
        }
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

    private static void dashboardsHaveData(Prometheus prometheus) throws Exception {
        TreeSet<String> without = new TreeSet<>();
        for (Query each : MonitoringFiles.dashboardQueries()) {
            String expression =
                    each.expression()
                            .replace("$instance", ".*")
                            .replace("$__rate_interval", "1m")
                            .replace("$__range", "1h");
            assertThat(expression).as(each.toString()).doesNotContain("$");
            if (prometheus.result(expression).isEmpty() && !isEmptyAllowed(expression)) {
                without.add(each.toString());
            }
        }
        assertThat(without).isEmpty();
    }

    private static void alertsLookAtWhatIsThere(Prometheus prometheus) throws Exception {
        TreeSet<String> without = new TreeSet<>();
        for (Query each : MonitoringFiles.alertQueries()) {
            String unbounded = BOUND.matcher(each.expression()).replaceAll("");
            if (prometheus.result(unbounded).isEmpty() && !isEmptyAllowed(unbounded)) {
                without.add(each.toString());
            }
        }
        assertThat(without).isEmpty();
    }

    private static boolean isEmptyAllowed(String expression) {
        return MAY_BE_EMPTY.matcher(expression).find();
    }

    private static void allRulesAreEvaluatedAndNoneFires(Prometheus prometheus) throws Exception {
        List<Map<String, Object>> rules = prometheus.evaluatedRules();
        assertThat(rules).hasSize(MonitoringFiles.alerts().size());
        for (Map<String, Object> rule : rules) {
            assertThat(rule.get("health")).as(rule.toString()).isEqualTo("ok");
            assertThat(rule.get("state")).as(rule.toString()).isNotEqualTo("firing");
        }
    }
}
