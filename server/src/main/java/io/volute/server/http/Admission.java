package io.volute.server.http;

import io.volute.server.Limits;
import java.net.InetAddress;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** Counts connections and requests against their caps. Thread-safe. */
final class Admission {
    /** What becomes of a new connection. */
    enum Entry {
        ADMITTED,
        /** Over a cap: tell it, then close. */
        REFUSED,
        /** So many are being refused that this one is closed without a word. */
        CUT
    }

    private final HttpSettings.Caps caps;
    private final LongAdder admitted = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final AtomicInteger connections = new AtomicInteger();
    private final AtomicInteger refusals = new AtomicInteger();
    private final AtomicInteger requests = new AtomicInteger();
    private final ConcurrentHashMap<InetAddress, Integer> byAddress = new ConcurrentHashMap<>();

    Admission(HttpSettings.Caps caps) {
        this.caps = caps;
    }

    /** Each ADMITTED is followed by one {@link #leave}, each REFUSED by {@link #leaveRefused}. */
    Entry enter(InetAddress address) {
        if (tryIncrement(connections, caps.connections())) {
            int same = byAddress.merge(address, 1, Integer::sum);
            if (same <= caps.connectionsPerAddress()) {
                admitted.increment();
                return Entry.ADMITTED;
            }
            leave(address);
        }
        refused.increment();
        return tryIncrement(refusals, Limits.REFUSALS_MAX) ? Entry.REFUSED : Entry.CUT;
    }

    void leave(InetAddress address) {
        byAddress.computeIfPresent(address, (a, n) -> n == 1 ? null : n - 1);
        connections.decrementAndGet();
    }

    void leaveRefused() {
        refusals.decrementAndGet();
    }

    boolean tryBeginRequest() {
        return tryIncrement(requests, caps.requestsInFlight());
    }

    void endRequest() {
        requests.decrementAndGet();
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
