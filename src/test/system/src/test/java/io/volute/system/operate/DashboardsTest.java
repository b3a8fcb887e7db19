package io.volute.system.operate;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.system.operate.MonitoringFiles.Query;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests that the dashboards and alert rules of {@code docker/} query documented metrics. */
class DashboardsTest {

    @Test
    void everyQueryAsksForMetricsAndLabelsThatAreDocumented() throws IOException {
        Map<String, Set<String>> documented = MonitoringFiles.documented();
        List<Query> queries =
                Stream.concat(
                                MonitoringFiles.dashboardQueries().stream(),
                                MonitoringFiles.alertQueries().stream())
                        .toList();
        assertThat(queries).hasSizeGreaterThan(100);
        for (Query each : queries) {
            assertThat(MonitoringFiles.unknownIn(each.expression(), documented))
                    .as(each.toString())
                    .isEmpty();
        }
    }

    /** The canary of the test above. */
    @Test
    void aNameThatIsNotDocumentedIsFound() throws IOException {
        Map<String, Set<String>> documented = MonitoringFiles.documented();
        assertThat(
                        MonitoringFiles.unknownIn(
                                "sum by (cube, colour) (rate(volute_commits_total{kind=\"x\"}[5m]))"
                                        + " / volute_no_such > 0 and volute_force_seconds",
                                documented))
                .containsExactlyInAnyOrder(
                        "volute_commits_total{kind}",
                        "volute_no_such",
                        "volute_force_seconds",
                        "by colour");
    }

    @Test
    void dashboardsAreWellFormed() throws IOException {
        Set<Object> uids = new TreeSet<>();
        Map<String, Map<String, Object>> dashboards = MonitoringFiles.dashboards();
        assertThat(dashboards)
                .containsOnlyKeys(
                        "cleaner.json",
                        "cluster.json",
                        "health.json",
                        "space.json",
                        "speed.json",
                        "users.json");
        dashboards.forEach(
                (file, dashboard) -> {
                    assertThat(dashboard.get("uid")).as(file).asString().matches("volute-[a-z]+");
                    assertThat(uids.add(dashboard.get("uid"))).as(file).isTrue();
                    assertThat(dashboard.get("title")).as(file).asString().startsWith("Volute: ");
                    assertThat(MonitoringFiles.objects(dashboard, "panels")).isNotEmpty();
                    panels(file, dashboard);
                });
    }

    private static void panels(String file, Map<String, Object> dashboard) {
        List<Object> ids = new ArrayList<>();
        for (Map<String, Object> panel : MonitoringFiles.objects(dashboard, "panels")) {
            String where = file + ": " + panel.get("title");
            ids.add(panel.get("id"));
            assertThat(panel.get("title")).as(where).asString().isNotBlank();
            assertThat(panel).as(where).containsKeys("gridPos", "type");
            if (!panel.get("type").equals("row")) {
                assertThat(panel.get("description")).as(where).asString().endsWith(".");
                assertThat(MonitoringFiles.objects(panel, "targets")).as(where).isNotEmpty();
            }
            for (Map<String, Object> target : MonitoringFiles.objects(panel, "targets")) {
                assertThat(target.get("datasource"))
                        .as(where)
                        .isEqualTo(Map.of("type", "prometheus", "uid", "volute-prometheus"));
            }
        }
        assertThat(ids).as(file).doesNotHaveDuplicates();
    }

    @Test
    void theDataSourceIsTheOneThatDashboardsName() throws IOException {
        assertThat(
                        Files.readAllLines(
                                MonitoringFiles.file(
                                        "grafana/provisioning/datasources/prometheus.yaml")))
                .anyMatch(line -> line.strip().equals("uid: volute-prometheus"));
    }

    @Test
    void everyAlertSaysWhatToDo() throws IOException {
        Map<String, Map<String, String>> alerts = MonitoringFiles.alerts();
        assertThat(alerts).hasSizeGreaterThan(20);
        alerts.forEach(
                (name, fields) -> {
                    assertThat(name).startsWith("Volute");
                    assertThat(fields)
                            .as(name)
                            .containsOnlyKeys("expr", "severity", "summary", "description");
                    assertThat(fields.get("severity")).as(name).isIn("critical", "warning");
                    assertThat(fields.get("summary")).as(name).isNotBlank();
                    assertThat(fields.get("description")).as(name).hasSizeGreaterThan(40);
                });
    }

    /** Metrics are for Prometheus in its own network, and for nobody else. */
    @Test
    void composeTellsPrometheusWhereAndPublishesItNot() throws IOException {
        String compose = Files.readString(MonitoringFiles.file("compose.yaml"));
        assertThat(compose).contains("VOLUTE_METRICS_LISTEN: 0.0.0.0:9464\n");
        assertThat(compose).contains("VOLUTE_METRICS_HOSTS: volute\n");
        assertThat(compose.lines().filter(line -> line.contains("9464"))).hasSize(1);
        assertThat(Files.readString(MonitoringFiles.file("prometheus/prometheus.yml")))
                .contains("targets: [\"volute:9464\"]");
    }
}
