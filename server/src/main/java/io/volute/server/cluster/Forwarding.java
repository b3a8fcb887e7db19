package io.volute.server.cluster;

import io.volute.bookkeeper.ClusterMembership;
import io.volute.server.cluster.Forwarder.Counts;
import io.volute.server.cluster.Forwarder.Owner;
import io.volute.server.cluster.HopSeal.Entrance;
import io.volute.server.http.HttpServer;
import io.volute.server.http.HttpServer.Service;
import io.volute.server.http.watch.RequestTally;
import io.volute.server.s3.request.S3Handler;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** The services of a node's listeners: the store if it is open here, otherwise its owner. */
final class Forwarding {
    private final ClusterMembership membership;
    private final HopSeal seal;
    private final HopPool pool;
    private final Duration patience;
    private final LongSupplier nanos;
    private final RequestTally tally;
    private final Counts counts = new Counts();

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

    /** Returns the source of services for one listener. */
    Supplier<Service> unlessLocal(Entrance entrance, StoreOwner store) {
        S3Handler owner = forwarder(entrance);
        Service forwarding =
                new Service(
                        entrance == Entrance.S3 ? new StandbyReads(owner, store::views) : owner,
                        readiness(),
                        tally);
        return () ->
                store.local()
                        .map(local -> entrance == Entrance.S3 ? local.s3() : local.admin())
                        .orElse(forwarding);
    }

    /** Returns the handler of requests at one listener that forwards all. */
    Forwarder forwarder(Entrance entrance) {
        return new Forwarder(entrance, seal, pool, owners(), patience, nanos, counts);
    }

    /** Returns the counts of all listeners of this node. */
    Counts counts() {
        return counts;
    }

    /** Counts the requests that this node has forwarded or tried to. */
    RequestTally tally() {
        return tally;
    }

    private Forwarder.Owners owners() {
        return new Forwarder.Owners() {
            @Override
            public Optional<Owner> await(long waitNanos) throws InterruptedException {
                return membership
                        .awaitServing(waitNanos)
                        .map(owner -> new Owner(owner.address(), owner.election()));
            }

            @Override
            public void awaitChange(long election, long waitNanos) throws InterruptedException {
                membership.awaitChange(election, waitNanos);
            }
        };
    }

    /** A node without the store is ready as long as it sees the cluster. */
    private HttpServer.Readiness readiness() {
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
