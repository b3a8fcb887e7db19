package io.volute.server.metrics;

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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * All metrics of a server. Parts are added while it starts; then {@link #scrape} may be called by
 * any thread.
 */
public final class Metrics implements AutoCloseable {
    /** The tables of all metrics except those of Micrometer, in the order of the document. */
    static final List<MeterTable<?>> TABLES =
            Stream.of(
                            RequestMeters.TABLES,
                            ServerMeters.TABLES,
                            CubesMeters.TABLES,
                            CubeMeters.TABLES,
                            StoreMeters.TABLES)
                    .<MeterTable<?>>flatMap(List::stream)
                    .toList();

    private static final StandbyFigures NO_STANDBY = new StandbyFigures(false, 0, 0, 0);

    private final PrometheusMeterRegistry registry =
            new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final Meters meters = new Meters();
    private final JvmGcMetrics collections = new JvmGcMetrics();

    /** Creates the metrics of the process and of requests. */
    public Metrics(RequestTally requests) {
        // Omitted: it counts nanoseconds, which is no base unit, and duplicates process_cpu_usage.
        registry.config().meterFilter(MeterFilter.denyNameStartsWith("process.cpu.time"));
        registry.getPrometheusRegistry().register(meters);
        RequestMeters.add(meters, requests);
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
        CubesMeters.add(meters, cubes, logs, hasOwnCapacity);
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
        StoreMeters.add(meters, new StoreMeters.Sources(history, provenance, audits, upkeep));
    }

    /** Adds the figures of the listener that clients use. */
    public void add(HttpServer http) {
        meters.add(ServerMeters.CONNECTIONS, () -> http);
    }

    /**
     * Adds the figures of the access log.
     *
     * @param log empty when there is none
     */
    public void add(Optional<AccessLog> log) {
        meters.add(ServerMeters.ACCESS_LOG, () -> log);
    }

    /** Adds the figures of the access logs of buckets. */
    public void add(BucketLogs logs) {
        meters.add(ServerMeters.BUCKET_LOGS, () -> logs);
    }

    /**
     * Adds the figures of the key service.
     *
     * @param service empty when there is none
     */
    public void addKeyService(Optional<KeyService> service) {
        meters.add(ServerMeters.KEY_SERVICE, () -> service.map(KeyService::state));
    }

    /** Adds the ends of the certificates of this server. Each scrape reads the files. */
    public void add(Certificates certificates) {
        meters.add(ServerMeters.CERTIFICATES, () -> certificates);
    }

    /** Adds the figures of a node of a cluster. */
    public void addCluster(Supplier<ClusterFigures> source) {
        meters.add(ServerMeters.CLUSTER, source);
    }

    /**
     * Adds the figures of standby indexes, by the names of their cubes. A cube has metrics from its
     * first standby on; while it has none, they are 0.
     */
    public void addStandbys(Supplier<Map<String, StandbyFigures>> source) {
        Set<String> known = new TreeSet<>();
        meters.addEach(
                ServerMeters.STANDBYS,
                () -> {
                    Map<String, StandbyFigures> now = new HashMap<>(source.get());
                    known.addAll(now.keySet());
                    known.forEach(cube -> now.putIfAbsent(cube, NO_STANDBY));
                    return now;
                });
    }

    /** Adds the figures of targets of event notifications, by the names of the targets. */
    public void addTargets(Map<String, Supplier<TargetFigures>> targets) {
        meters.addEach(ServerMeters.NOTIFICATION, () -> now(targets));
    }

    /** Adds the figures of targets of replication, by the names of the targets. */
    public void addReplication(Map<String, Supplier<ReplicationFigures>> targets) {
        meters.addEach(ServerMeters.REPLICATION, () -> now(targets));
    }

    private static <T> Map<String, T> now(Map<String, Supplier<T>> targets) {
        Map<String, T> now = new HashMap<>();
        targets.forEach((name, source) -> now.put(name, source.get()));
        return now;
    }

    /** Adds the figures of tracing. */
    public void addTracing(Supplier<Tracing.Spans> spans) {
        meters.add(ServerMeters.TRACING, spans);
    }

    /**
     * Adds the figures of the audit log.
     *
     * @param log empty when there is none
     */
    public void addAudit(Optional<AuditLog> log) {
        meters.add(ServerMeters.AUDIT_LOG, () -> log);
    }

    /** Everything as of now, in Prometheus' text format. One at a time. */
    public synchronized String scrape() {
        return registry.scrape();
    }

    /** Everything as of now. One at a time. */
    public synchronized MetricSnapshots snapshots() {
        return registry.getPrometheusRegistry().scrape();
    }

    @Override
    public void close() {
        collections.close();
        registry.close();
    }
}
