package io.volute.server.cluster.hop;

import io.volute.server.http.Tls;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocketFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections of a node to the owners of the store and of its cubes. Each is for one election:
 * a node with several roles has connections for each. An idle connection is closed long before the
 * owner would close it. An owner that is cut off is found by a probe ({@link OwnerLine}), and all
 * connections to it are closed. Thread-safe.
 */
public final class HopPool implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HopPool.class);
    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(15);
    static final int MOST_IDLE = 256;

    private record Idle(HopConnection connection, long since) {}

    /** Pause between two looks for connections that wait for too long. */
    private static final long WATCH_MILLIS = 250;

    private final LongSupplier nanos;
    private final Optional<Tls> tls;
    private final OwnerLine.Limits limits;
    private final CountDownLatch closed = new CountDownLatch(1);

    // Under the monitor.
    private final Map<String, OwnerLine> lines = new HashMap<>();
    private boolean isWatched;

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
        this(nanos, tls, OwnerLine.Limits.OF_NODE);
    }

    HopPool(LongSupplier nanos, Optional<Tls> tls, OwnerLine.Limits limits) {
        this.nanos = nanos;
        this.tls = tls;
        this.limits = limits;
    }

    /** Thrown when an owner is cut off from this node. Nothing was sent to it. */
    static final class CutOffException extends IOException {
        private static final long serialVersionUID = 1L;

        CutOffException(String address, IOException cause) {
            super("the owner at " + address + " does not answer this node", cause);
        }
    }

    /**
     * Returns whether the machine of a node refuses connections to it. Waits half a second at most.
     *
     * @param address HOST:PORT
     */
    public static boolean isRefused(String address) {
        try {
            return HopConnection.isRefused(address);
        } catch (IOException e) {
            LOG.debug("no connection to {}: {}", address, e.toString());
            return false;
        }
    }

    /** Returns the time after which a request to an owner that is cut off gets 503. */
    Duration giveUp() {
        return limits.giveUp();
    }

    /**
     * Returns an idle connection to that owner, or a new one.
     *
     * @throws CutOffException if the owner does not answer this node
     */
    HopConnection take(String address, long ofElection) throws IOException {
        OwnerLine line = line(address);
        if (!line.admits(() -> probe(line))) {
            throw new CutOffException(address, null);
        }
        Optional<HopConnection> kept = kept(ofElection);
        if (kept.isPresent()) {
            return kept.get();
        }
        HopConnection fresh = connect(ofElection, line);
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

    /** Returns what is known of the way to an owner. The first call begins to watch all. */
    private synchronized OwnerLine line(String address) {
        if (!isWatched) {
            isWatched = true;
            Thread unused = Thread.ofVirtual().name("hop-watch").start(this::watch);
        }
        return lines.computeIfAbsent(address, each -> new OwnerLine(each, limits, nanos));
    }

    private HopConnection connect(long ofElection, OwnerLine line) throws IOException {
        try {
            return HopConnection.open(means(line), ofElection);
        } catch (SSLException e) {
            if (refusedElections.add(ofElection)) {
                LOG.warn(
                        "no TLS connection to the owner at {}: {}. Compare cluster.tls.ca and"
                                + " cluster.tls.certificate of both nodes.",
                        line.address(),
                        e.getMessage());
            }
            throw e;
        } catch (IOException e) {
            if (!OwnerLine.isSilence(e)) {
                throw e;
            }
            line.notConnected();
            cut(line);
            throw new CutOffException(line.address(), e);
        }
    }

    private HopConnection.Means means(OwnerLine line) {
        return new HopConnection.Means(line, tls.map(HopPool::upToDate), nanos);
    }

    private void probe(OwnerLine line) throws IOException {
        HopConnection.probe(means(line));
    }

    /** Looks for connections that wait for too long, until this pool is closed. */
    private void watch() {
        try {
            while (!closed.await(WATCH_MILLIS, TimeUnit.MILLISECONDS)) {
                for (OwnerLine each : silent()) {
                    Thread unused = Thread.ofVirtual().name("hop-probe").start(() -> examine(each));
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns the owners whose probe is due. */
    private synchronized Set<OwnerLine> silent() {
        Set<OwnerLine> due = new HashSet<>();
        used.forEach(
                each -> {
                    if (each.isSilent() && each.ownerLine().beginProbe()) {
                        due.add(each.ownerLine());
                    }
                });
        return due;
    }

    /**
     * Decides whether an owner is slow or cut off. Idle connections are closed in both cases: a
     * device on the way may have forgotten them.
     */
    private void examine(OwnerLine line) {
        boolean isAnswered = line.isAnswered(() -> probe(line));
        LOG.debug("{} {}", line.address(), isAnswered ? "is slow" : "is cut off");
        synchronized (this) {
            closeIdle(each -> each.ownerLine() == line);
        }
        cut(line);
    }

    /** Closes all connections to an owner if it is cut off: threads that wait for it go on. */
    private synchronized void cut(OwnerLine line) {
        if (line.isCut()) {
            closeIdle(each -> each.ownerLine() == line);
            closeUsed(each -> each.ownerLine() == line);
        }
    }

    private void closeUsed(Predicate<HopConnection> which) {
        used.removeIf(
                each -> {
                    boolean isClosed = which.test(each);
                    if (isClosed) {
                        each.close();
                    }
                    return isClosed;
                });
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
        closeIdle(each -> each.election() == connection.election());
    }

    private void closeIdle(Predicate<HopConnection> which) {
        idle.removeIf(
                each -> {
                    boolean isClosed = which.test(each.connection());
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
        closeUsed(each -> isOver(each.election()));
        closeIdle(each -> isOver(each.election()));
        Set<OwnerLine> needed = new HashSet<>();
        used.forEach(each -> needed.add(each.ownerLine()));
        idle.forEach(each -> needed.add(each.connection().ownerLine()));
        lines.values().removeIf(each -> !needed.contains(each) && each.isUnused());
    }

    private boolean isOver(long election) {
        return election <= newest && !elections.contains(election);
    }

    @Override
    public synchronized void close() {
        closed.countDown();
        closeUsed(each -> true);
        closeIdle(each -> true);
    }
}
