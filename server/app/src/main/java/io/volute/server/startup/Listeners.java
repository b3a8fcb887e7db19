package io.volute.server.startup;

import io.volute.server.Upkeep;
import io.volute.server.admin.AdminFront;
import io.volute.server.config.ServerConfig;
import io.volute.server.http.HttpServer;
import io.volute.server.http.HttpSettings.TlsFiles;
import io.volute.server.http.Services;
import io.volute.server.s3.request.S3Handler;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The listening addresses: one for all requests, or one for S3 and one for the admin API. */
public final class Listeners implements ServerRole.Listening {
    private static final Logger LOG = LoggerFactory.getLogger(Listeners.class);

    /** The pauses between two looks at the files of TLS. */
    public static final Upkeep.Pauses TLS_PAUSES = Upkeep.Pauses.of(Duration.ofSeconds(10));

    private final HttpServer s3;
    private final Optional<HttpServer> admin;
    private final Optional<Upkeep> tls;

    private Listeners(ServerConfig config, HttpServer s3, Optional<HttpServer> admin) {
        this.s3 = s3;
        this.admin = admin;
        tls = config.http().tls().map(files -> Upkeep.start("tls", TLS_PAUSES, this::reloadTls));
    }

    /**
     * Checks that all configured addresses are free. Otherwise it fails with a message that names
     * the next step.
     */
    public static void requireFree(ServerConfig config) throws IOException {
        HttpServer.requireFree(config.http().listen());
        if (config.adminAddress().isPresent()) {
            HttpServer.requireFree(config.adminAddress().get());
        }
        if (config.metrics().listen().isPresent()) {
            HttpServer.requireFree(config.metrics().listen().get());
        }
    }

    /**
     * Binds the addresses and serves requests from now on.
     *
     * @param s3 takes requests that are not for the admin API
     * @param front puts the admin API before another handler
     */
    public static Listeners start(
            ServerConfig config,
            HttpServer.Service s3,
            UnaryOperator<S3Handler> front,
            InstantSource clock,
            RandomGenerator random)
            throws IOException {
        HttpServer.Service first =
                config.adminAddress().isPresent() ? s3 : s3.with(front.apply(s3.handler()));
        HttpServer.Service second = s3.with(front.apply(AdminFront.nothingElse()));
        return start(config, () -> first, () -> second, clock, random);
    }

    /**
     * Binds the addresses and serves requests from now on.
     *
     * @param s3 the services at the address of S3
     * @param admin the services at that of the admin API, if it has one
     */
    public static Listeners start(
            ServerConfig config,
            Services s3,
            Services admin,
            InstantSource clock,
            RandomGenerator random)
            throws IOException {
        Optional<InetSocketAddress> apart = config.adminAddress();
        HttpServer first = HttpServer.start(config.http(), s3, clock, random);
        warnOfPlainHttp(config, first.address());
        warnOfDates(config, clock);
        if (apart.isEmpty()) {
            return new Listeners(config, first, Optional.empty());
        }
        try {
            HttpServer second =
                    HttpServer.start(config.http().on(apart.get()), admin, clock, random);
            warnOfPlainHttp(config, second.address());
            return new Listeners(config, first, Optional.of(second));
        } catch (IOException | RuntimeException e) {
            first.close();
            throw e;
        }
    }

    private static void warnOfDates(ServerConfig config, InstantSource clock) throws IOException {
        if (config.http().tls().isEmpty()) {
            return;
        }
        TlsFiles.Dates dates = config.http().tls().get().dates(clock.instant());
        if (dates.isInvalid()) {
            LOG.error("TLS: {}: clients refuse this server", dates.problem());
        } else if (!dates.problem().isEmpty()) {
            LOG.warn("TLS: {}", dates.problem());
        }
    }

    private static void warnOfPlainHttp(ServerConfig config, InetSocketAddress address) {
        if (config.http().tls().isEmpty() && !address.getAddress().isLoopbackAddress()) {
            boolean isForNodes =
                    config.cluster()
                            .filter(each -> each.address().equals(config.http().listen()))
                            .isPresent();
            LOG.warn(
                    "listening without TLS on {}: set {} to encrypt requests",
                    address,
                    isForNodes
                            ? "cluster.tls.certificate, cluster.tls.key and cluster.tls.ca"
                            : "tls.certificate and tls.key");
        }
    }

    private void reloadTls() {
        boolean isNew = s3.reloadTls();
        LOG.trace("TLS: {} {}", isNew, admin.map(HttpServer::reloadTls));
    }

    @Override
    public HttpServer s3() {
        return s3;
    }

    @Override
    public InetSocketAddress address() {
        return s3.address();
    }

    @Override
    public Optional<InetSocketAddress> adminAddress() {
        return admin.map(HttpServer::address);
    }

    /** {@inheritDoc} Each as by {@link HttpServer#drain}. */
    @Override
    public boolean drain(Duration patience) throws InterruptedException {
        boolean drained = s3.drain(patience);
        return (admin.isEmpty() || admin.get().drain(patience)) && drained;
    }

    @Override
    public void close() {
        tls.ifPresent(Upkeep::close);
        admin.ifPresent(HttpServer::close);
        s3.close();
    }
}
