package io.volute.server.cluster;

import io.volute.bookkeeper.ClusterMembership;
import io.volute.bookkeeper.ClusterRole;
import io.volute.server.ResourceStack;
import io.volute.server.admin.AdminParts.ClusterControl;
import io.volute.server.cluster.ClusterOrders.Placed;
import io.volute.server.cluster.ClusterOrders.Registered;
import io.volute.server.cluster.ClusterOrders.TakeOver;
import io.volute.server.cluster.hop.HopGate;
import io.volute.server.cluster.hop.HopSeal.Entrance;
import io.volute.server.cluster.placing.CubePlacer;
import io.volute.server.cluster.placing.OwnedCubes;
import io.volute.server.cluster.placing.Placements;
import io.volute.server.config.cluster.ClusterConfig;
import io.volute.server.config.cluster.ClusterConfig.Distribution;
import io.volute.server.http.HttpServer.Service;
import io.volute.server.http.watch.RequestWatch;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.RequestBody;
import io.volute.server.s3.request.S3Handler;
import io.volute.server.s3.request.S3Response;
import io.volute.storage.Cube;
import io.volute.storage.CubeState;
import io.volute.versioning.ObjectStores;
import io.volute.versioning.StoreCubes;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.value.BucketName;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The role of the owner of the store, for its server: one for each election. Thread-safe. */
final class StoreRole extends NodeRole {
    private static final Logger LOG = LoggerFactory.getLogger(StoreRole.class);
    private static final int BAD_REQUEST = 400;
    private static final int INTERNAL_ERROR = 500;

    private final long own;
    private final OwnerLease lease;
    private final TakeOverStages stages;
    private volatile BooleanSupplier writable = () -> true;
    private volatile Optional<StoreCubes> cubes = Optional.empty();
    private volatile Optional<CubePlacer> placer = Optional.empty();
    private volatile ClosingGate gate = new ClosingGate(RequestWatch.NONE);
    private volatile ClosingGate hops = new ClosingGate(RequestWatch.NONE);
    private volatile Optional<TakeOver> takeOver = Optional.empty();

    /**
     * @param own the election
     */
    StoreRole(Context node, long own) {
        super(node);
        this.own = own;
        this.stages = new TakeOverStages(node.nanos());
        ClusterRole role = node.membership().store();
        Duration patience = node.config().cluster().orElseThrow().patience();
        this.lease =
                new OwnerLease(
                        OwnerLease.Source.of(role, own, patience),
                        () -> writable.getAsBoolean(),
                        node.leaseCounts());
    }

    /** Returns the stages of the take-over by this node. */
    TakeOverStages stages() {
        return stages;
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

    @Override
    boolean isLeaving(String cube) {
        return placer.filter(each -> each.isLeaving(cube)).isPresent();
    }

    @Override
    boolean isSomeLeaving() {
        return placer.filter(CubePlacer::isSomeLeaving).isPresent();
    }

    @Override
    boolean knowsUsers() {
        return true;
    }

    @Override
    boolean isOwn(long election) {
        return election == own || node().placed().isOwn(election);
    }

    @Override
    boolean awaitNoRequests(Duration patience) throws InterruptedException {
        long begun = node().nanos().getAsLong();
        gate.close();
        hops.close();
        boolean isDone = gate.awaitNone(patience.toNanos());
        long rest = patience.toNanos() - (node().nanos().getAsLong() - begun);
        return hops.awaitNone(Math.max(0, rest)) && isDone;
    }

    @Override
    Cube system(ResourceStack resources) throws IOException {
        Cube system = resources.add("system cube", node().cubes().open(StoreCubes.SYSTEM));
        stages.ended("system cube");
        return system;
    }

    @Override
    public StoreCubes open(
            Place place, Function<Cube, StoreOptions> options, StoreCubes.Placement rule)
            throws IOException {
        StoreCubes opened =
                ObjectStores.openCubes(
                        node().cubes(), place.system(), options, rule, node().bucketCalls());
        cubes = Optional.of(opened);
        ClusterConfig cluster = node().config().cluster().orElseThrow();
        placer =
                Optional.of(
                        new CubePlacer(
                                Placements.of(node().membership(), own),
                                cluster.name(),
                                OwnedCubes.of(opened),
                                new CubePlacer.Settings(
                                        cluster.cubes() == Distribution.SPREAD,
                                        cluster.patience(),
                                        node().cubes()::closed,
                                        node().nanos())));
        stages.ended("store");
        return knowing(opened);
    }

    /** Returns what places the cubes. Call it once the store is open. */
    CubePlacer placer() {
        return placer.orElseThrow();
    }

    /** Returns what compares the buckets of placed cubes. Call it once the store is open. */
    CubeReconciler reconciler() {
        return new CubeReconciler(
                node().placed()::servedElsewhere,
                node().bucketCalls()::unknownOutcomes,
                cubes.orElseThrow()::reconcileElsewhere);
    }

    /** Returns whether no cube without an owner of its own is read-only. */
    private boolean takeWrites() {
        return cubes.stream()
                .flatMap(all -> all.opened().stream())
                .filter(each -> !node().placed().isPlaced(each.name()))
                .allMatch(each -> each.cube().state() != CubeState.READ_ONLY);
    }

    @Override
    RequestWatch watch(Service server) {
        // A store that accepts damage is read-only from its start, on every node.
        writable = takeWrites() ? this::takeWrites : () -> true;
        gate = new ClosingGate(server.watch());
        return gate;
    }

    @Override
    RequestWatch hopWatch(Service server) {
        hops = new ClosingGate(server.watch());
        return hops;
    }

    @Override
    S3Handler ofStore(S3Handler server, S3Handler otherwise) {
        S3Handler deleting = new Deletions(server, otherwise);
        return gate.before(new LeasedHandler(deleting, lease, otherwise), otherwise);
    }

    @Override
    void passOn(HttpHead head) {
        gate.passOn(head);
    }

    @Override
    void passOnHop(HttpHead head) {
        hops.passOn(head);
    }

    @Override
    Optional<String> routeOf(HttpHead head, RequestBody body) {
        return places().cubeOf(head, body).or(() -> places().deletionIn(head));
    }

    /**
     * Deletions of buckets in cubes of other nodes. The owner of the cube decides about the request
     * and deletes the bucket, then this node removes its placement.
     */
    private final class Deletions implements S3Handler {
        private final S3Handler server;
        private final S3Handler elsewhere;

        Deletions(S3Handler server, S3Handler elsewhere) {
            this.server = server;
            this.elsewhere = elsewhere;
        }

        @Override
        public S3Response handle(HttpHead head, RequestBody body) {
            Optional<String> cube =
                    places().deletionIn(head).filter(each -> !placed().isHere(each));
            if (cube.isEmpty()) {
                return server.handle(head, body);
            }
            S3Response answer = elsewhere.handle(head, body);
            if (answer.status() >= INTERNAL_ERROR) {
                node().bucketCalls().countUnknown(cube.get());
            } else if (answer.status() < BAD_REQUEST) {
                forget(places().bucketOf(head), cube.get());
            }
            return answer;
        }

        private void forget(Optional<BucketName> bucket, String cube) {
            try {
                if (bucket.isPresent()) {
                    cubes.orElseThrow().deletedElsewhere(bucket.get());
                }
            } catch (IOException | RuntimeException e) {
                LOG.warn("the buckets of cube {} are compared later: {}", cube, e.getMessage());
                node().bucketCalls().countUnknown(cube);
            }
        }
    }

    @Override
    S3Handler hoppedOfStore(S3Handler server, Entrance entrance) {
        S3Handler forward = node().elsewhere().apply(entrance);
        S3Handler deleting =
                new Deletions(
                        server,
                        (head, body) ->
                                (isOwnedElsewhere(places().deletionIn(head))
                                                ? forward
                                                : HopGate.REFUSED)
                                        .handle(head, body));
        S3Handler leased = new LeasedHandler(deleting, lease, HopGate.REFUSED);
        return (head, body) -> (gate.isClosed() ? HopGate.REFUSED : leased).handle(head, body);
    }

    /** {@inheritDoc} A request that this node would forward to itself is refused. */
    @Override
    S3Handler hoppedElsewhere(Entrance entrance) {
        S3Handler forward = node().elsewhere().apply(entrance);
        return (head, body) ->
                (isOwnedElsewhere(places().cubeOf(head, body)) ? forward : HopGate.REFUSED)
                        .handle(head, body);
    }

    private boolean isOwnedElsewhere(Optional<String> cube) {
        return cube.flatMap(node().placed()::ownerElsewhere).isPresent();
    }

    @Override
    public Optional<ClusterControl> cluster() {
        return Optional.of(
                new ClusterOrders(
                        orders(node().membership()),
                        node().config().cluster().orElseThrow().name(),
                        () -> takeOver,
                        () -> gate.close(),
                        (cube, to) -> placer().order(cube, to)));
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
            public Map<String, Placed> placed() {
                Map<String, Placed> placed = new TreeMap<>();
                membership
                        .placed()
                        .forEach(
                                (cube, at) ->
                                        placed.put(
                                                cube, new Placed(at, membership.of(cube).owner())));
                return placed;
            }

            @Override
            public Duration session() {
                return membership.session();
            }
        };
    }
}
