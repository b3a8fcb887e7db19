package io.volute.server.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.volute.server.accesslog.AccessLog;
import io.volute.server.accesslog.BucketLogs;
import io.volute.server.admin.AdminApi.Audits;
import io.volute.server.auditlog.AuditLog;
import io.volute.server.encryption.KeyService;
import io.volute.server.http.HttpServer;
import io.volute.server.http.watch.RequestTally;
import io.volute.server.tracing.Tracing;
import io.volute.storage.directory.LogPlacement;
import io.volute.versioning.History;
import io.volute.versioning.Provenance;
import io.volute.versioning.StoreCubes;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * All meters of a server. Parts are added while it starts; then {@link #scrape} may be called by
 * any thread.
 */
public final class Metrics implements AutoCloseable {
    private final PrometheusMeterRegistry registry =
            new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final Histograms histograms = new Histograms(registry.getPrometheusRegistry());
    private final List<Runnable> refreshes = new ArrayList<>();
    private final JvmGcMetrics collections = new JvmGcMetrics();

    /** Creates meters of the process and of requests. */
    public Metrics(RequestTally requests) {
        // Omitted: it counts nanoseconds, which is no base unit, and duplicates process_cpu_usage.
        registry.config().meterFilter(MeterFilter.denyNameStartsWith("process.cpu.time"));
        refreshes.add(new RequestMeters(registry, histograms, requests)::refresh);
        collections.bindTo(registry);
        new JvmMemoryMetrics().bindTo(registry);
        new JvmThreadMetrics().bindTo(registry);
        new ProcessorMetrics().bindTo(registry);
        new FileDescriptorMetrics().bindTo(registry);
        new UptimeMetrics().bindTo(registry);
    }

    /**
     * Adds the figures of all cubes, also of those that are created or opened later.
     *
     * @param logs returns the place of the log of a cube; empty before its first opening
     * @param hasOwnCapacity whether each cube has a capacity of its own
     */
    public void add(
            StoreCubes cubes,
            Function<String, Optional<LogPlacement>> logs,
            boolean hasOwnCapacity) {
        refreshes.add(new CubesMeters(registry, histograms, cubes, logs, hasOwnCapacity)::refresh);
    }

    /**
     * Adds the figures of what the store remembers.
     *
     * @param provenance empty when nothing is signed
     * @param upkeep its kinds and reasons are always the same
     */
    public void add(
            History history,
            Optional<Provenance> provenance,
            Supplier<Audits> audits,
            Supplier<UpkeepFigures> upkeep) {
        StoreMeters.Sources sources = new StoreMeters.Sources(history, provenance, audits, upkeep);
        refreshes.add(new StoreMeters(registry, histograms, sources)::refresh);
    }

    /** Adds the figures of the listener that clients use. */
    public void add(HttpServer http) {
        refreshes.add(connections(registry, http)::refresh);
    }

    /**
     * Adds the figures of the access log.
     *
     * @param log empty when there is none
     */
    public void add(Optional<AccessLog> log) {
        Figures<Optional<AccessLog>> figures =
                new Figures<>(registry, () -> log, Tags.empty())
                        .counter(
                                "volute_access_log_lines_total",
                                "Lines of the access log that were written",
                                now -> now.map(AccessLog::written).orElse(0L))
                        .counter(
                                "volute_access_log_lost_lines_total",
                                "Lines of the access log for which there was no room",
                                now -> now.map(AccessLog::lost).orElse(0L));
        refreshes.add(figures::refresh);
    }

    /** Adds the figures of the access logs of buckets. */
    public void add(BucketLogs logs) {
        Figures<BucketLogs> figures =
                new Figures<>(registry, () -> logs, Tags.empty())
                        .counter(
                                "volute_bucket_log_lines_total",
                                "Lines of server access logs that were delivered",
                                BucketLogs::delivered)
                        .counter(
                                "volute_bucket_log_lost_lines_total",
                                "Lines of server access logs that were lost",
                                BucketLogs::lost);
        refreshes.add(figures::refresh);
    }

    /**
     * Adds the figures of the key service.
     *
     * @param service empty when there is none
     */
    public void addKeyService(Optional<KeyService> service) {
        Figures<Optional<KeyService.State>> figures =
                new Figures<>(registry, () -> service.map(KeyService::state), Tags.empty())
                        .counter(
                                "volute_key_service_calls_total",
                                "Calls of the key service",
                                now -> now.map(KeyService.State::calls).orElse(0L))
                        .counter(
                                "volute_key_service_failures_total",
                                "Calls of the key service that failed, looks at it included",
                                now -> now.map(KeyService.State::failures).orElse(0L))
                        .counter(
                                "volute_key_service_cache_hits_total",
                                "Data keys that were opened without a call of the key service",
                                now -> now.map(KeyService.State::cacheHits).orElse(0L))
                        .gauge(
                                "volute_key_service_failing",
                                "1 if the last call of the key service failed",
                                now -> now.flatMap(KeyService.State::failure).isPresent() ? 1 : 0);
        refreshes.add(figures::refresh);
    }

    /** Adds the ends of the certificates of this server. Each scrape reads the files. */
    public void add(Certificates certificates) {
        Map<String, Optional<Path>> files =
                Map.of(
                        "listener", certificates.listener(),
                        "cluster", certificates.cluster(),
                        "bookkeeper", certificates.bookkeeper());
        files.forEach(
                (use, file) -> {
                    Figures<Double> figures =
                            new Figures<>(
                                    registry,
                                    () -> Certificates.endSecond(file),
                                    Tags.of("use", use));
                    refreshes.add(
                            figures.gauge(
                                            "volute_certificate_end_timestamp_seconds",
                                            "When the certificate ends, since 1970; 0 if there is"
                                                    + " none",
                                            now -> now)
                                    ::refresh);
                });
    }

    /** Adds the figures of a node of a cluster. */
    public void addCluster(Supplier<ClusterFigures> source) {
        Figures<ClusterFigures> figures =
                new Figures<>(registry, source, Tags.empty())
                        .gauge(
                                "volute_cluster_owner",
                                "1 if this node has the store",
                                now -> now.isOwner() ? 1 : 0)
                        .gauge(
                                "volute_cluster_nodes",
                                "Nodes of the cluster that run",
                                ClusterFigures::nodes)
                        .gauge(
                                "volute_cluster_connected",
                                "1 if ZooKeeper answers this node",
                                now -> now.isConnected() ? 1 : 0)
                        .counter(
                                "volute_cluster_take_overs_total",
                                "Times that this node has taken the store over",
                                ClusterFigures::takeOvers)
                        .counter(
                                "volute_cluster_forwarded_requests_total",
                                "Requests that the owner has answered for this node",
                                ClusterFigures::forwarded)
                        .counter(
                                "volute_cluster_failed_requests_total",
                                "Requests that no owner has answered for this node",
                                ClusterFigures::failed)
                        .counter(
                                "volute_cluster_waiting_requests_total",
                                "Requests that have waited for an owner",
                                ClusterFigures::waited)
                        .gauge(
                                "volute_cluster_lease_seconds",
                                "Time until the lease of this owner ends, 0 without one",
                                now -> now.lease().leftSeconds())
                        .counter(
                                "volute_cluster_lease_waits_total",
                                "Requests that have waited for the lease of this owner",
                                now -> now.lease().waited())
                        .counter(
                                "volute_cluster_lease_refused_total",
                                "Requests that have waited for the lease of this owner in vain",
                                now -> now.lease().refused())
                        .counter(
                                "volute_cluster_exchange_calls_total",
                                "Calls to owners of other cubes before writes",
                                now -> now.exchange().calls())
                        .counter(
                                "volute_cluster_exchange_failures_total",
                                "Calls to owners of other cubes without a complete answer",
                                now -> now.exchange().failed())
                        .counter(
                                "volute_cluster_exchange_skipped_total",
                                "Requests that went on without the answer of an owner",
                                now -> now.exchange().skipped())
                        .counter(
                                "volute_cluster_exchange_wait_seconds_total",
                                "Time that requests waited for owners of other cubes",
                                now -> now.exchange().waitedSeconds())
                        .gauge(
                                "volute_cluster_placed_cubes",
                                "Placed cubes that this node serves",
                                now -> now.placed().served())
                        .gauge(
                                "volute_cluster_unserved_cubes",
                                "Placed cubes that no node serves",
                                now -> now.placed().unserved());
        refreshes.add(figures::refresh);
    }

    /** Adds the figures of standby indexes, by the names of their cubes. */
    public void addStandbys(Supplier<Map<String, StandbyFigures>> source) {
        refreshes.add(new StandbyMeters(registry, source)::refresh);
    }

    /** Adds the figures of targets of event notifications, by the names of the targets. */
    public void addTargets(Map<String, Supplier<TargetFigures>> targets) {
        targets.forEach((name, source) -> addTarget(name, source));
    }

    private void addTarget(String name, Supplier<TargetFigures> source) {
        Figures<TargetFigures> figures =
                new Figures<>(registry, source, Tags.of("target", name))
                        .counter(
                                "volute_notification_delivered_total",
                                "Event messages that the target has taken",
                                TargetFigures::delivered)
                        .counter(
                                "volute_notification_failures_total",
                                "Attempts to deliver event messages that failed",
                                TargetFigures::failures)
                        .gauge(
                                "volute_notification_waiting",
                                "Event messages that the target does not have yet",
                                TargetFigures::waiting)
                        .gauge(
                                "volute_notification_lag_seconds",
                                "Age of the oldest of them",
                                now -> now.lag().toMillis() / 1000.0)
                        .counter(
                                "volute_notification_omitted_total",
                                "Events without a message, because too many waited",
                                TargetFigures::omitted)
                        .counter(
                                "volute_notification_unreadable_total",
                                "Event messages that could not be read, replaced by gaps",
                                TargetFigures::unreadable);
        refreshes.add(figures::refresh);
    }

    /** Adds the figures of targets of replication, by the names of the targets. */
    public void addReplication(Map<String, Supplier<ReplicationFigures>> targets) {
        targets.forEach((name, source) -> addReplication(name, source));
    }

    private void addReplication(String name, Supplier<ReplicationFigures> source) {
        Figures<ReplicationFigures> figures =
                new Figures<>(registry, source, Tags.of("target", name))
                        .counter(
                                "volute_replication_replicated_total",
                                "Changes that the target has",
                                ReplicationFigures::replicated)
                        .counter(
                                "volute_replication_failures_total",
                                "Attempts to replicate that failed",
                                ReplicationFigures::failures)
                        .gauge(
                                "volute_replication_waiting",
                                "Changes that the target does not have yet",
                                ReplicationFigures::waiting)
                        .gauge(
                                "volute_replication_lag_seconds",
                                "Age of the oldest of them",
                                now -> now.lag().toMillis() / 1000.0)
                        .gauge(
                                "volute_replication_refused",
                                "Changes that the target refused for good",
                                ReplicationFigures::refused)
                        .counter(
                                "volute_replication_unreadable_total",
                                "Messages about changes that could not be read",
                                ReplicationFigures::unreadable);
        refreshes.add(figures::refresh);
    }

    /** Adds the figures of tracing. */
    public void addTracing(Supplier<Tracing.Spans> spans) {
        Figures<Tracing.Spans> figures =
                new Figures<>(registry, spans, Tags.empty())
                        .counter(
                                "volute_tracing_spans_total",
                                "Spans that were sent",
                                Tracing.Spans::sent)
                        .counter(
                                "volute_tracing_lost_spans_total",
                                "Spans for which there was no room, or that nobody took",
                                Tracing.Spans::lost);
        refreshes.add(figures::refresh);
    }

    /**
     * Adds the figures of the audit log.
     *
     * @param log empty when there is none
     */
    public void addAudit(Optional<AuditLog> log) {
        Figures<Optional<AuditLog>> figures =
                new Figures<>(registry, () -> log, Tags.empty())
                        .counter(
                                "volute_audit_log_lines_total",
                                "Lines of the audit log that were written",
                                now -> now.map(AuditLog::written).orElse(0L))
                        .counter(
                                "volute_audit_log_failures_total",
                                "Writes of the audit log that failed",
                                now -> now.map(AuditLog::failures).orElse(0L))
                        .counter(
                                "volute_audit_log_lost_lines_total",
                                "Lines of the audit log that could not be written",
                                now -> now.map(AuditLog::lost).orElse(0L))
                        .gauge(
                                "volute_audit_log_problems",
                                "Files and lines of the audit log missing or changed at the start",
                                now -> now.map(AuditLog::problems).map(List::size).orElse(0));
        refreshes.add(figures::refresh);
    }

    private static Figures<HttpServer> connections(MeterRegistry registry, HttpServer http) {
        return new Figures<>(registry, () -> http, Tags.empty())
                .gauge("volute_http_connections", "Connections open", HttpServer::connections)
                .gauge(
                        "volute_http_requests_in_flight",
                        "Requests being answered",
                        HttpServer::requests)
                .counter(
                        "volute_http_accepted_connections_total",
                        "Connections that were taken",
                        now -> now.connectionsSoFar().admitted())
                .counter(
                        "volute_http_refused_connections_total",
                        "Connections that were refused because there were too many",
                        now -> now.connectionsSoFar().refused())
                .counter(
                        "volute_http_pipelined_requests_total",
                        "Requests that came while one was being answered, refused",
                        HttpServer::pipelinedRequests)
                .gauge(
                        "volute_netty_direct_memory_bytes",
                        "Memory outside the heap that buffers of connections take",
                        HttpServer::directBytes)
                .gauge(
                        "volute_http_buffer_free_bytes",
                        "Of limits.buffers, what nobody has taken",
                        HttpServer::freeBudgetBytes)
                .gauge(
                        "volute_http_unauthenticated_requests",
                        "Requests being answered whose callers are not authenticated",
                        HttpServer::unauthenticatedRequests)
                .gauge(
                        "volute_http_memory_bytes",
                        "Heap that documents and answers of requests hold",
                        now -> now.memory().held())
                .gauge(
                        "volute_http_unauthenticated_memory_bytes",
                        "Of that, what callers hold who are not authenticated",
                        now -> now.memory().unauthenticated())
                .gauge(
                        "volute_http_memory_waiting_requests",
                        "Requests that wait for such heap",
                        now -> now.memory().waiting())
                .counter(
                        "volute_http_memory_refused_requests_total",
                        "Requests that got no heap and were refused with SlowDown",
                        now -> now.memory().refused())
                .counter(
                        "volute_http_slow_readers_total",
                        "Clients cut off because they took their answers too slowly",
                        now -> now.memory().cut());
    }

    /** Everything as of now, in Prometheus' text format. One at a time. */
    public synchronized String scrape() {
        refreshes.forEach(Runnable::run);
        return registry.scrape();
    }

    /** Everything as of now. One at a time. */
    public synchronized MetricSnapshots snapshots() {
        refreshes.forEach(Runnable::run);
        return registry.getPrometheusRegistry().scrape();
    }

    @Override
    public void close() {
        collections.close();
        registry.close();
    }
}
