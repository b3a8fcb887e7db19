package io.volute.server.cluster;

import io.volute.bookkeeper.ClusterMembership;
import io.volute.bookkeeper.ClusterView;
import io.volute.bookkeeper.ClusterView.Owner;
import io.volute.server.Upkeep;
import io.volute.server.cluster.exchange.ExchangeCounts;
import io.volute.server.config.ServerConfig;
import io.volute.server.http.HttpServer;
import io.volute.server.http.HttpServer.Service;
import io.volute.server.metrics.Certificates;
import io.volute.server.metrics.ClusterFigures;
import io.volute.server.metrics.ClusterFigures.Exchange;
import io.volute.server.metrics.ClusterFigures.Lease;
import io.volute.server.metrics.Metrics;
import io.volute.server.metrics.MetricsPage;
import io.volute.server.metrics.status.Status;
import io.volute.server.startup.Listeners;
import io.volute.server.startup.Monitoring;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The metrics of a node. Its listener answers with those of the store while it is open on this
 * node, and otherwise with those of the process and of forwarded requests.
 */
final class NodeMetrics implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NodeMetrics.class);

    private final ServerConfig config;
    private final Forwarding forwarding;
    private final OwnerLease.Counts leaseCounts;
    private final ExchangeCounts exchange = new ExchangeCounts();
    private Optional<Metrics> metrics = Optional.empty();
    private final List<Upkeep> upkeeps = new ArrayList<>();
    private Optional<HttpServer> listener = Optional.empty();

    // Set before the store can ask.
    private volatile HttpServer entrance;
    private volatile ClusterMembership membership;
    private volatile StoreOwner store;

    NodeMetrics(ServerConfig config, Forwarding forwarding, OwnerLease.Counts leaseCounts) {
        this.config = config;
        this.forwarding = forwarding;
        this.leaseCounts = leaseCounts;
    }

    /**
     * Opens the listener, if the configuration enables metrics.
     *
     * @param s3 the HTTP server that clients use
     */
    void start(
            ClusterMembership of,
            StoreOwner owner,
            NodeCubes cubes,
            HttpServer s3,
            InstantSource clock,
            RandomGenerator random)
            throws IOException {
        entrance = s3;
        membership = of;
        store = owner;
        ServerConfig.MetricsListener wanted = config.metrics();
        if (wanted.listen().isEmpty()) {
            return;
        }
        Metrics all = new Metrics(forwarding.tally());
        metrics = Optional.of(all);
        all.add(s3);
        all.add(Certificates.of(config));
        all.addCluster(this::figures);
        all.addStandbys(cubes::standbys);
        Status status = new Status(all::snapshots, clock);
        Service own =
                Monitoring.service(
                        new MetricsPage(all, status, Monitoring.token(wanted.tokenFile()), wanted));
        listener =
                Optional.of(
                        HttpServer.start(
                                Monitoring.settings(config, wanted.listen().orElseThrow()),
                                () -> owner.services().flatMap(NodeServices::metrics).orElse(own),
                                clock,
                                random));
        upkeeps.add(Upkeep.start("tls-metrics", Listeners.TLS_PAUSES, this::reloadTls));
        upkeeps.add(Upkeep.start("status", Monitoring.LOOKS, status::look));
    }

    private void reloadTls() {
        LOG.trace("TLS: {}", listener.map(HttpServer::reloadTls));
    }

    /** Returns the HTTP server that clients use. */
    HttpServer entrance() {
        return entrance;
    }

    /** Returns the counts of the exchange with the owners of other cubes. */
    ExchangeCounts exchange() {
        return exchange;
    }

    /** Returns the present figures. */
    ClusterFigures figures() {
        ClusterView view = membership.view();
        return new ClusterFigures(
                store.hasStore(),
                view.nodes().size(),
                view.isConnected(),
                store.takeOvers(),
                forwarding.counts().forwarded().sum(),
                forwarding.counts().failed().sum(),
                forwarding.counts().waited().sum(),
                new Lease(
                        membership.store().leaseLeft().toNanos() / 1e9,
                        leaseCounts.waited().sum(),
                        leaseCounts.refused().sum()),
                new Exchange(
                        exchange.calls().sum(),
                        exchange.failed().sum(),
                        exchange.skipped().sum(),
                        exchange.waitedNanos().sum() / 1e9),
                placed(config.cluster().orElseThrow().name()));
    }

    private ClusterFigures.CubeCounts placed(String self) {
        int served = 0;
        int unserved = 0;
        for (String cube : membership.placed().keySet()) {
            Optional<Owner> owner = membership.of(cube).owner().filter(Owner::isServing);
            if (owner.isEmpty()) {
                unserved++;
            } else if (owner.get().name().equals(self)) {
                served++;
            }
        }
        return new ClusterFigures.CubeCounts(served, unserved);
    }

    /** Returns the address of metrics, with the actual port; empty when metrics are disabled. */
    Optional<InetSocketAddress> address() {
        return listener.map(HttpServer::address);
    }

    @Override
    public void close() {
        upkeeps.forEach(Upkeep::close);
        listener.ifPresent(HttpServer::close);
        metrics.ifPresent(Metrics::close);
    }
}
