package io.volute.server.cluster;

import io.volute.bookkeeper.ClusterMembership;
import io.volute.provenance.keys.MasterKey;
import io.volute.server.ResourceStack;
import io.volute.server.admin.AdminFront;
import io.volute.server.backup.OtherCubes;
import io.volute.server.cluster.exchange.ExchangeCounts;
import io.volute.server.cluster.exchange.OwnerExchange;
import io.volute.server.cluster.hop.Forwarder;
import io.volute.server.cluster.hop.HopGate.Handlers;
import io.volute.server.cluster.hop.HopSeal.Entrance;
import io.volute.server.cluster.owners.OwnerCalls;
import io.volute.server.cluster.owners.SharedKeyring;
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
import io.volute.versioning.StoreCubes;
import io.volute.versioning.value.BucketName;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;

/**
 * The role of a server that a node of a cluster runs. The node listens, and passes the requests of
 * its clients and of other nodes to {@link #services}. Thread-safe.
 */
abstract class NodeRole implements ServerRole {
    private static final Duration EXCHANGE_LIMIT = Duration.ofMillis(500);
    private static final Set<String> READS = Set.of("GET", "HEAD", "OPTIONS");

    private final Context node;
    private final RequestPlaces places;
    private final PlacedRequests placed;
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
     * @param keyring of the cluster
     * @param bucketCalls creates and deletes buckets in cubes of other nodes
     * @param snapshots takes snapshots of cubes of other nodes
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
            SharedKeyring keyring,
            OwnerCalls bucketCalls,
            OtherCubes snapshots,
            S3Handler nodeCalls,
            Supplier<HttpServer> entrance,
            Supplier<ClusterFigures> figures,
            InstantSource clock,
            LongSupplier nanos) {}

    NodeRole(Context node) {
        this.node = node;
        this.places = new RequestPlaces(node.config().protocol().domains(), new KnownCubes());
        this.placed = new PlacedRequests(places, node.placed()::serving, this::knowsUsers);
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
    boolean isLeaving(String cube) {
        return false;
    }

    /** Returns whether {@link #isLeaving} is true for some cube. */
    boolean isSomeLeaving() {
        return false;
    }

    /** Returns what finds the cubes of requests. */
    RequestPlaces places() {
        return places;
    }

    PlacedRequests placed() {
        return placed;
    }

    /** Returns the placed cube whose owner gets a request; empty for the owner of the store. */
    abstract Optional<String> routeOf(HttpHead head, RequestBody body);

    /** Returns the handlers of requests of other nodes for an election; empty for none of its. */
    Optional<Handlers> hops(long election) {
        return services.filter(now -> isOwn(election)).map(NodeServices::hops);
    }

    Context node() {
        return node;
    }

    /** Returns the services; empty until the server listens. */
    Optional<NodeServices> services() {
        return services;
    }

    /** Returns whether users and policies are as new as they must be for a request. */
    abstract boolean knowsUsers();

    /** Returns whether an election is one of this node that requests can be for. */
    abstract boolean isOwn(long election);

    /**
     * Returns the watch of requests of this node's clients. Called before the first request.
     *
     * @param server the service of the server
     */
    abstract RequestWatch watch(Service server);

    /** Returns the watch of requests of other nodes. */
    abstract RequestWatch hopWatch(Service server);

    /**
     * Returns the handler of clients' requests that are for the owner of the store.
     *
     * @param server handles them if this is the owner
     * @param otherwise handles them if it is not
     */
    abstract S3Handler ofStore(S3Handler server, S3Handler otherwise);

    /** Returns the handler of such requests that come from other nodes. */
    abstract S3Handler hoppedOfStore(S3Handler server, Entrance entrance);

    /** Notes that the store need not wait for a request of this node's clients. */
    abstract void passOn(HttpHead head);

    /** Notes that the store need not wait for a request of another node. */
    abstract void passOnHop(HttpHead head);

    /** Returns the handler of requests of other nodes in cubes that this node does not have. */
    abstract S3Handler hoppedElsewhere(Entrance entrance);

    /** Returns the system cube for the server. */
    abstract Cube system(ResourceStack resources) throws IOException;

    /** {@inheritDoc} The directory is the node's. */
    @Override
    public Place place(
            ServerConfig on,
            CubeFiles.Means means,
            Optional<Tracing> tracing,
            ResourceStack resources)
            throws IOException {
        node.cubes().files().begin(tracing);
        return new Place(node.cubes().directory(), node.cubes().files(), system(resources));
    }

    /** Returns the place of each cube of a request, from the cubes of the server. */
    StoreCubes knowing(StoreCubes opened) {
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
        RequestWatch watch = new NodeServices.Watch(watch(clients), placed);
        OwnerExchange with = newExchange();
        exchange = Optional.of(with);
        S3Handler handler = clients.handler();
        S3Handler s3 = exchanging(with, node.isAdminApart() ? handler : front.apply(handler));
        S3Handler admin = exchanging(with, front.apply(AdminFront.nothingElse()));
        Handlers hops =
                new Handlers(
                        hopped(s3, Entrance.S3),
                        hopped(admin, Entrance.ADMIN),
                        node.nodeCalls(),
                        new NodeServices.Watch(hopWatch(clients), placed));
        services =
                Optional.of(
                        new NodeServices(
                                local(clients, watch, s3, Entrance.S3),
                                local(clients, watch, admin, Entrance.ADMIN),
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

    /** Asks the other owners for what happened before a request that may write. */
    private static S3Handler exchanging(OwnerExchange with, S3Handler server) {
        return (head, body) -> {
            try {
                if (!READS.contains(head.method())) {
                    with.await();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return Forwarder.unavailable(head, "The server is stopping.");
            }
            return server.handle(head, body);
        };
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

    private Service local(
            Service clients, RequestWatch watch, S3Handler server, Entrance entrance) {
        S3Handler elsewhere = node.elsewhere().apply(entrance);
        return new Service(
                placed.handler(server, ofStore(server, elsewhere), elsewhere, this::passOn),
                clients.ready(),
                watch);
    }

    private S3Handler hopped(S3Handler server, Entrance entrance) {
        return placed.handler(
                server,
                hoppedOfStore(server, entrance),
                hoppedElsewhere(entrance),
                this::passOnHop);
    }

    /** Waits until no request is under way in the server; false when some are after that time. */
    abstract boolean awaitNoRequests(Duration patience) throws InterruptedException;

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

        @Override
        public boolean drain(Duration patience) throws InterruptedException {
            return awaitNoRequests(patience);
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
    public OtherCubes otherCubes() {
        return node.snapshots();
    }

    @Override
    public Keyring keyring(KeyringPlace own, MasterKey master, SecureRandom random)
            throws IOException {
        return node.keyring().open(own, hasStore(), master, random);
    }
}
