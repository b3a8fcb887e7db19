package io.volute.server.cluster;

import io.volute.bookkeeper.ClusterMembership;
import io.volute.provenance.keys.MasterKey;
import io.volute.server.ResourceStack;
import io.volute.server.admin.AdminFront;
import io.volute.server.admin.AdminParts.ClusterControl;
import io.volute.server.admin.OtherAnswers;
import io.volute.server.backup.OtherCubes;
import io.volute.server.cluster.exchange.ExchangeCounts;
import io.volute.server.cluster.exchange.OwnerExchange;
import io.volute.server.cluster.hop.HopGate.Handlers;
import io.volute.server.cluster.hop.HopSeal.Entrance;
import io.volute.server.cluster.owners.OwnerCalls;
import io.volute.server.cluster.owners.SharedKeyring;
import io.volute.server.cluster.standby.FollowedCube;
import io.volute.server.config.ServerConfig;
import io.volute.server.encryption.Keyring;
import io.volute.server.encryption.KeyringPlace;
import io.volute.server.http.HttpServer;
import io.volute.server.http.HttpServer.Service;
import io.volute.server.http.HttpSettings;
import io.volute.server.http.watch.RequestWatch;
import io.volute.server.metrics.ClusterFigures;
import io.volute.server.metrics.StandbyFigures;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.RequestBody;
import io.volute.server.s3.request.S3Handler;
import io.volute.server.startup.CubeFiles;
import io.volute.server.startup.ServerRole;
import io.volute.server.tracing.Tracing;
import io.volute.storage.Cube;
import io.volute.versioning.ObjectStores;
import io.volute.versioning.StoreCubes;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.value.BucketName;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The role of the server of a node. The node listens, and passes the requests of its clients and of
 * other nodes to {@link #services}. The server has the placed cubes of this node, and the store
 * while the node owns it. Otherwise users, policies and placements are those of the system cube as
 * the node follows it. Thread-safe.
 */
final class NodeRole implements ServerRole {
    private static final Logger LOG = LoggerFactory.getLogger(NodeRole.class);
    private static final long USERS_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final int MOST_WAITING = 64;
    private static final Duration EXCHANGE_LIMIT = Duration.ofMillis(500);

    private final Context node;
    private final boolean isElected;
    private final FollowedCube system;
    private final NewestUsers users;
    private final Dispatcher dispatcher;
    private volatile Optional<StoreTerm> term = Optional.empty();
    private volatile Optional<NodeServices> services = Optional.empty();
    private volatile Optional<StoreCubes> cubes = Optional.empty();
    private volatile Optional<OwnerExchange> exchange = Optional.empty();

    /**
     * What a server needs from its node.
     *
     * @param isAdminApart whether clients reach the admin API at another address than S3
     * @param cubes the cubes of the node, and their standbys
     * @param placed the placed cubes that this node owns
     * @param owners the other owners, which are asked before writes
     * @param elsewhere returns the handler of clients' requests that another node answers
     * @param connected the readiness of a node without the store
     * @param keyring of the cluster
     * @param bucketCalls creates and deletes buckets in cubes of other nodes
     * @param snapshots takes snapshots of cubes of other nodes
     * @param answers of the other owners to requests of the admin API
     * @param nodeCalls handles calls of other nodes
     * @param entrance the HTTP server that clients use
     */
    record Context(
            ServerConfig config,
            boolean isAdminApart,
            ClusterMembership membership,
            NodeCubes cubes,
            PlacedCubes placed,
            OwnerLease.Counts leaseCounts,
            OtherOwners owners,
            ExchangeCounts exchanges,
            Map<String, String> environment,
            Function<Entrance, S3Handler> elsewhere,
            HttpServer.Readiness connected,
            SharedKeyring keyring,
            OwnerCalls bucketCalls,
            OtherCubes snapshots,
            OtherAnswers answers,
            S3Handler nodeCalls,
            Supplier<HttpServer> entrance,
            Supplier<ClusterFigures> figures,
            InstantSource clock,
            LongSupplier nanos) {}

    /**
     * @param isElected whether the server begins with the system cube; otherwise the node follows
     *     it, and has a view
     */
    NodeRole(Context node, boolean isElected) {
        this.node = node;
        this.isElected = isElected;
        this.system = node.cubes().system();
        this.users = new NewestUsers(system, USERS_NANOS, MOST_WAITING);
        this.dispatcher =
                new Dispatcher(
                        new RequestPlaces(node.config().protocol().domains(), new KnownCubes()),
                        new OwnedHere(),
                        this::knowsUsers,
                        this::awaitExchange);
    }

    /** Sets whether this node serves the store; empty before it is closed. */
    void serve(Optional<StoreTerm> now) {
        term = now;
    }

    /** Returns the time for which this node serves the store; empty while it does not. */
    Optional<StoreTerm> term() {
        return term;
    }

    /** The cubes that this node owns now. */
    private final class OwnedHere implements Dispatcher.Owned {
        @Override
        public Optional<Serving> cube(String name) {
            return node.placed().serving(name);
        }

        @Override
        public Optional<Serving> store() {
            return term.map(StoreTerm::serving);
        }

        @Override
        public boolean isElsewhere(String cube) {
            return node.placed().ownerElsewhere(cube).isPresent();
        }

        @Override
        public void deleted(BucketName bucket, String cube) {
            try {
                cubes.orElseThrow().deletedElsewhere(bucket);
            } catch (IOException | RuntimeException e) {
                LOG.warn("the buckets of cube {} are compared later: {}", cube, e.getMessage());
                mayBeDeleted(cube);
            }
        }

        @Override
        public void mayBeDeleted(String cube) {
            node.bucketCalls().countUnknown(cube);
        }
    }

    /** The cubes of the server. */
    private final class KnownCubes implements RequestPlaces.Known {
        private final PastBuckets past = new PastBuckets(node.nanos());

        @Override
        public Optional<String> ofBucket(BucketName bucket) {
            return cubes.flatMap(all -> all.cubeOf(bucket));
        }

        @Override
        public Optional<String> ofDeleted(BucketName bucket) {
            return cubes.flatMap(all -> past.cubeOf(bucket, all.store().history()));
        }

        @Override
        public Optional<String> ofRestore(String id) {
            return cubes.flatMap(all -> all.store().restore().cubeOf(id));
        }

        @Override
        public boolean isPlaced(String cube) {
            return isLeaving(cube) || node.placed().isPlaced(cube);
        }

        @Override
        public boolean isSomePlaced() {
            return isSomeLeaving() || node.placed().isSomePlaced();
        }
    }

    /** Returns whether a cube leaves this node, and its placement is not known yet. */
    private boolean isLeaving(String cube) {
        return term.filter(now -> now.placer().isLeaving(cube)).isPresent();
    }

    private boolean isSomeLeaving() {
        return term.filter(now -> now.placer().isSomeLeaving()).isPresent();
    }

    /** Returns the placed cube whose owner gets a request; empty for the owner of the store. */
    Optional<String> routeOf(HttpHead head, RequestBody body) {
        return dispatcher.routeOf(head, body);
    }

    /** Returns the handlers of requests of other nodes for an election; empty for none of its. */
    Optional<Handlers> hops(long election) {
        return services.filter(now -> isOwn(election)).map(NodeServices::hops);
    }

    private boolean isOwn(long election) {
        return node.placed().isOwn(election)
                || term.filter(now -> now.serving().election() == election).isPresent();
    }

    /** Returns the services; empty until the server listens. */
    Optional<NodeServices> services() {
        return services;
    }

    /**
     * Returns whether users and policies are as new as they must be for a request. The bound of the
     * lag is that of a standby: a removed key is of no use beyond it.
     */
    private boolean knowsUsers() {
        Duration most = node.config().cluster().orElseThrow().standbyLag();
        return system.lagNanos() <= most.toNanos();
    }

    @Override
    public boolean awaitUsers() {
        if (system.isHere()) {
            return false;
        }
        users.await();
        return true;
    }

    @Override
    public boolean hasStore() {
        return term.isPresent();
    }

    /** {@inheritDoc} The directory is the node's. */
    @Override
    public Place place(
            ServerConfig on,
            CubeFiles.Means means,
            Optional<Tracing> tracing,
            ResourceStack resources)
            throws IOException {
        node.cubes().files().begin(tracing);
        if (isElected) {
            node.cubes().openSystem();
        }
        return new Place(node.cubes().directory(), node.cubes().files(), system);
    }

    @Override
    public StoreCubes open(
            Place place, Function<Cube, StoreOptions> options, StoreCubes.Placement rule)
            throws IOException {
        StoreCubes opened =
                ObjectStores.openNode(
                        node.cubes(), place.system(), options, rule, node.bucketCalls());
        opened.reads().setShared(node.placed().isSomePlaced());
        cubes = Optional.of(opened);
        return opened;
    }

    /** The addresses are the node's. */
    @Override
    public void requireFree(ServerConfig on) {}

    @Override
    public Listening listen(
            ServerConfig on,
            Service clients,
            UnaryOperator<S3Handler> front,
            InstantSource clock,
            RandomGenerator random) {
        Service served = new Service(clients.handler(), ready(clients), watch(clients));
        exchange = Optional.of(newExchange());
        S3Handler handler = clients.handler();
        S3Handler s3 = node.isAdminApart() ? handler : front.apply(handler);
        S3Handler admin = front.apply(AdminFront.nothingElse());
        Handlers hops =
                new Handlers(
                        dispatcher.ofNodes(s3, node.elsewhere().apply(Entrance.S3)),
                        dispatcher.ofNodes(admin, node.elsewhere().apply(Entrance.ADMIN)),
                        node.nodeCalls(),
                        served.watch());
        services =
                Optional.of(
                        new NodeServices(
                                local(served, s3, Entrance.S3),
                                local(served, admin, Entrance.ADMIN),
                                hops,
                                Optional.empty()));
        return new NodeListening();
    }

    private OwnerExchange newExchange() {
        return new OwnerExchange(
                cubes.orElseThrow().reads(),
                sequences(node.cubes().files()),
                node.owners(),
                EXCHANGE_LIMIT,
                node.exchanges(),
                node.nanos());
    }

    private void awaitExchange() throws InterruptedException {
        if (exchange.isPresent()) {
            exchange.get().await();
        }
    }

    private static OwnerExchange.Sequences sequences(CubeFiles files) {
        return new OwnerExchange.Sequences() {
            @Override
            public long last() {
                return files.lastSequence();
            }

            @Override
            public void passed(long sequence) {
                files.passed(sequence);
            }
        };
    }

    /** Answers the exchange of another owner. */
    byte[] answerExchange(byte[] question) throws IOException {
        return exchange.orElseThrow(() -> new IOException("the server of this node is starting"))
                .answer(question);
    }

    private Service local(Service served, S3Handler server, Entrance entrance) {
        return new Service(
                dispatcher.ofClients(server, node.elsewhere().apply(entrance)),
                served.ready(),
                served.watch());
    }

    private RequestWatch watch(Service server) {
        return dispatcher.watch(server.watch());
    }

    /** Returns the readiness of the server, and without the store that of the node, too. */
    private HttpServer.Readiness ready(Service server) {
        return new HttpServer.Readiness() {
            @Override
            public boolean isReady() {
                return server.ready().isReady() && (hasStore() || node.connected().isReady());
            }

            @Override
            public boolean takesWrites() {
                return server.ready().takesWrites();
            }

            @Override
            public String degraded() {
                String own = server.ready().degraded();
                return own.isEmpty() && !hasStore() ? node.connected().degraded() : own;
            }
        };
    }

    /** The listening addresses of the node, which stay open. */
    private final class NodeListening implements Listening {
        @Override
        public HttpServer s3() {
            return node.entrance().get();
        }

        @Override
        public InetSocketAddress address() {
            return s3().address();
        }

        @Override
        public Optional<InetSocketAddress> adminAddress() {
            return Optional.empty();
        }

        /** {@inheritDoc} The owners of the store and of the cubes wait for those. */
        @Override
        public boolean drain(Duration patience) {
            return true;
        }

        /** The node passes no more requests to the server. */
        @Override
        public void close() {}
    }

    @Override
    public Optional<HttpServer> publish(
            HttpSettings settings, Service page, InstantSource clock, RandomGenerator random) {
        services = services.map(each -> each.with(page));
        return Optional.empty();
    }

    @Override
    public HttpServer entrance(HttpServer own) {
        return node.entrance().get();
    }

    @Override
    public ClusterFigures figures() {
        return node.figures().get();
    }

    @Override
    public Map<String, StandbyFigures> standbys() {
        return node.cubes().standbys();
    }

    @Override
    public OtherAnswers otherAnswers() {
        return node.answers();
    }

    @Override
    public OtherCubes otherCubes() {
        return node.snapshots();
    }

    @Override
    public Keyring keyring(KeyringPlace own, MasterKey master, SecureRandom random)
            throws IOException {
        return node.keyring().open(own, master, random);
    }

    @Override
    public Optional<ClusterControl> cluster() {
        return Optional.of(
                new ClusterOrders(
                        ClusterOrders.Membership.of(node.membership()),
                        node.config().cluster().orElseThrow().name(),
                        () -> term.flatMap(StoreTerm::takeOver),
                        () -> required().serving().gate().close(),
                        (cube, to) -> required().placer().order(cube, to)));
    }

    private StoreTerm required() {
        return term.orElseThrow(
                () -> new UncheckedIOException(FollowedCube.elsewhere(StoreCubes.SYSTEM)));
    }
}
