package io.volute.server.metrics.status;

import static io.volute.server.metrics.status.Trend.gauge;
import static io.volute.server.metrics.status.Trend.quantile;
import static io.volute.server.metrics.status.Trend.rate;

import io.volute.server.metrics.status.Section.Chart;
import io.volute.server.metrics.status.Section.Tile;
import java.util.List;

/** The five questions that the dashboards of {@code docker/grafana} answer, too. */
final class Sections {
    private static final String CAPACITY = "volute_space_capacity_bytes";
    private static final double LIVE_HIGH = 0.95;

    static final List<Section> ALL = List.of(health(), space(), speed(), users(), cleaner());

    private Sections() {}

    private static Section health() {
        return new Section(
                "Is it healthy?",
                List.of(
                        new Tile("cube", Sections::state, now -> !state(now).equals("healthy")),
                        Tile.none("damages met", "volute_damages_total"),
                        Tile.none("findings of audits", "volute_provenance_audit_findings_total"),
                        Tile.none("findings of scrubs", "volute_scrub_findings_total"),
                        Tile.of("running for", Sections::uptime)),
                List.of(
                        new Chart(
                                "Requests by status",
                                Unit.PER_SECOND,
                                List.of(
                                        status("2xx"),
                                        status("3xx"),
                                        status("4xx"),
                                        status("5xx"))),
                        new Chart(
                                "Processors",
                                Unit.PERCENT,
                                List.of(
                                        gauge("server", "process_cpu_usage"),
                                        gauge("all programs", "system_cpu_usage")))));
    }

    private static Section space() {
        return new Section(
                "Is it full?",
                List.of(
                        new Tile(
                                "of the capacity is live",
                                now -> Unit.PERCENT.text(live(now)),
                                now -> live(now) > LIVE_HIGH),
                        Tile.of(
                                "clients may fill before anything is cleaned",
                                Unit.BYTES,
                                "volute_space_client_free_bytes"),
                        Tile.none(
                                "writes refused for want of space", "volute_space_refused_total")),
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
                List.of(
                        Tile.of(
                                "requests being answered",
                                Unit.COUNT,
                                "volute_http_requests_in_flight"),
                        Tile.of("wait for a commit", Unit.COUNT, "volute_commit_queue"),
                        Tile.none(
                                "writes held back for want of space", "volute_space_waits_total")),
                List.of(
                        new Chart(
                                "Until the first byte of the answer",
                                Unit.MILLIS,
                                List.of(
                                        quantile("half of the requests", firstByte, 0.5),
                                        quantile("99 of 100", firstByte, 0.99))),
                        new Chart(
                                "Forces of the disk",
                                Unit.MILLIS,
                                List.of(
                                        quantile("half of them", force, 0.5),
                                        quantile("99 of 100", force, 0.99)))));
    }

    private static Section users() {
        return new Section(
                "Who is using it?",
                List.of(
                        Tile.of("connections", Unit.COUNT, "volute_http_connections"),
                        Tile.of("actors with a session", Unit.COUNT, "volute_causality_actors")),
                List.of(
                        new Chart(
                                "Bytes of objects",
                                Unit.BYTES_PER_SECOND,
                                List.of(
                                        rate("received", "volute_request_received_bytes_total"),
                                        rate("sent", "volute_request_sent_bytes_total")))));
    }

    private static Section cleaner() {
        return new Section(
                "What did the cleaner do?",
                List.of(
                        Tile.of("decided last", Sections::decision),
                        Tile.of(
                                "segments freed",
                                Unit.COUNT,
                                "volute_cleaner_freed_segments_total"),
                        Tile.of("dead, not won yet", Unit.BYTES, "volute_space_dead_bytes")),
                List.of(
                        new Chart(
                                "Written to the disk",
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

    private static String state(Reading now) {
        return now.current("volute_cube_state", "state").orElse("unknown");
    }

    private static double live(Reading now) {
        return now.sum("volute_space_live_bytes") / Math.max(1, now.sum(CAPACITY));
    }

    private static String decision(Reading now) {
        return now.current("volute_balancer_decision", "reason").orElse("not asked yet");
    }

    private static String uptime(Reading now) {
        long minutes = (long) now.sum("process_uptime_seconds") / 60;
        return minutes / 1440 + " d " + minutes / 60 % 24 + " h " + minutes % 60 + " min";
    }
}
