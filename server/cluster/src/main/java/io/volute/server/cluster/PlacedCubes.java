package io.volute.server.cluster;

import io.volute.bookkeeper.ClusterMembership;
import io.volute.server.cluster.CubeOwner.OpenServer;
import io.volute.server.cluster.hop.Forwarder.Owner;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The placed cubes of a cluster, as a node sees them, and the owners of those that are placed on
 * it. Thread-safe.
 */
final class PlacedCubes implements CubeOwner.Node, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PlacedCubes.class);
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ClusterMembership membership;
    private final String self;
    private final Duration patience;
    private final OwnerLease.Counts leaseCounts;
    private final Map<String, CubeOwner> owners = new ConcurrentHashMap<>();
    private final Thread thread;
    private volatile Optional<OpenServer> server = Optional.empty();
    private volatile boolean isClosed;

    /**
     * @param self name of this node
     * @param patience time that requests wait for a lease, and a hand-over for requests
     */
    PlacedCubes(
            ClusterMembership membership,
            String self,
            Duration patience,
            OwnerLease.Counts leaseCounts) {
        this.membership = membership;
        this.self = self;
        this.patience = patience;
        this.leaseCounts = leaseCounts;
        this.thread = Thread.ofPlatform().name("placed-0").unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    private void run() {
        try {
            long seen = -1;
            while (!isClosed) {
                membership
                        .placed()
                        .forEach(
                                (cube, node) -> {
                                    if (node.equals(self) && !owners.containsKey(cube)) {
                                        CubeOwner owner =
                                                new CubeOwner(cube, membership.of(cube), this);
                                        owners.put(cube, owner);
                                        owner.start();
                                    }
                                });
                if (isSomePlaced()) {
                    server.ifPresent(now -> now.cubes().reads().setShared(true));
                }
                seen = membership.awaitPlacedChange(seen, LOOK_NANOS);
            }
        } catch (InterruptedException e) {
            LOG.warn("interrupted: this node takes no more cubes over");
        }
    }

    /** Returns whether a cube has an owner of its own. */
    boolean isPlaced(String cube) {
        return membership.placed().containsKey(cube);
    }

    /** Returns whether some cube has an owner of its own. */
    boolean isSomePlaced() {
        return !membership.placed().isEmpty();
    }

    /** Returns the other node that serves a placed cube; empty when there is none now. */
    Optional<Owner> ownerElsewhere(String cube) {
        return isPlaced(cube)
                ? membership
                        .of(cube)
                        .owner()
                        .filter(each -> each.isServing() && !each.name().equals(self))
                        .map(each -> new Owner(each.address(), each.election()))
                : Optional.empty();
    }

    /** Returns the election of each placed cube that another node serves. */
    Map<String, Long> servedElsewhere() {
        Map<String, Long> elections = new TreeMap<>();
        membership
                .placed()
                .keySet()
                .forEach(
                        cube ->
                                ownerElsewhere(cube)
                                        .ifPresent(owner -> elections.put(cube, owner.election())));
        return elections;
    }

    /** Returns a placed cube while it is open on this node. */
    Optional<Serving> serving(String cube) {
        return Optional.ofNullable(owners.get(cube)).flatMap(CubeOwner::serving);
    }

    /** Returns whether an election made this node the owner of a cube that it serves. */
    boolean isOwn(long election) {
        return owners.values().stream()
                .flatMap(each -> each.serving().stream())
                .anyMatch(each -> each.election() == election);
    }

    /** Sets the server that runs now; empty before it is closed. */
    void serveIn(Optional<OpenServer> now) {
        server = now;
    }

    @Override
    public boolean isHere(String cube) {
        return self.equals(membership.placed().get(cube));
    }

    @Override
    public long placedBehind(String cube) throws IOException {
        return membership.placedBehind(cube);
    }

    @Override
    public Optional<OpenServer> server() {
        return server;
    }

    @Override
    public OwnerLease.Counts leaseCounts() {
        return leaseCounts;
    }

    @Override
    public Duration patience() {
        return patience;
    }

    /** Closes the placed cubes of this node, and gives their roles up. */
    @Override
    public void close() {
        isClosed = true;
        thread.interrupt();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        owners.values().forEach(CubeOwner::close);
    }
}
