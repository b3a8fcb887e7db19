package io.volute.server.metrics.status;

import static io.volute.server.metrics.status.Trend.gauge;
import static io.volute.server.metrics.status.Trend.quantile;
import static io.volute.server.metrics.status.Trend.rate;

import io.volute.adminapi.StoreVerdict;
import io.volute.server.metrics.status.Section.Chart;
import io.volute.server.metrics.status.Section.Tile;
import java.util.List;
import java.util.Map;

/**
 * The five questions that the dashboards of {@code docker/grafana} answer, too, and two about a
 * node of a cluster. A node without the store has no figures of it.
 */
final class Sections {
    private static final String HEALTHY = "healthy";

    private static final String CAPACITY = "volute_store_capacity_bytes";
    private static final double LIVE_HIGH = 0.95;

    private static final Chart REQUESTS =
            new Chart(
                    "Requests by status",
                    Unit.PER_SECOND,
                    List.of(status("2xx"), status("3xx"), status("4xx"), status("5xx")));

    private static final Chart PROCESSORS =
            new Chart(
                    "CPU",
                    Unit.PERCENT,
                    List.of(
                            gauge("server", "process_cpu_usage"),
                            gauge("whole machine", "system_cpu_usage")));

    static final List<Section> ALL =
            List.of(cluster(), node(), health(), space(), speed(), users(), cleaner());

    private Sections() {}

    private static boolean isNode(Reading now) {
        return now.sum("volute_cluster_nodes") > 0;
    }

    /** Returns whether the server has a store, as every one without a cluster does. */
    static boolean hasStore(Reading now) {
        return !isNode(now) || now.sum("volute_cluster_owner") > 0;
    }

    private static Section cluster() {
        return new Section(
                "Which role does this node have?",
                Sections::isNode,
                List.of(
                        Tile.of("role of this node", Sections::role),
                        Tile.of("nodes of the cluster", Unit.COUNT, "volute_cluster_nodes"),
                        new Tile(
                                "ZooKeeper",
                                now -> isConnected(now) ? "answers" : "does not answer",
                                now -> !isConnected(now)),
                        Tile.none(
                                "requests that found no owner",
                                "volute_cluster_failed_requests_total"),
                        Tile.of(
                                "take-overs by this node",
                                Unit.COUNT,
                                "volute_cluster_take_overs_total")),
                List.of(
                        new Chart(
                                "Requests of this node's clients",
                                Unit.PER_SECOND,
                                List.of(
                                        rate(
                                                "forwarded",
                                                "volute_cluster_forwarded_requests_total"),
                                        rate("waited", "volute_cluster_waiting_requests_total"),
                                        rate("failed", "volute_cluster_failed_requests_total")))));
    }

    private static boolean isConnected(Reading now) {
        return now.sum("volute_cluster_connected") > 0;
    }

    private static String role(Reading now) {
        if (hasStore(now)) {
            return "owner";
        }
        if (now.by("volute_cube_serves", "cube").containsValue(1.0)) {
            return "owner of cubes";
        }
        Map<String, Double> follow = now.by("volute_standby_following", "cube");
        return follow.isEmpty() || follow.containsValue(0.0) ? "building a standby" : "standby";
    }

    private static Section node() {
        return new Section(
                "Is this node healthy?",
                now -> !hasStore(now),
                List.of(
                        Tile.of("uptime", Sections::uptime),
                        Tile.of("connections", Unit.COUNT, "volute_http_connections"),
                        Tile.of(
                                "requests in flight",
                                Unit.COUNT,
                                "volute_http_requests_in_flight")),
                List.of(REQUESTS, PROCESSORS));
    }

    private static Section health() {
        return new Section(
                "Is it healthy?",
                Sections::hasStore,
                List.of(
                        new Tile("cube", Sections::state, now -> !state(now).equals(HEALTHY)),
                        Tile.none("damaged versions", "volute_damaged_states"),
                        Tile.none("corrupt reads not checked", "volute_damages_unnamed"),
                        Tile.none("audit findings", "volute_provenance_audit_findings_total"),
                        Tile.none("scrub findings", "volute_scrub_findings_total"),
                        Tile.of("uptime", Sections::uptime)),
                List.of(REQUESTS, PROCESSORS));
    }

    private static Section space() {
        return new Section(
                "Is it full?",
                Sections::hasStore,
                List.of(
                        new Tile(
                                "live share of the capacity",
                                now -> Unit.PERCENT.text(live(now)),
                                now -> live(now) > LIVE_HIGH),
                        Tile.of(
                                "free before cleaning",
                                Unit.BYTES,
                                "volute_store_client_free_bytes"),
                        Tile.none("writes refused: store full", "volute_space_refused_total")),
                List.of(
                        new Chart(
                                "Space",
                                Unit.BYTES,
                                List.of(
                                        gauge("capacity", CAPACITY),
                                        gauge("used", "volute_space_used_bytes"),
                                        gauge("live", "volute_space_live_bytes")))));
    }

    private static Section speed() {
        String firstByte = "volute_request_first_byte_seconds";
        String force = "volute_force_seconds";
        return new Section(
                "Is it slow?",
                Sections::hasStore,
                List.of(
                        Tile.of("requests in flight", Unit.COUNT, "volute_http_requests_in_flight"),
                        Tile.of("commits queued", Unit.COUNT, "volute_commit_queue"),
                        Tile.none("writes that waited for space", "volute_space_waits_total")),
                List.of(
                        new Chart(
                                "Time to first byte",
                                Unit.MILLIS,
                                List.of(
                                        quantile("p50", firstByte, 0.5),
                                        quantile("p99", firstByte, 0.99))),
                        new Chart(
                                "fsync latency",
                                Unit.MILLIS,
                                List.of(
                                        quantile("p50", force, 0.5),
                                        quantile("p99", force, 0.99)))));
    }

    private static Section users() {
        return new Section(
                "Which users use it?",
                Sections::hasStore,
                List.of(
                        Tile.of("connections", Unit.COUNT, "volute_http_connections"),
                        Tile.of("active actors", Unit.COUNT, "volute_causality_actors")),
                List.of(
                        new Chart(
                                "Object bytes",
                                Unit.BYTES_PER_SECOND,
                                List.of(
                                        rate("received", "volute_request_received_bytes_total"),
                                        rate("sent", "volute_request_sent_bytes_total")))));
    }

    private static Section cleaner() {
        return new Section(
                "Which decisions did the cleaner make?",
                Sections::hasStore,
                List.of(
                        Tile.of("last cleaner decision", Sections::decision),
                        Tile.of(
                                "segments freed",
                                Unit.COUNT,
                                "volute_cleaner_freed_segments_total"),
                        Tile.of("dead, not reclaimed yet", Unit.BYTES, "volute_space_dead_bytes")),
                List.of(
                        new Chart(
                                "Disk writes by cause",
                                Unit.BYTES_PER_SECOND,
                                List.of(
                                        written("client-data"),
                                        written("cleaning"),
                                        written("index-flush"),
                                        written("index-compaction")))));
    }

    private static Trend status(String status) {
        return rate(status, "volute_requests_total", "status", status);
    }

    private static Trend written(String cause) {
        return rate(cause, "volute_written_bytes_total", "cause", cause);
    }

    /** Returns the state of the only cube, or the names of those of several that do not serve. */
    private static String state(Reading now) {
        Map<String, Double> serve = now.by("volute_cube_serves", "cube");
        List<String> failed =
                serve.entrySet().stream()
                        .filter(cube -> cube.getValue() == 0)
                        .map(Map.Entry::getKey)
                        .toList();
        if (serve.size() <= 1) {
            return now.current("volute_cube_state", "state").orElse("unknown");
        }
        return failed.isEmpty() ? HEALTHY : "not served: " + String.join(", ", failed);
    }

    /** Returns the verdict on the cubes of this node. */
    static StoreVerdict verdict(Reading now) {
        Map<String, Double> serve = now.by("volute_cube_serves", "cube");
        boolean isFull =
                now.by("volute_space_client_free_bytes", "cube").entrySet().stream()
                        // NaN: another node has the cube, and its figures.
                        .filter(cube -> !Double.isNaN(serve.getOrDefault(cube.getKey(), 1.0)))
                        .anyMatch(cube -> cube.getValue() == 0);
        return StoreVerdict.of(
                state(now),
                isFull,
                (long) now.sum("volute_damaged_states"),
                (long) now.sum("volute_damages_unnamed"));
    }

    private static double live(Reading now) {
        return now.sum("volute_space_live_bytes") / Math.max(1, now.sum(CAPACITY));
    }

    private static String decision(Reading now) {
        return now.current("volute_balancer_decision", "reason").orElse("none yet");
    }

    private static String uptime(Reading now) {
        long minutes = (long) now.sum("process_uptime_seconds") / 60;
        return minutes / 1440 + " d " + minutes / 60 % 24 + " h " + minutes % 60 + " min";
    }
}
