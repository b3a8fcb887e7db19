package io.volute.server.http;

import io.volute.server.Limits;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts connections and requests against their caps, those of all clients and those of one network
 * of clients. A network, or a caller, has at most twice as many as are free: so one alone gets
 * nearly two thirds of all. A network that has nothing finds something until as many networks as
 * there are places have one. Requests whose callers are not authenticated have a part of all at
 * most, and the root has a reserve. Thread-safe.
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

    /** A caller has at most so many times the requests that are free. */
    private static final int SHARE = 2;

    /** Callers whose hashes agree count together; few do. */
    private static final int CALLER_COUNTS = 1 << 12;

    /** The shared quota of all connections from one network. */
    static final class Share {
        private final String network;
        private final AtomicInteger requests = new AtomicInteger();
        private final AtomicInteger unauthenticated = new AtomicInteger();

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
    private final AtomicInteger unauthenticated = new AtomicInteger();
    private final AtomicInteger reserved = new AtomicInteger();
    private final AtomicIntegerArray callers = new AtomicIntegerArray(CALLER_COUNTS);
    private final ConcurrentHashMap<String, Share> shares = new ConcurrentHashMap<>();
    private final int seed;

    /**
     * @param seed of the hash of callers, which nobody outside can guess
     */
    Admission(HttpSettings.Caps caps, int seed) {
        this.caps = caps;
        this.seed = seed;
    }

    /** Returns whether a holder of so many may have one more, when so many of all are taken. */
    private static boolean mayTake(int held, int max, int all, int taken) {
        if (max >= all) {
            // With a bound of one network that equals that of all, all clients come from one.
            return taken < all;
        }
        return taken < all && held < max && MemoryBudget.isFair(held, 1, all, taken);
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
        int before = connections.get();
        while (isProxy ? before < caps.connections() : hasRoom(share, before)) {
            int seen = connections.compareAndExchange(before, before + 1);
            if (seen == before) {
                admitted.increment();
                return Entry.ADMITTED;
            }
            before = seen;
        }
        refused.increment();
        return tryIncrement(refusals, Limits.REFUSALS_MAX) ? Entry.REFUSED : Entry.CUT;
    }

    private boolean hasRoom(Share share, int taken) {
        return mayTake(
                share.connections - 1, caps.connectionsPerAddress(), caps.connections(), taken);
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
        if (hasRoom(share, connections.get())) {
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

    /**
     * Begins a request.
     *
     * @param isSigned it has a signature, which is not verified yet
     * @return empty when it may not be handled; otherwise {@link Place#end} follows
     */
    Optional<Place> tryBeginRequest(Share share, boolean isSigned) {
        if (tryTake(share.requests, caps.requestsPerAddress(), requests, caps.requestsInFlight())) {
            Place place = new Place(share, Standing.SIGNED);
            if (isSigned || place.tryBeUnauthenticated()) {
                return Optional.of(place);
            }
            place.end();
            return Optional.empty();
        }
        return isSigned && tryIncrement(reserved, Limits.REQUESTS_OF_ROOT_MAX)
                ? Optional.of(new Place(share, Standing.RESERVED))
                : Optional.empty();
    }

    /**
     * Counts one more of a holder and of all. The bound of the holder is that of the moment at
     * which the count of all changes: requests that begin together would otherwise each see what is
     * free before the others, and take all of it.
     */
    private static boolean tryTake(AtomicInteger held, int heldMax, AtomicInteger taken, int all) {
        while (true) {
            int before = taken.get();
            int own = held.get();
            if (!mayTake(own, heldMax, all, before)) {
                return false;
            }
            if (held.compareAndSet(own, own + 1)) {
                if (taken.compareAndSet(before, before + 1)) {
                    return true;
                }
                held.decrementAndGet();
            }
        }
    }

    /**
     * Begins a request of a network that need not have a connection of its own.
     *
     * @return as {@link #tryBeginRequest(Share, boolean)}
     */
    Optional<Place> tryBeginRequest(String network, boolean isSigned) {
        Share share = enter(network);
        Optional<Place> place = tryBeginRequest(share, isSigned);
        leaveBehindProxy(share);
        return place;
    }

    /** The count that a request is in, besides that of all. */
    private enum Standing {
        UNAUTHENTICATED,
        SIGNED,
        CALLER,
        ROOT,
        /** In the root's reserve alone: for the root, or until its signature is verified. */
        RESERVED
    }

    /** One request among those being handled. Its request uses it from one thread at a time. */
    final class Place {
        private final Share share;
        private final boolean isReserved;
        private Standing standing;
        private int caller;
        private boolean isEnded;

        private Place(Share share, Standing standing) {
            this.share = share;
            this.standing = standing;
            this.isReserved = standing == Standing.RESERVED;
        }

        /** Returns whether the request is in the root's reserve, and not known to be the root's. */
        boolean isOnProbation() {
            return standing == Standing.RESERVED;
        }

        /** Returns whether the caller is known. */
        boolean isAuthenticated() {
            return standing == Standing.CALLER || standing == Standing.ROOT;
        }

        /**
         * Counts the request among those of callers who are not authenticated. It stays among all.
         *
         * @return false when there are too many of them, and nothing has changed
         */
        boolean tryBeUnauthenticated() {
            if (standing == Standing.UNAUTHENTICATED) {
                return true;
            }
            int all = caps.unauthenticatedRequests();
            int max = caps.requestsPerAddress() >= caps.requestsInFlight() ? all : all - 1;
            if (isReserved || !tryTake(share.unauthenticated, max, unauthenticated, all)) {
                return false;
            }
            leaveStanding();
            standing = Standing.UNAUTHENTICATED;
            return true;
        }

        /**
         * Counts the request among those of its caller.
         *
         * @return false when the caller has its share already; the request counts as before
         */
        boolean tryBeOf(String principal, boolean isRoot) {
            if (isRoot) {
                leaveStanding();
                standing = Standing.ROOT;
                return true;
            }
            if (isReserved) {
                return false;
            }
            int slot = slot(principal);
            // Its own place is among those taken.
            int most = SHARE * (Math.max(0, caps.requestsInFlight() - requests.get()) + 1);
            if (!tryCountCaller(slot, most)) {
                return false;
            }
            leaveStanding();
            standing = Standing.CALLER;
            caller = slot;
            return true;
        }

        private boolean tryCountCaller(int slot, int max) {
            if (callers.incrementAndGet(slot) <= max) {
                return true;
            }
            callers.decrementAndGet(slot);
            return false;
        }

        private void leaveStanding() {
            switch (standing) {
                case UNAUTHENTICATED -> {
                    share.unauthenticated.decrementAndGet();
                    unauthenticated.decrementAndGet();
                }
                case CALLER -> callers.decrementAndGet(caller);
                case SIGNED, ROOT, RESERVED -> {}
            }
        }

        /** The request has ended. It may outlive its connection when the client goes away. */
        void end() {
            if (isEnded) {
                return;
            }
            isEnded = true;
            leaveStanding();
            if (isReserved) {
                reserved.decrementAndGet();
                return;
            }
            requests.decrementAndGet();
            if (share.requests.decrementAndGet() == 0 && share.connections == 0) {
                shares.computeIfPresent(
                        share.network, (name, known) -> isUnused(known) ? null : known);
            }
        }
    }

    private int slot(String principal) {
        int hash = (principal.hashCode() ^ seed) * 0x9E3779B9;
        return hash >>> Integer.numberOfLeadingZeros(CALLER_COUNTS - 1);
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
        return requests.get() + reserved.get();
    }

    /** Requests whose callers are not authenticated. */
    int unauthenticated() {
        return unauthenticated.get();
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
