package io.volute.server.cluster;

import io.volute.adminapi.ClusterApi;
import io.volute.adminapi.ClusterApi.Cluster;
import io.volute.bookkeeper.ClusterMembership;
import io.volute.bookkeeper.ClusterView;
import io.volute.server.Server;
import io.volute.server.admin.AdminFront;
import io.volute.server.cluster.HopSeal.Entrance;
import io.volute.server.config.ServerConfig;
import io.volute.server.config.cluster.ClusterConfig;
import io.volute.server.encryption.Keyring;
import io.volute.server.http.HttpServer;
import io.volute.server.http.HttpServer.Service;
import io.volute.server.http.HttpSettings;
import io.volute.server.http.HttpSettings.Caps;
import io.volute.server.http.HttpSettings.Timeouts;
import io.volute.server.http.Proxies;
import io.volute.server.metrics.ClusterFigures;
import io.volute.server.s3.request.S3Handler;
import io.volute.server.startup.Listeners;
import io.volute.server.startup.ServerRole;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens the store whenever this node is elected, and closes it when the role is lost. A take-over
 * has these steps:
 *
 * <ol>
 *   <li>The cubes claim their segment lists, fence the ledgers and recover, as at every start.
 *   <li>The listener for other nodes opens.
 *   <li>The node announces that it serves. The other nodes forward to it from now on.
 * </ol>
 *
 * One thread does this. {@link #local} is for all threads.
 */
final class StoreOwner implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StoreOwner.class);
    private static final String KEYRING = "keyring";

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** Longer than a node keeps an idle connection, so that it never uses a closed one. */
    private static final Duration IDLE = Duration.ofMinutes(2);

    /**
     * What a store needs from the node.
     *
     * @param next handles requests of this node's clients by the next owner
     * @param entrance the HTTP server that clients use
     */
    record NodeContext(
            ClusterMembership membership,
            HopSeal seal,
            Map<String, String> environment,
            Function<Entrance, S3Handler> next,
            Supplier<HttpServer> entrance,
            Supplier<ClusterFigures> figures,
            InstantSource clock,
            LongSupplier nanos) {}

    /**
     * The services of the store while it is open on this node.
     *
     * @param metrics empty when metrics are disabled
     */
    record Local(Service s3, Service admin, Optional<Service> metrics) {}

    /** An opening of the store that has succeeded. */
    private record TakeOver(Instant since, long millis) {}

    private final ServerConfig config;
    private final boolean isAdminApart;
    private final NodeContext node;
    private final Thread thread;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final LongAdder takeOvers = new LongAdder();
    private volatile HttpServer.Readiness health = HttpServer.Readiness.ALWAYS;
    private volatile Optional<Local> opening = Optional.empty();
    private volatile Optional<Local> local = Optional.empty();
    private volatile Optional<TakeOver> takeOver = Optional.empty();
    private volatile Optional<Throwable> failure = Optional.empty();

    StoreOwner(ServerConfig config, NodeContext node) {
        this.config =
                config.listening(
                        between(config.http(), config.cluster().orElseThrow()),
                        Optional.empty(),
                        config.metrics());
        this.isAdminApart = config.adminAddress().isPresent();
        this.node = node;
        this.thread = Thread.ofPlatform().name("owner-0").unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    /** Returns the settings of the listener for other nodes, which limit their clients already. */
    private static HttpSettings between(HttpSettings http, ClusterConfig cluster) {
        Caps caps = http.caps();
        Timeouts times = http.timeouts();
        return new HttpSettings(
                cluster.address(),
                cluster.tls(),
                new Caps(
                        caps.connections(),
                        caps.connections(),
                        caps.requestsInFlight(),
                        caps.requestsInFlight(),
                        caps.bufferBytes()),
                new Timeouts(
                        times.header(),
                        IDLE,
                        times.bodyIdle(),
                        times.writeIdle(),
                        times.bodyRate()),
                Proxies.NONE);
    }

    /** Returns the services of the store if it is open on this node. */
    Optional<Local> local() {
        return local;
    }

    /** Returns why the last take-over failed; empty if it did not. */
    Optional<Throwable> failure() {
        return failure;
    }

    /** Returns the number of times that this node has taken the store over. */
    long takeOvers() {
        return takeOvers.sum();
    }

    private void run() {
        try {
            for (long own = await(); own != 0; own = await()) {
                hold(own);
            }
        } catch (InterruptedException e) {
            LOG.warn("interrupted: this node takes nothing over any more");
        }
    }

    private long await() throws InterruptedException {
        return node.membership().awaitElection();
    }

    private void hold(long own) throws InterruptedException {
        long begun = node.nanos().getAsLong();
        Server server;
        try {
            server = Server.start(config, node.environment(), new Role(own));
        } catch (IOException | RuntimeException | Error e) {
            LOG.error("this node cannot take the store over: {}", e.getMessage(), e);
            failure = Optional.of(e);
            standAgainLater();
            return;
        }
        End end = End.LOST;
        try {
            failure = Optional.empty();
            local = opening;
            node.membership().announceServing(own);
            takeOvers.increment();
            long millis = TimeUnit.NANOSECONDS.toMillis(node.nanos().getAsLong() - begun);
            takeOver = Optional.of(new TakeOver(node.clock().instant(), millis));
            LOG.info("this node has the store, {} ms after its election", millis);
            end = awaitEnd(own);
        } catch (IOException e) {
            LOG.error("this node cannot announce itself: {}", e.getMessage(), e);
        } finally {
            local = Optional.empty();
            takeOver = Optional.empty();
            LOG.info("this node closes the store: {}", end.reason);
            boolean isClean = server.stop(end == End.LEAVING ? config.shutdown() : Duration.ZERO);
            LOG.info("closed the store{}", isClean ? "" : ", not cleanly");
        }
        if (end == End.READ_ONLY) {
            standAgainLater();
        }
    }

    /** The reason why this node closes the store. */
    private enum End {
        LOST("it is no longer the owner"),
        LEAVING("it stops"),
        READ_ONLY("a write has failed, and a node that opens the store can go on");

        private final String reason;

        End(String reason) {
            this.reason = reason;
        }
    }

    private End awaitEnd(long own) throws InterruptedException {
        while (node.membership().election() == own) {
            if (node.membership().isLeaving()) {
                return End.LEAVING;
            }
            if (!health.takesWrites()) {
                return End.READ_ONLY;
            }
            node.membership().awaitLoss(own, LOOK_NANOS);
        }
        return End.LOST;
    }

    /** Lets another node try first. */
    private void standAgainLater() throws InterruptedException {
        node.membership().resign();
        if (!closed.await(config.logStore().session().toMillis(), TimeUnit.MILLISECONDS)) {
            node.membership().stand();
        }
    }

    private ClusterApi.ClusterNode document(ClusterView.Node each) {
        return new ClusterApi.ClusterNode(
                each.name(),
                each.address(),
                each.version(),
                each.name().equals(config.cluster().orElseThrow().name()));
    }

    /** The role of the owner, for the server with the store. */
    private final class Role implements ServerRole {
        private final LeasedHandler.Lease lease;

        Role(long own) {
            ClusterMembership membership = node.membership();
            long patience = config.cluster().orElseThrow().patience().toNanos();
            this.lease =
                    new LeasedHandler.Lease() {
                        @Override
                        public boolean isHeld() {
                            return membership.holdsLease(own) && health.takesWrites();
                        }

                        @Override
                        public boolean await() throws InterruptedException {
                            return health.takesWrites() && membership.awaitLease(own, patience);
                        }
                    };
        }

        /** The other addresses are the node's. */
        @Override
        public void requireFree(ServerConfig on) throws IOException {
            HttpServer.requireFree(on.http().listen());
        }

        @Override
        public Listeners listen(
                ServerConfig on,
                Service clients,
                UnaryOperator<S3Handler> front,
                InstantSource clock,
                RandomGenerator random)
                throws IOException {
            // A store that accepts damage is read-only from its start, on every node.
            boolean isWritable = clients.ready().takesWrites();
            health = isWritable ? clients.ready() : HttpServer.Readiness.ALWAYS;
            S3Handler handler = clients.handler();
            S3Handler s3 = isAdminApart ? handler : front.apply(handler);
            S3Handler admin = front.apply(AdminFront.nothingElse());
            opening =
                    Optional.of(
                            new Local(
                                    clients.with(leased(s3, node.next().apply(Entrance.S3))),
                                    clients.with(leased(admin, node.next().apply(Entrance.ADMIN))),
                                    Optional.empty()));
            HopGate gate =
                    new HopGate(
                            node.seal(),
                            leased(s3, HopGate.REFUSED),
                            leased(admin, HopGate.REFUSED));
            Service hops = new Service(gate, clients.ready(), clients.watch(), gate::arrival);
            return Listeners.start(on, () -> hops, () -> hops, clock, random);
        }

        private LeasedHandler leased(S3Handler handler, S3Handler otherwise) {
            return new LeasedHandler(handler, lease, otherwise);
        }

        @Override
        public Optional<HttpServer> publish(
                HttpSettings settings, Service page, InstantSource clock, RandomGenerator random) {
            opening = opening.map(each -> new Local(each.s3(), each.admin(), Optional.of(page)));
            return Optional.empty();
        }

        @Override
        public HttpServer entrance(HttpServer hops) {
            return node.entrance().get();
        }

        @Override
        public ClusterFigures figures() {
            return node.figures().get();
        }

        @Override
        public Optional<Cluster> cluster() {
            return takeOver.map(
                    done ->
                            new Cluster(
                                    config.cluster().orElseThrow().name(),
                                    done.since(),
                                    done.millis(),
                                    node.membership().session().toMillis(),
                                    node.membership().view().nodes().stream()
                                            .map(StoreOwner.this::document)
                                            .toList()));
        }

        @Override
        public Keyring.Place keyring(Keyring.Place own) {
            return SharedKeys.keyring(SharedKeys.Shared.in(node.membership().file(KEYRING)), own);
        }
    }

    /** Closes the store. This node stays the owner, and another is elected when it has left. */
    @Override
    public void close() {
        closed.countDown();
        node.membership().leave();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
