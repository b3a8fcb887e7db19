package io.volute.server.cluster;

import io.volute.server.http.Tls;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocketFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections of a node to the owner of the store. An idle connection is closed long before the
 * owner would close it. Thread-safe.
 */
final class HopPool implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HopPool.class);
    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(15);
    static final int MOST_IDLE = 256;

    private record Idle(HopConnection connection, long since) {}

    private final LongSupplier nanos;
    private final Optional<Tls> tls;
    private final ArrayDeque<Idle> idle = new ArrayDeque<>();
    private final Set<HopConnection> used = new HashSet<>();
    private final AtomicLong refusedElection = new AtomicLong(-1);
    private long election;

    /**
     * @param tls empty without TLS between nodes
     */
    HopPool(LongSupplier nanos, Optional<Tls> tls) {
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
            if (election == ofElection) {
                used.add(fresh);
                return fresh;
            }
        }
        fresh.close();
        throw new IOException("the owner has just changed");
    }

    private HopConnection open(String address, long ofElection) throws IOException {
        try {
            return HopConnection.open(address, ofElection, tls.map(HopPool::upToDate));
        } catch (SSLException e) {
            if (refusedElection.getAndSet(ofElection) != ofElection) {
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

    private synchronized Optional<HopConnection> kept(long ofElection) {
        closeOld();
        Idle last = election == ofElection ? idle.pollLast() : null;
        if (last == null) {
            return Optional.empty();
        }
        used.add(last.connection());
        return Optional.of(last.connection());
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
        if (connection.election() == election) {
            idle.addLast(new Idle(connection, nanos.getAsLong()));
            closeOld();
        } else {
            connection.close();
        }
    }

    /** Closes a connection that is of no more use. */
    synchronized void drop(HopConnection connection) {
        used.remove(connection);
        connection.close();
    }

    /** Closes a connection that the owner has cut, and the idle ones: a lost owner cuts all. */
    synchronized void lost(HopConnection connection) {
        drop(connection);
        if (connection.election() == election) {
            closeIdle();
        }
    }

    private void closeIdle() {
        idle.forEach(each -> each.connection().close());
        idle.clear();
    }

    /** Closes all connections to earlier owners: their requests get no answer any more. */
    synchronized void ownerIs(long current) {
        if (election != current) {
            election = current;
            close();
        }
    }

    @Override
    public synchronized void close() {
        used.forEach(HopConnection::close);
        used.clear();
        closeIdle();
    }
}
