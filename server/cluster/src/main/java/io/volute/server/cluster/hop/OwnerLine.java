package io.volute.server.cluster.hop;

import java.io.IOException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The way from this node to one owner, over all connections: a circuit breaker. The way is silent
 * while no connection has read a byte for a while. A probe over a connection of its own then
 * decides whether the owner is slow or cut off. While it is cut off, one caller in a while tries
 * again, and the others fail at once. Thread-safe.
 */
final class OwnerLine {
    private static final Logger LOG = LoggerFactory.getLogger(OwnerLine.class);

    /** Time after which a line that nobody uses is of no more interest. */
    private static final long UNUSED_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final String address;
    private final Limits limits;
    private final LongSupplier nanos;

    /** Time of the last byte of the owner. */
    private volatile long heard;

    // Under the monitor.
    private boolean isCut;
    private boolean isProbed;
    private long nextProbe;

    /**
     * The limits for an owner that does not answer.
     *
     * @param connect for a connection
     * @param handshake for TLS over it
     * @param silence after which a waiting connection makes a probe due
     * @param probe for the answer to a probe
     * @param pause between two probes of an owner that is cut off
     * @param giveUp time after which a request to such an owner is answered with 503
     */
    record Limits(
            Duration connect,
            Duration handshake,
            Duration silence,
            Duration probe,
            Duration pause,
            Duration giveUp) {
        /** The limits of a node. */
        static final Limits OF_NODE =
                new Limits(
                        Duration.ofSeconds(2),
                        Duration.ofSeconds(5),
                        Duration.ofSeconds(3),
                        Duration.ofSeconds(2),
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(5));
    }

    /** A question to the owner over a connection of its own, which any answer satisfies. */
    @FunctionalInterface
    interface Probe {
        void run() throws IOException;
    }

    /**
     * @param address HOST:PORT
     */
    OwnerLine(String address, Limits limits, LongSupplier nanos) {
        this.address = address;
        this.limits = limits;
        this.nanos = nanos;
        this.heard = nanos.getAsLong() - limits.silence().toNanos();
    }

    String address() {
        return address;
    }

    Limits limits() {
        return limits;
    }

    /** Notes that bytes of the owner have come. */
    void heard() {
        heard = nanos.getAsLong();
    }

    /** Returns whether no byte has come since a time, and that is too long ago. */
    boolean isSilentSince(long begun) {
        long since = begun - heard > 0 ? begun : heard;
        return nanos.getAsLong() - since >= limits.silence().toNanos();
    }

    /**
     * Returns whether a request may use this line. While the owner is cut off, one caller in a
     * while waits for a probe.
     */
    boolean admits(Probe probe) {
        synchronized (this) {
            if (!isCut) {
                return true;
            }
            if (isProbed || nanos.getAsLong() - nextProbe < 0) {
                return false;
            }
            isProbed = true;
        }
        return isAnswered(probe);
    }

    /** Returns whether a probe is due, which the caller must make then. */
    synchronized boolean beginProbe() {
        boolean isDue = !isCut && !isProbed;
        isProbed |= isDue;
        return isDue;
    }

    /** Makes the probe that is due. Returns whether the owner answers. */
    boolean isAnswered(Probe probe) {
        long before = heard;
        boolean isAnswered = false;
        try {
            probe.run();
            isAnswered = true;
        } catch (IOException e) {
            // A refusal is an answer: the machine can be reached, and requests see the refusal.
            isAnswered = before != heard || !isSilence(e);
            LOG.debug("probe of {}: {}", address, e.toString());
        } finally {
            probed(isAnswered);
        }
        return isAnswered;
    }

    /** Returns whether a connection failed because nothing of the owner came. */
    static boolean isSilence(IOException e) {
        return e instanceof SocketTimeoutException || e instanceof NoRouteToHostException;
    }

    private synchronized void probed(boolean isAnswered) {
        isProbed = false;
        setCut(!isAnswered);
    }

    /** Notes that a connection could not be made because nothing of the owner came. */
    synchronized void notConnected() {
        if (isSilentSince(heard)) {
            setCut(true);
        }
    }

    private void setCut(boolean isNow) {
        if (isNow) {
            nextProbe = nanos.getAsLong() + limits.pause().toNanos();
        }
        if (isNow && !isCut) {
            LOG.warn("the owner at {} does not answer this node: requests get 503", address);
        } else if (!isNow && isCut) {
            LOG.info("the owner at {} answers this node again", address);
        }
        isCut = isNow;
    }

    synchronized boolean isCut() {
        return isCut;
    }

    /** Returns whether the owner can be forgotten, if no connection to it is open. */
    synchronized boolean isUnused() {
        return !isCut || nanos.getAsLong() - nextProbe > UNUSED_NANOS;
    }
}
