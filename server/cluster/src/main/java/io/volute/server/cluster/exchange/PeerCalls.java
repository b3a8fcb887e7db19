package io.volute.server.cluster.exchange;

import io.volute.server.cluster.exchange.Peers.Peer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The calls to one owner, one at a time. Requests that arrive while a call runs share the next one:
 * the running call may have been answered before they arrived. An owner that does not answer is
 * called again after a pause, and nobody waits for it until it has answered. Thread-safe.
 */
final class PeerCalls {
    private static final Logger LOG = LoggerFactory.getLogger(PeerCalls.class);

    /** The time from a failed call to the next one. */
    static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Peer peer;
    private final Round round;
    private final LongSupplier nanos;

    /** The call that runs; its result is whether the owner answered. */
    private Optional<CompletableFuture<Boolean>> running = Optional.empty();

    /** The call of those that arrived while one runs. */
    private Optional<CompletableFuture<Boolean>> next = Optional.empty();

    private boolean isBroken;
    private long failedAt;

    /** A complete exchange with the owner, which ends by itself. */
    @FunctionalInterface
    interface Round {
        /** Returns whether the owner answered. It handles its own failures. */
        boolean answered();
    }

    /**
     * Creates the calls, of which none is running.
     *
     * @param nanos a clock that only goes forward
     */
    PeerCalls(Peer peer, Round round, LongSupplier nanos) {
        this.peer = peer;
        this.round = round;
        this.nanos = nanos;
    }

    Peer peer() {
        return peer;
    }

    /**
     * Returns a call that begins after this method was called; its result is whether the owner
     * answered.
     *
     * @return empty when nobody waits for this owner
     */
    synchronized Optional<CompletableFuture<Boolean>> join() {
        if (isBroken) {
            if (running.isEmpty() && nanos.getAsLong() - failedAt >= PAUSE_NANOS) {
                begin();
            }
            return Optional.empty();
        }
        if (running.isEmpty()) {
            begin();
            return running;
        }
        if (next.isEmpty()) {
            next = Optional.of(new CompletableFuture<>());
        }
        return next;
    }

    private void begin() {
        CompletableFuture<Boolean> call = new CompletableFuture<>();
        running = Optional.of(call);
        Thread started = Thread.ofVirtual().name("exchange-" + peer.name()).start(() -> run(call));
        LOG.trace("{} begins", started.getName());
    }

    /** Runs a call, and those that were asked for in the meantime. */
    private void run(CompletableFuture<Boolean> first) {
        Optional<CompletableFuture<Boolean>> call = Optional.of(first);
        while (call.isPresent()) {
            boolean answered = false;
            try {
                answered = round.answered();
            } finally {
                call = ended(call.get(), answered);
            }
        }
    }

    /** Ends a call; returns the one to run next. */
    private synchronized Optional<CompletableFuture<Boolean>> ended(
            CompletableFuture<Boolean> call, boolean answered) {
        boolean unused = call.complete(answered);
        if (running.filter(now -> now == call).isEmpty()) {
            // It was given up.
            return Optional.empty();
        }
        if (!answered) {
            fail();
            return Optional.empty();
        }
        if (isBroken) {
            LOG.info("owner {} answers the exchange again", peer.name());
        }
        isBroken = false;
        running = next;
        next = Optional.empty();
        return running;
    }

    /** Waits no longer for the call that is running. A late answer of it is not lost. */
    synchronized void giveUp() {
        if (!isBroken) {
            fail();
        }
    }

    private void fail() {
        if (!isBroken) {
            LOG.warn(
                    "owner {} does not answer the exchange: until it does, writes here may lack"
                            + " causes that clients read there",
                    peer.name());
        }
        isBroken = true;
        failedAt = nanos.getAsLong();
        next.ifPresent(each -> each.complete(false));
        next = Optional.empty();
        running.ifPresent(each -> each.complete(false));
        running = Optional.empty();
    }
}
