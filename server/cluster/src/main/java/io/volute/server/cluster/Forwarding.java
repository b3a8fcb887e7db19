package io.volute.server.cluster;

import io.volute.bookkeeper.ClusterMembership;
import io.volute.bookkeeper.ClusterRole;
import io.volute.bookkeeper.ClusterView;
import io.volute.server.cluster.hop.Forwarder;
import io.volute.server.cluster.hop.Forwarder.Counts;
import io.volute.server.cluster.hop.Forwarder.Owner;
import io.volute.server.cluster.hop.Forwarder.Owners;
import io.volute.server.cluster.hop.HopGate.Handlers;
import io.volute.server.cluster.hop.HopPool;
import io.volute.server.cluster.hop.HopSeal;
import io.volute.server.cluster.hop.HopSeal.Entrance;
import io.volute.server.cluster.hop.NodeCallHandler.Operation;
import io.volute.server.cluster.standby.StandbyReads;
import io.volute.server.http.HttpServer;
import io.volute.server.http.HttpServer.Service;
import io.volute.server.http.Services;
import io.volute.server.http.watch.RequestTally;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.RequestBody;
import io.volute.server.s3.request.S3Handler;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** The services of a node's listeners: its server if one runs, otherwise other nodes. */
final class Forwarding implements AutoCloseable {
    private static final long WATCH_MILLIS = 100;
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private final ClusterMembership membership;
    private final HopSeal seal;
    private final HopPool pool;
    private final Duration patience;
    private final LongSupplier nanos;
    private final RequestTally tally;
    private final Counts counts = new Counts();

    // Set before the first request.
    private volatile StoreOwner servers;

    private final CountDownLatch closing = new CountDownLatch(1);
    private volatile boolean isClosed;

    Forwarding(
            ClusterMembership membership,
            HopSeal seal,
            HopPool pool,
            Duration patience,
            LongSupplier nanos) {
        this.membership = membership;
        this.seal = seal;
        this.pool = pool;
        this.patience = patience;
        this.nanos = nanos;
        this.tally = new RequestTally(nanos);
    }

    /** Sets the servers of the node. */
    void servers(StoreOwner ofNode) {
        servers = ofNode;
    }

    /** Returns the handlers of requests of other nodes for an election of this node. */
    Optional<Handlers> hops(long election) {
        return Optional.ofNullable(servers).flatMap(ofNode -> ofNode.hops(election));
    }

    /** Returns the operations that other nodes call. */
    Map<String, Operation> operations() {
        return Map.of(OtherOwners.EXCHANGE, question -> servers.answerExchange(question));
    }

    /** Returns the source of services for one listener. */
    Services unlessLocal(Entrance entrance, NodeCubes cubes) {
        Service forwarding = new Service(elsewhere(entrance, cubes), connected(), tally);
        return () ->
                servers.services()
                        .map(local -> entrance == Entrance.S3 ? local.s3() : local.admin())
                        .orElse(forwarding);
    }

    /**
     * Returns the handler of clients' requests that other nodes answer, or the standby on this one.
     */
    S3Handler elsewhere(Entrance entrance, NodeCubes cubes) {
        Forwarder owner =
                new Forwarder(entrance, seal, pool, this::owners, patience, nanos, counts);
        return entrance == Entrance.S3 ? new StandbyReads(owner, cubes.storeViews()) : owner;
    }

    /**
     * Returns the owners of a request. The placements of the store's owner are the newest: it gets
     * what another owner has refused.
     */
    private Owners owners(HttpHead head, RequestBody body, boolean wasRefused) {
        return servers.routeOf(head, body)
                .filter(cube -> !wasRefused || servers.hasStore())
                .map(cube -> owners(membership.of(cube)))
                .orElseGet(() -> owners(membership.store()));
    }

    private static Owners owners(ClusterRole role) {
        return new Owners() {
            @Override
            public Optional<Owner> await(long waitNanos) throws InterruptedException {
                return role.awaitServing(waitNanos)
                        .map(owner -> new Owner(owner.address(), owner.election()));
            }

            @Override
            public void awaitChange(long election, long waitNanos) throws InterruptedException {
                role.awaitChange(election, waitNanos);
            }
        };
    }

    @Override
    public void close() {
        isClosed = true;
        closing.countDown();
    }

    /**
     * Cuts requests to earlier owners off, also if their machines do not say that they are gone.
     */
    void follow() {
        Thread.ofVirtual()
                .name("follow-owner-0")
                .start(
                        () -> {
                            try {
                                Set<Long> seen = Set.of();
                                while (!isClosed) {
                                    Set<Long> now = elections();
                                    if (!now.equals(seen)) {
                                        pool.retain(now);
                                        seen = now;
                                    }
                                    membership.store().awaitChange(storeElection(), LOOK_NANOS);
                                }
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                            }
                        });
    }

    /**
     * Finds owners whose processes have ended, long before their sessions end. A connection is made
     * only to an owner that has not renewed a lease in time.
     */
    void watchOwners() {
        Thread.ofVirtual()
                .name("ended-owners-0")
                .start(
                        () -> {
                            try {
                                while (!closing.await(WATCH_MILLIS, TimeUnit.MILLISECONDS)) {
                                    for (ClusterView.Owner each : membership.overdue()) {
                                        if (HopPool.isRefused(each.address())) {
                                            membership.refused(each.election());
                                        }
                                    }
                                }
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                            }
                        });
    }

    private long storeElection() {
        return membership.store().owner().map(ClusterView.Owner::election).orElse(0L);
    }

    private Set<Long> elections() {
        Set<Long> all = new HashSet<>();
        all.add(storeElection());
        membership
                .placed()
                .keySet()
                .forEach(
                        cube ->
                                membership
                                        .of(cube)
                                        .owner()
                                        .ifPresent(owner -> all.add(owner.election())));
        all.remove(0L);
        return all;
    }

    /** Returns the counts of all listeners of this node. */
    Counts counts() {
        return counts;
    }

    /** Counts the requests that this node has forwarded or tried to. */
    RequestTally tally() {
        return tally;
    }

    /** A node without the store is ready as long as it sees the cluster. */
    HttpServer.Readiness connected() {
        return new HttpServer.Readiness() {
            @Override
            public boolean isReady() {
                return membership.view().isConnected();
            }

            @Override
            public String degraded() {
                return membership.view().owner().isPresent() ? "" : "no node has the store";
            }
        };
    }
}
