package io.volute.server.http;

import io.volute.server.Limits;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts connections and requests against their caps, those of all clients and those of one network
 * of clients. Thread-safe.
 */
final class Admission {
    /** The decision on a new connection. */
    enum Entry {
        ADMITTED,
        /** Refused over a cap: send a refusal, then close. */
        REFUSED,
        /** Refused, and closed without an answer, because too many are being refused. */
        CUT
    }

    /** The shared quota of all connections from one network. */
    static final class Share {
        private final String network;
        private final AtomicInteger requests = new AtomicInteger();

        /** Changed under the lock of the map's entry. */
        private volatile int connections;

        private Share(String network) {
            this.network = network;
        }
    }

    private final HttpSettings.Caps caps;
    private final LongAdder admitted = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final AtomicInteger connections = new AtomicInteger();
    private final AtomicInteger refusals = new AtomicInteger();
    private final AtomicInteger requests = new AtomicInteger();
    private final ConcurrentHashMap<String, Share> shares = new ConcurrentHashMap<>();

    Admission(HttpSettings.Caps caps) {
        this.caps = caps;
    }

    /**
     * Counts a new connection of a network. Each is followed by {@link #admit}, and by one {@link
     * #leave}.
     */
    Share enter(String network) {
        return shares.compute(
                network,
                (name, known) -> {
                    Share share = known == null ? new Share(name) : known;
                    share.connections = share.connections + 1;
                    return share;
                });
    }

    /**
     * Decides on a connection that has entered.
     *
     * @param isProxy the connection is of a trusted proxy, which has as many as its clients need
     */
    Entry admit(Share share, boolean isProxy) {
        if ((isProxy || share.connections <= caps.connectionsPerAddress())
                && tryIncrement(connections, caps.connections())) {
            admitted.increment();
            return Entry.ADMITTED;
        }
        refused.increment();
        return tryIncrement(refusals, Limits.REFUSALS_MAX) ? Entry.REFUSED : Entry.CUT;
    }

    /**
     * A connection has been closed.
     *
     * @param entry what {@link #admit} decided
     */
    void leave(Share share, Entry entry) {
        switch (entry) {
            case ADMITTED -> connections.decrementAndGet();
            case REFUSED -> refusals.decrementAndGet();
            case CUT -> {}
        }
        leaveBehindProxy(share);
    }

    /**
     * Counts a connection of a network that a trusted proxy has opened for it.
     *
     * @return empty when the network has too many; otherwise {@link #leaveBehindProxy} follows
     */
    Optional<Share> enterBehindProxy(String network) {
        Share share = enter(network);
        if (share.connections <= caps.connectionsPerAddress()) {
            return Optional.of(share);
        }
        refused.increment();
        leaveBehindProxy(share);
        return Optional.empty();
    }

    void leaveBehindProxy(Share share) {
        shares.computeIfPresent(
                share.network,
                (name, known) -> {
                    known.connections = known.connections - 1;
                    return isUnused(known) ? null : known;
                });
    }

    private static boolean isUnused(Share share) {
        return share.connections == 0 && share.requests.get() == 0;
    }

    /** Returns whether a request may be handled. If so, {@link #endRequest} follows. */
    boolean tryBeginRequest(Share share) {
        if (!tryIncrement(share.requests, caps.requestsPerAddress())) {
            return false;
        }
        if (tryIncrement(requests, caps.requestsInFlight())) {
            return true;
        }
        share.requests.decrementAndGet();
        return false;
    }

    /**
     * Begins a request of a network that need not have a connection of its own.
     *
     * @return empty when it may not be handled; otherwise {@link #endRequest} follows
     */
    Optional<Share> tryBeginRequest(String network) {
        Share share = enter(network);
        boolean isBegun = tryBeginRequest(share);
        leaveBehindProxy(share);
        return isBegun ? Optional.of(share) : Optional.empty();
    }

    /** A request outlives its connection when the client goes away. */
    void endRequest(Share share) {
        requests.decrementAndGet();
        if (share.requests.decrementAndGet() == 0 && share.connections == 0) {
            shares.computeIfPresent(share.network, (name, known) -> isUnused(known) ? null : known);
        }
    }

    /** Connections since start. */
    long admitted() {
        return admitted.sum();
    }

    /** Connections over a cap since start. */
    long refused() {
        return refused.sum();
    }

    int connections() {
        return connections.get();
    }

    int requests() {
        return requests.get();
    }

    /** Networks that have a connection or a request. */
    int networks() {
        return shares.size();
    }

    private static boolean tryIncrement(AtomicInteger counter, int max) {
        int before = counter.get();
        while (before < max) {
            int seen = counter.compareAndExchange(before, before + 1);
            if (seen == before) {
                return true;
            }
            before = seen;
        }
        return false;
    }
}
