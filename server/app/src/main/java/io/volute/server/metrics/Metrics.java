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
import io.volute.server.notification.TargetFigures;
import io.volute.server.replication.ReplicationFigures;
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
                                "Lines written to the access log",
                                now -> now.map(AccessLog::written).orElse(0L))
                        .counter(
                                "volute_access_log_lost_lines_total",
                                "Lines of the access log dropped because its queue was full",
                                now -> now.map(AccessLog::lost).orElse(0L));
        refreshes.add(figures::refresh);
    }

    /** Adds the figures of the access logs of buckets. */
    public void add(BucketLogs logs) {
        Figures<BucketLogs> figures =
                new Figures<>(registry, () -> logs, Tags.empty())
                        .counter(
                                "volute_bucket_log_lines_total",
                                "Lines of server access logs delivered to target buckets",
                                BucketLogs::delivered)
                        .counter(
                                "volute_bucket_log_lost_lines_total",
                                "Lines of server access logs dropped before delivery",
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
                                "Calls to the key service that encrypt or decrypt a data key",
                                now -> now.map(KeyService.State::calls).orElse(0L))
                        .counter(
                                "volute_key_service_failures_total",
                                "Failed calls to the key service, health checks included",
                                now -> now.map(KeyService.State::failures).orElse(0L))
                        .counter(
                                "volute_key_service_cache_hits_total",
                                "Data keys decrypted from the cache, without a call to the key"
                                        + " service",
                                now -> now.map(KeyService.State::cacheHits).orElse(0L))
                        .gauge(
                                "volute_key_service_failing",
                                "1 if the last call to the key service failed, else 0",
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
                                            "Expiry of the certificate, in seconds since 1970;"
                                                    + " 0 without a certificate",
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
                                "1 if this node owns the store, else 0",
                                now -> now.isOwner() ? 1 : 0)
                        .gauge(
                                "volute_cluster_nodes",
                                "Running nodes of the cluster",
                                ClusterFigures::nodes)
                        .gauge(
                                "volute_cluster_connected",
                                "1 if ZooKeeper answers this node within the session time, else 0",
                                now -> now.isConnected() ? 1 : 0)
                        .counter(
                                "volute_cluster_take_overs_total",
                                "Take-overs of the store by this node",
                                ClusterFigures::takeOvers)
                        .counter(
                                "volute_cluster_forwarded_requests_total",
                                "Requests to this node that the owner answered",
                                ClusterFigures::forwarded)
                        .counter(
                                "volute_cluster_failed_requests_total",
                                "Requests to this node that no owner answered (503)",
                                ClusterFigures::failed)
                        .counter(
                                "volute_cluster_waiting_requests_total",
                                "Requests that waited for an owner",
                                ClusterFigures::waited)
                        .gauge(
                                "volute_cluster_lease_seconds",
                                "Seconds until the lease of this owner ends; 0 without a lease",
                                now -> now.lease().leftSeconds())
                        .counter(
                                "volute_cluster_lease_waits_total",
                                "Requests that waited for the lease of this owner",
                                now -> now.lease().waited())
                        .counter(
                                "volute_cluster_lease_refused_total",
                                "Requests refused because the lease of this owner was not renewed"
                                        + " in time",
                                now -> now.lease().refused())
                        .counter(
                                "volute_cluster_exchange_calls_total",
                                "Calls to owners of other cubes before writes",
                                now -> now.exchange().calls())
                        .counter(
                                "volute_cluster_exchange_failures_total",
                                "Calls to owners of other cubes that got no complete answer",
                                now -> now.exchange().failed())
                        .counter(
                                "volute_cluster_exchange_skipped_total",
                                "Requests that continued without the answer of an owner",
                                now -> now.exchange().skipped())
                        .counter(
                                "volute_cluster_exchange_wait_seconds_total",
                                "Seconds that requests waited for owners of other cubes",
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
                                "Event messages that the target accepted",
                                TargetFigures::delivered)
                        .counter(
                                "volute_notification_failures_total",
                                "Failed attempts to deliver event messages",
                                TargetFigures::failures)
                        .gauge(
                                "volute_notification_waiting",
                                "Event messages waiting for delivery to the target",
                                TargetFigures::waiting)
                        .gauge(
                                "volute_notification_lag_seconds",
                                "Age of the oldest waiting event message, in seconds",
                                now -> now.lag().toMillis() / 1000.0)
                        .counter(
                                "volute_notification_omitted_total",
                                "Events without a message because the queue of the target was full",
                                TargetFigures::omitted)
                        .counter(
                                "volute_notification_unreadable_total",
                                "Unreadable event messages, each replaced by a gap",
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
                                "Changes replicated to the target",
                                ReplicationFigures::replicated)
                        .counter(
                                "volute_replication_failures_total",
                                "Failed attempts to replicate a change",
                                ReplicationFigures::failures)
                        .gauge(
                                "volute_replication_waiting",
                                "Changes waiting for replication to the target",
                                ReplicationFigures::waiting)
                        .gauge(
                                "volute_replication_lag_seconds",
                                "Age of the oldest waiting change, in seconds",
                                now -> now.lag().toMillis() / 1000.0)
                        .gauge(
                                "volute_replication_refused",
                                "Changes that the target refused permanently (status FAILED)",
                                ReplicationFigures::refused)
                        .counter(
                                "volute_replication_unreadable_total",
                                "Unreadable messages about changes",
                                ReplicationFigures::unreadable);
        refreshes.add(figures::refresh);
    }

    /** Adds the figures of tracing. */
    public void addTracing(Supplier<Tracing.Spans> spans) {
        Figures<Tracing.Spans> figures =
                new Figures<>(registry, spans, Tags.empty())
                        .counter(
                                "volute_tracing_spans_total",
                                "Spans sent to the tracing endpoint",
                                Tracing.Spans::sent)
                        .counter(
                                "volute_tracing_lost_spans_total",
                                "Spans dropped because the queue was full or the endpoint failed",
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
                                "Lines written to the audit log",
                                now -> now.map(AuditLog::written).orElse(0L))
                        .counter(
                                "volute_audit_log_failures_total",
                                "Failed attempts to write to the audit log",
                                now -> now.map(AuditLog::failures).orElse(0L))
                        .counter(
                                "volute_audit_log_lost_lines_total",
                                "Lines missing in the audit log because writing failed",
                                now -> now.map(AuditLog::lost).orElse(0L))
                        .gauge(
                                "volute_audit_log_problems",
                                "Files and lines of the audit log found missing or changed at"
                                        + " startup",
                                now -> now.map(AuditLog::problems).map(List::size).orElse(0));
        refreshes.add(figures::refresh);
    }

    private static Figures<HttpServer> connections(MeterRegistry registry, HttpServer http) {
        return new Figures<>(registry, () -> http, Tags.empty())
                .gauge(
                        "volute_http_connections",
                        "Open client connections",
                        HttpServer::connections)
                .gauge(
                        "volute_http_requests_in_flight",
                        "Requests in progress",
                        HttpServer::requests)
                .counter(
                        "volute_http_accepted_connections_total",
                        "Accepted connections",
                        now -> now.connectionsSoFar().admitted())
                .counter(
                        "volute_http_refused_connections_total",
                        "Connections refused because a limit of connections was reached",
                        now -> now.connectionsSoFar().refused())
                .counter(
                        "volute_http_pipelined_requests_total",
                        "Refused requests that arrived on a connection before the previous answer"
                                + " was complete",
                        HttpServer::pipelinedRequests)
                .gauge(
                        "volute_netty_direct_memory_bytes",
                        "Bytes of direct memory allocated for connection buffers",
                        HttpServer::directBytes)
                .gauge(
                        "volute_http_buffer_free_bytes",
                        "Unused bytes of the buffer budget (limits.buffers)",
                        HttpServer::freeBudgetBytes)
                .gauge(
                        "volute_http_unauthenticated_requests",
                        "Requests in progress from unauthenticated callers",
                        HttpServer::unauthenticatedRequests)
                .gauge(
                        "volute_http_memory_bytes",
                        "Bytes of heap used by documents and answers of requests",
                        now -> now.memory().held())
                .gauge(
                        "volute_http_unauthenticated_memory_bytes",
                        "Bytes of heap used by documents and answers of unauthenticated callers",
                        now -> now.memory().unauthenticated())
                .gauge(
                        "volute_http_memory_waiting_requests",
                        "Requests waiting for heap (limits.request-memory)",
                        now -> now.memory().waiting())
                .counter(
                        "volute_http_memory_refused_requests_total",
                        "Requests refused with SlowDown after waiting for heap",
                        now -> now.memory().refused())
                .counter(
                        "volute_http_slow_readers_total",
                        "Clients disconnected because they read too slowly while other requests"
                                + " waited",
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
