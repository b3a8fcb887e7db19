package io.volute.server.cluster;

import io.volute.bookkeeper.ClusterMembership;
import io.volute.server.admin.AdminFront;
import io.volute.server.admin.AdminParts.ClusterControl;
import io.volute.server.cluster.ClusterOrders.Registered;
import io.volute.server.cluster.ClusterOrders.TakeOver;
import io.volute.server.cluster.HopSeal.Entrance;
import io.volute.server.cluster.StoreOwner.Local;
import io.volute.server.cluster.StoreOwner.NodeContext;
import io.volute.server.config.ServerConfig;
import io.volute.server.encryption.Keyring;
import io.volute.server.http.HttpServer;
import io.volute.server.http.HttpServer.Service;
import io.volute.server.http.HttpSettings;
import io.volute.server.http.watch.RequestWatch;
import io.volute.server.metrics.ClusterFigures;
import io.volute.server.s3.request.S3Handler;
import io.volute.server.startup.Listeners;
import io.volute.server.startup.ServerRole;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;

/** The role of the owner, for the server with the store: one for each election. Thread-safe. */
final class OwnerRole implements ServerRole {
    private static final String KEYRING = "keyring";

    private final ServerConfig config;
    private final boolean isAdminApart;
    private final NodeContext node;
    private final long own;
    private final OwnerLease lease;
    private volatile HttpServer.Readiness health = HttpServer.Readiness.ALWAYS;
    private volatile ClosingGate gate = new ClosingGate(RequestWatch.NONE);
    private volatile Optional<Local> opened = Optional.empty();
    private volatile Optional<TakeOver> takeOver = Optional.empty();

    /**
     * @param isAdminApart whether clients reach the admin API at another address than S3
     * @param own the election
     */
    OwnerRole(ServerConfig config, boolean isAdminApart, NodeContext node, long own) {
        this.config = config;
        this.isAdminApart = isAdminApart;
        this.node = node;
        this.own = own;
        ClusterMembership membership = node.membership();
        long patience = config.cluster().orElseThrow().patience().toNanos();
        this.lease =
                new OwnerLease(
                        new OwnerLease.Source() {
                            @Override
                            public boolean isHeld() {
                                return membership.holdsLease(own);
                            }

                            @Override
                            public boolean await() throws InterruptedException {
                                return membership.awaitLease(own, patience);
                            }
                        },
                        () -> health.takesWrites(),
                        node.leaseCounts());
    }

    /** Returns the services of the store; empty until it is open. */
    Optional<Local> opened() {
        return opened;
    }

    /** Notes that this node serves the store. */
    void serves(TakeOver done) {
        takeOver = Optional.of(done);
    }

    boolean takesWrites() {
        return lease.takesWrites();
    }

    /** Returns whether the operator has ordered that another node shall have the store. */
    boolean isHandedOver() {
        return gate.isClosed();
    }

    /**
     * Waits for the requests of this node's own clients, after {@link #isHandedOver}; false when
     * some are under way after that time.
     */
    boolean awaitNoRequests(long waitNanos) throws InterruptedException {
        return gate.awaitNone(waitNanos);
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
        ClosingGate local = new ClosingGate(clients.watch());
        gate = local;
        S3Handler handler = clients.handler();
        S3Handler s3 = isAdminApart ? handler : front.apply(handler);
        S3Handler admin = front.apply(AdminFront.nothingElse());
        opened =
                Optional.of(
                        new Local(
                                local(clients, local, s3, Entrance.S3),
                                local(clients, local, admin, Entrance.ADMIN),
                                Optional.empty()));
        HopGate hops = new HopGate(node.seal(), own, hopped(local, s3), hopped(local, admin));
        Service service = new Service(hops, clients.ready(), clients.watch(), hops::arrival);
        return Listeners.start(on, () -> service, () -> service, clock, random);
    }

    private Service local(
            Service clients, ClosingGate counted, S3Handler handler, Entrance entrance) {
        S3Handler next = node.next().apply(entrance);
        S3Handler leased = new LeasedHandler(handler, lease, next);
        return new Service(
                counted.before(leased, next), clients.ready(), counted, clients.arrival());
    }

    private S3Handler hopped(ClosingGate local, S3Handler handler) {
        S3Handler leased = new LeasedHandler(handler, lease, HopGate.REFUSED);
        return (head, body) -> (local.isClosed() ? HopGate.REFUSED : leased).handle(head, body);
    }

    @Override
    public Optional<HttpServer> publish(
            HttpSettings settings, Service page, InstantSource clock, RandomGenerator random) {
        opened = opened.map(each -> new Local(each.s3(), each.admin(), Optional.of(page)));
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
    public Optional<ClusterControl> cluster() {
        return Optional.of(
                new ClusterOrders(
                        orders(node.membership()),
                        config.cluster().orElseThrow().name(),
                        () -> takeOver,
                        () -> gate.close()));
    }

    private static ClusterOrders.Membership orders(ClusterMembership membership) {
        return new ClusterOrders.Membership() {
            @Override
            public List<Registered> nodes() {
                return membership.view().nodes().stream()
                        .map(
                                each ->
                                        new Registered(
                                                each.name(),
                                                each.address(),
                                                each.version(),
                                                each.isReady(),
                                                each.lagSeconds()))
                        .toList();
            }

            @Override
            public Set<String> drained() throws IOException {
                return membership.drained();
            }

            @Override
            public void setDrained(String name, boolean isDrained) throws IOException {
                membership.setDrained(name, isDrained);
            }

            @Override
            public void wantNext(String name) throws IOException {
                membership.wantNext(name);
            }

            @Override
            public Map<String, Long> epochs() throws IOException {
                return membership.epochs();
            }

            @Override
            public Duration session() {
                return membership.session();
            }
        };
    }

    @Override
    public Keyring.Place keyring(Keyring.Place own) {
        return SharedKeys.keyring(SharedKeys.Shared.in(node.membership().file(KEYRING)), own);
    }
}
