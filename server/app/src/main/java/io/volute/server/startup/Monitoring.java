package io.volute.server.startup;

import io.volute.server.Limits;
import io.volute.server.Upkeep;
import io.volute.server.accesslog.AccessLog;
import io.volute.server.accesslog.BucketLogs;
import io.volute.server.admin.AdminApi;
import io.volute.server.auditlog.AuditLog;
import io.volute.server.config.AccessLogConfig;
import io.volute.server.config.ServerConfig;
import io.volute.server.encryption.KeyService;
import io.volute.server.http.HttpServer;
import io.volute.server.http.HttpSettings;
import io.volute.server.http.HttpSettings.Caps;
import io.volute.server.http.watch.RequestTally;
import io.volute.server.http.watch.RequestWatch;
import io.volute.server.metrics.Certificates;
import io.volute.server.metrics.Metrics;
import io.volute.server.metrics.MetricsPage;
import io.volute.server.metrics.UpkeepFigures;
import io.volute.server.metrics.status.Status;
import io.volute.server.notification.Notifications;
import io.volute.server.replication.Replication;
import io.volute.server.tracing.Tracing;
import io.volute.server.tracing.Tracing.Spans;
import io.volute.storage.directory.LogPlacement;
import io.volute.versioning.StoreCubes;
import io.volute.versioning.VersionedStore;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Wires the parts of the server to their meters, and publishes metrics. */
public final class Monitoring implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Monitoring.class);

    /** The pauses between two looks of the status page. */
    public static final Upkeep.Pauses LOOKS = Upkeep.Pauses.of(Duration.ofSeconds(5));

    /** The meters; empty when metrics are disabled. */
    private final Optional<Metrics> metrics;

    private final Optional<AccessLog> accessLog;
    private final RequestTally tally;
    private final RequestWatch requests;
    private Optional<HttpServer> listener = Optional.empty();
    private final List<Upkeep> upkeeps = new ArrayList<>();

    /**
     * @param tracing empty when nothing is traced; not owned
     * @param nanos a clock that only goes forward
     * @param out standard output
     */
    public Monitoring(
            ServerConfig config,
            Optional<Tracing> tracing,
            LongSupplier nanos,
            InstantSource clock,
            OutputStream out) {
        tally = new RequestTally(nanos);
        metrics = config.metrics().listen().map(listen -> new Metrics(tally));
        AccessLogConfig written = config.accessLog();
        accessLog =
                written.toStandardOutput()
                        ? Optional.of(AccessLog.toStandardOutput(out, tally, clock))
                        : written.file().map(file -> AccessLog.toFile(file, tally, clock));
        metrics.ifPresent(all -> all.add(accessLog));
        metrics.ifPresent(all -> all.add(Certificates.of(config)));
        metrics.ifPresent(
                all -> all.addTracing(() -> tracing.map(Tracing::spans).orElse(Spans.NONE)));
        RequestWatch heard = accessLog.<RequestWatch>map(log -> log).orElse(tally);
        requests = tracing.map(on -> on.before(heard)).orElse(heard);
    }

    /** Adds the figures of the access logs of buckets. */
    public void add(BucketLogs logs) {
        metrics.ifPresent(all -> all.add(logs));
    }

    /** Adds the figures of the key service. */
    public void add(Optional<KeyService> service) {
        metrics.ifPresent(all -> all.addKeyService(service));
    }

    /** Adds the figures of the targets of event notifications. */
    public void add(Notifications notifications) {
        metrics.ifPresent(all -> all.addTargets(notifications.figures()));
    }

    /** Adds the figures of the targets of replication. */
    public void add(Replication replication) {
        metrics.ifPresent(all -> all.addReplication(replication.figures()));
    }

    /** Adds the figures of a node of a cluster. */
    public void add(ServerRole role) {
        metrics.ifPresent(all -> all.addCluster(role::figures));
        metrics.ifPresent(all -> all.addStandbys(role::standbys));
    }

    /** Counts requests, for operators. */
    public RequestTally tally() {
        return tally;
    }

    /** Hears of requests. */
    public RequestWatch requests() {
        return requests;
    }

    /** The parts of the server that have meters. */
    public record Watched(
            StoreCubes cubes,
            Function<String, Optional<LogPlacement>> logs,
            VersionedStore store,
            AdminApi admin,
            Supplier<UpkeepFigures> upkeep,
            Optional<AuditLog> audit,
            HttpServer http) {}

    /**
     * Opens the listener for metrics, if the configuration enables it.
     *
     * @throws IOException when the address or the token's file cannot be used; the message names
     *     the next step
     */
    public void start(
            ServerConfig config,
            Watched watched,
            ServerRole role,
            InstantSource clock,
            RandomGenerator random)
            throws IOException {
        ServerConfig.MetricsListener told = config.metrics();
        if (metrics.isEmpty()) {
            return;
        }
        Metrics all = metrics.get();
        all.add(watched.cubes(), watched.logs(), config.log().cleaning().capacityBytes() > 0);
        all.add(
                watched.store().history(),
                watched.store().provenance(),
                watched.admin()::audits,
                watched.upkeep());
        all.addAudit(watched.audit());
        all.add(role.entrance(watched.http()));
        add(role);
        Status status = new Status(all::snapshots, clock);
        MetricsPage page = new MetricsPage(all, status, token(told.tokenFile()), told);
        listener =
                role.publish(
                        settings(config, told.listen().orElseThrow()),
                        service(page),
                        clock,
                        random);
        upkeeps.add(Upkeep.start("tls-metrics", Listeners.TLS_PAUSES, this::reloadTls));
        upkeeps.add(Upkeep.start("status", LOOKS, status::look));
    }

    /** Returns the service of a listener for metrics. */
    public static HttpServer.Service service(MetricsPage page) {
        return new HttpServer.Service(page, HttpServer.Readiness.ALWAYS, RequestWatch.NONE);
    }

    private void reloadTls() {
        LOG.trace("TLS: {}", listener.map(HttpServer::reloadTls));
    }

    /** Returns the settings of a listener for metrics. */
    public static HttpSettings settings(ServerConfig config, InetSocketAddress listen) {
        int most = Limits.METRICS_CONNECTIONS_MAX;
        return new HttpSettings(
                listen,
                config.http().tls(),
                new Caps(most, most, most, most, Limits.METRICS_BUFFER_BYTES_MAX),
                config.http().timeouts());
    }

    /**
     * Reads the token that requests for metrics must carry.
     *
     * @throws IOException when the file cannot be used; the message names the next step
     */
    public static Optional<String> token(Optional<Path> file) throws IOException {
        if (file.isEmpty()) {
            return Optional.empty();
        }
        String token = Files.readString(file.get()).strip();
        if (!token.matches("[A-Za-z0-9._~+/=-]{16,256}")) {
            throw new IOException(
                    file.get()
                            + " holds no token: write 16 to 256 letters, digits and - . _ ~ + / ="
                            + " into it, or leave metrics.token-file out");
        }
        return Optional.of(token);
    }

    /** Returns the address of metrics, with the actual port; empty when metrics are disabled. */
    public Optional<InetSocketAddress> address() {
        return listener.map(HttpServer::address);
    }

    @Override
    public void close() {
        upkeeps.forEach(Upkeep::close);
        listener.ifPresent(HttpServer::close);
        accessLog.ifPresent(AccessLog::close);
        metrics.ifPresent(Metrics::close);
    }
}
