package io.volute.server.cluster.exchange;

import io.volute.server.cluster.exchange.ExchangeFormat.Answer;
import io.volute.server.cluster.exchange.ExchangeFormat.Question;
import io.volute.server.cluster.exchange.Peers.Peer;
import io.volute.versioning.SharedReads;
import io.volute.versioning.SharedReads.Position;
import io.volute.versioning.SharedReads.Progress;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The exchange of an owner of cubes with the other owners. What it has asked for before a write is
 * what one process for all cubes would know: the reads of the client, and a sequence that no commit
 * exceeds which the client could see. Thread-safe.
 */
public final class OwnerExchange {
    private static final Logger LOG = LoggerFactory.getLogger(OwnerExchange.class);

    private final SharedReads reads;
    private final Sequences order;
    private final Peers peers;
    private final Duration limit;
    private final LongSupplier nanos;
    private final ExchangeCounts counts;
    private final AtomicInteger waiting = new AtomicInteger();

    /** The calls to the last known process of each owner, by name. */
    private final Map<String, PeerCalls> calls = new ConcurrentHashMap<>();

    /** The order of the commits of this owner's cubes. Thread-safe. */
    public interface Sequences {
        /** Returns the greatest sequence that was given out or passed. */
        long last();

        /** Records a sequence of another owner: later commits here are greater. */
        void passed(long sequence);
    }

    /**
     * Creates an exchange that has not asked anybody.
     *
     * @param reads of the clients of this owner; shared before clients read
     * @param limit time within which an owner answers; a request waits at most twice as long
     * @param counts of the node, which outlive this exchange
     * @param nanos a clock that only goes forward
     */
    public OwnerExchange(
            SharedReads reads,
            Sequences order,
            Peers peers,
            Duration limit,
            ExchangeCounts counts,
            LongSupplier nanos) {
        this.reads = reads;
        this.order = order;
        this.peers = peers;
        this.limit = limit;
        this.counts = counts;
        this.nanos = nanos;
    }

    /**
     * Asks the other owners for what happened before this call. Call it before a request that may
     * write is handled. An owner that does not answer in time is left out, and counted.
     */
    public void await() throws InterruptedException {
        List<Peer> others = peers.others();
        if (others.isEmpty()) {
            return;
        }
        long began = nanos.getAsLong();
        List<PeerCalls> asked = new ArrayList<>();
        List<Optional<CompletableFuture<Boolean>>> joined = new ArrayList<>();
        for (Peer each : others) {
            PeerCalls to = calls(each);
            asked.add(to);
            joined.add(to.join());
        }
        forgetAllBut(others);
        int unused = waiting.incrementAndGet();
        try {
            for (int i = 0; i < asked.size(); i++) {
                if (!isAnswered(asked.get(i), joined.get(i), began)) {
                    counts.skipped().increment();
                }
            }
        } finally {
            counts.waitedNanos().add(nanos.getAsLong() - began);
            unused = waiting.decrementAndGet();
        }
    }

    /** Returns the number of requests that wait for answers. */
    int waiting() {
        return waiting.get();
    }

    private PeerCalls calls(Peer peer) {
        return calls.compute(
                peer.name(),
                (name, known) ->
                        known == null || known.peer().election() < peer.election()
                                ? newCalls(peer)
                                : known);
    }

    private PeerCalls newCalls(Peer peer) {
        AtomicReference<Position> position = new AtomicReference<>(Position.START);
        return new PeerCalls(peer, () -> exchange(peer, position), nanos);
    }

    private void forgetAllBut(List<Peer> others) {
        if (calls.size() > others.size()) {
            boolean unused =
                    calls.keySet()
                            .retainAll(others.stream().map(Peer::name).collect(Collectors.toSet()));
        }
    }

    private boolean isAnswered(PeerCalls to, Optional<CompletableFuture<Boolean>> call, long began)
            throws InterruptedException {
        if (call.isEmpty()) {
            return false;
        }
        // A call that is running may take its time before this one begins.
        long left = 2 * limit.toNanos() - (nanos.getAsLong() - began);
        try {
            return call.get().get(left, TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            to.giveUp();
            return false;
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Asks an owner until it has no more reads. */
    private boolean exchange(Peer peer, AtomicReference<Position> position) {
        counts.calls().increment();
        long began = nanos.getAsLong();
        boolean answered = false;
        try {
            boolean hasMore = true;
            while (hasMore) {
                long left = limit.toNanos() - (nanos.getAsLong() - began);
                if (left <= 0) {
                    throw new IOException("its reads did not arrive in " + limit);
                }
                hasMore = ask(peer, position, Duration.ofNanos(left));
            }
            answered = true;
        } catch (IOException | RuntimeException e) {
            LOG.debug("owner {} did not answer the exchange", peer.name(), e);
        } finally {
            if (!answered) {
                counts.failed().increment();
            }
        }
        return answered;
    }

    /** Asks once; returns whether the owner has more reads. */
    private boolean ask(Peer peer, AtomicReference<Position> position, Duration left)
            throws IOException {
        Question question = new Question(order.last(), position.get());
        Answer answer = Answer.decode(peer.ask(question.encode(), left));
        order.passed(answer.sequence());
        Progress progress = reads.add(answer.reads());
        position.set(progress.position());
        return progress.hasMore();
    }

    /**
     * Answers another owner.
     *
     * @param content the question of its exchange
     * @throws IllegalArgumentException when this program cannot decode the question
     */
    public byte[] answer(byte[] content) {
        Question question = Question.decode(content);
        order.passed(question.sequence());
        byte[] batch = reads.since(question.from());
        return new Answer(order.last(), batch).encode();
    }
}
