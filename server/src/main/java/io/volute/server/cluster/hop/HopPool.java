package io.volute.server.cluster.hop;

import io.volute.server.http.Tls;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocketFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections of a node to the owners of the store and of its cubes. Each is for one election:
 * a node with several roles has connections for each. An idle connection is closed long before the
 * owner would close it. Thread-safe.
 */
public final class HopPool implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HopPool.class);
    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(15);
    static final int MOST_IDLE = 256;

    private record Idle(HopConnection connection, long since) {}

    private final LongSupplier nanos;
    private final Optional<Tls> tls;
    private final ArrayDeque<Idle> idle = new ArrayDeque<>();
    private final Set<HopConnection> used = new HashSet<>();
    private final Set<Long> refusedElections = ConcurrentHashMap.newKeySet();
    private Set<Long> elections = Set.of();

    /** The newest election that was retained: this pool may use a later one before the next. */
    private long newest;

    /**
     * @param tls empty without TLS between nodes
     */
    public HopPool(LongSupplier nanos, Optional<Tls> tls) {
        this.nanos = nanos;
        this.tls = tls;
    }

    /** Returns an idle connection to that owner, or a new one. */
    HopConnection take(String address, long ofElection) throws IOException {
        Optional<HopConnection> kept = kept(ofElection);
        if (kept.isPresent()) {
            return kept.get();
        }
        HopConnection fresh = open(address, ofElection);
        synchronized (this) {
            if (!isOver(ofElection)) {
                used.add(fresh);
                return fresh;
            }
        }
        fresh.close();
        throw changed();
    }

    private static IOException changed() {
        return new IOException("the owner has just changed");
    }

    private HopConnection open(String address, long ofElection) throws IOException {
        try {
            return HopConnection.open(address, ofElection, tls.map(HopPool::upToDate));
        } catch (SSLException e) {
            if (refusedElections.add(ofElection)) {
                LOG.warn(
                        "no TLS connection to the owner at {}: {}. Compare cluster.tls.ca and"
                                + " cluster.tls.certificate of both nodes.",
                        address,
                        e.getMessage());
            }
            throw e;
        }
    }

    /** Returns the makers of connections, from the files as they are now. */
    private static SSLSocketFactory upToDate(Tls tls) {
        boolean isNew = tls.reload();
        LOG.trace("files of TLS are new: {}", isNew);
        return tls.sockets();
    }

    private synchronized Optional<HopConnection> kept(long ofElection) throws IOException {
        closeOld();
        if (isOver(ofElection)) {
            throw changed();
        }
        for (Iterator<Idle> newestFirst = idle.descendingIterator(); newestFirst.hasNext(); ) {
            HopConnection each = newestFirst.next().connection();
            if (each.election() == ofElection) {
                newestFirst.remove();
                used.add(each);
                return Optional.of(each);
            }
        }
        return Optional.empty();
    }

    private void closeOld() {
        long now = nanos.getAsLong();
        for (Iterator<Idle> all = idle.iterator(); all.hasNext(); ) {
            Idle each = all.next();
            if (now - each.since() < IDLE_NANOS && idle.size() <= MOST_IDLE) {
                return;
            }
            each.connection().close();
            all.remove();
        }
    }

    /** Takes a connection back after the end of an answer. */
    synchronized void giveBack(HopConnection connection) {
        used.remove(connection);
        if (isOver(connection.election())) {
            connection.close();
        } else {
            idle.addLast(new Idle(connection, nanos.getAsLong()));
            closeOld();
        }
    }

    /** Closes a connection that is of no more use. */
    synchronized void drop(HopConnection connection) {
        used.remove(connection);
        connection.close();
    }

    /** Closes a connection that an owner has cut, and its idle ones: a lost owner cuts all. */
    synchronized void lost(HopConnection connection) {
        drop(connection);
        closeIdle(election -> election == connection.election());
    }

    private void closeIdle(LongPredicate which) {
        idle.removeIf(
                each -> {
                    boolean isClosed = which.test(each.connection().election());
                    if (isClosed) {
                        each.connection().close();
                    }
                    return isClosed;
                });
    }

    /**
     * Closes all connections for elections that are over: their requests get no answer any more.
     * Call it from one thread, after each election and each loss of an owner. A later election has
     * a greater number, so one that this thread has not seen yet is not over.
     *
     * @param current the elections of all present owners, above 0
     */
    public synchronized void retain(Set<Long> current) {
        elections = Set.copyOf(current);
        newest = Math.max(newest, current.stream().mapToLong(Long::longValue).max().orElse(0));
        refusedElections.removeIf(this::isOver);
        used.removeIf(
                each -> {
                    boolean isClosed = isOver(each.election());
                    if (isClosed) {
                        each.close();
                    }
                    return isClosed;
                });
        closeIdle(this::isOver);
    }

    private boolean isOver(long election) {
        return election <= newest && !elections.contains(election);
    }

    @Override
    public synchronized void close() {
        used.forEach(HopConnection::close);
        used.clear();
        closeIdle(election -> true);
    }
}
