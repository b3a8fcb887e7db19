package io.volute.versioning.causality;

import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One run of an actor, from its first request until it has been idle for long enough: the paper's
 * process. Its version grows with each freeze. Thread-safe.
 */
public final class Actor {
    /** Heap of an actor without ancestors and without its key, with what others hold for it. */
    static final long BYTES = 1024;

    /** Heap of an ancestor in its table. */
    static final long ANCESTOR_BYTES = 128;

    private final long id;
    private final AncestorTable ancestors;

    /** Heap of all live actors, with this one until it has ended. */
    private final AtomicLong heap;

    /** The share of this actor in it. */
    private long bytes;

    /** Written under the lock of {@link Actors}. */
    private volatile Instant lastRequest = Instant.MIN;

    private VersionNode version;
    private Optional<VersionNode> lastAncestor = Optional.empty();

    /** In the order of their making; an immutable empty set until the first. */
    private Set<Edge> unlogged = Set.of();

    /** Written under the lock. */
    private volatile Sessions sessions = Sessions.OPEN;

    /**
     * @param heap to which the actor adds what it takes, in bytes, until it ends
     * @param keyBytes of its key
     */
    Actor(long id, AncestorTable ancestors, AtomicLong heap, long keyBytes) {
        this.id = id;
        this.ancestors = ancestors;
        this.heap = heap;
        this.bytes = BYTES + keyBytes;
        heap.addAndGet(bytes);
        this.version = VersionNode.first(id);
    }

    /**
     * What a write of this actor depends on.
     *
     * @param version the ancestor that the written object gets
     * @param lastAncestor for rule CA.self-cycle; {@link Ancestor} says when to leave it out
     * @param unlogged edges that must be in the log before the write is, oldest first
     */
    public record Standing(
            VersionNode version, Optional<VersionNode> lastAncestor, List<Edge> unlogged) {
        public Standing {
            unlogged = List.copyOf(unlogged);
        }
    }

    public long id() {
        return id;
    }

    /**
     * The actor has read this: offers the record {@code actor} → {@code ancestor}. To be called
     * before the client sees what he reads, so that no write that follows from it has an older
     * version of the actor as its ancestor.
     */
    public synchronized Outcome depend(VersioningAlgorithm algorithm, Ancestor ancestor) {
        int known = ancestors.size();
        Outcome outcome = algorithm.offer(new Dependent(version, sessions, ancestors), ancestor);
        switch (outcome) {
            case DISCARD -> {}
            case ADD -> add(ancestor.version());
            case FREEZE -> {
                version = version.next();
                add(ancestor.version());
                if (sessions == Sessions.CLOSED) {
                    // Whoever is told of ended actors has been told already.
                    algorithm.frozen(version);
                }
            }
        }
        if (sessions == Sessions.OPEN) {
            long more = (ancestors.size() - known) * ANCESTOR_BYTES;
            bytes += more;
            heap.addAndGet(more);
        }
        return outcome;
    }

    /** What a write that begins now depends on. */
    public synchronized Standing standing() {
        return new Standing(version, lastAncestor, List.copyOf(unlogged));
    }

    /** These edges are in the log. */
    public synchronized void logged(Collection<Edge> edges) {
        if (!unlogged.isEmpty()) {
            edges.forEach(unlogged::remove);
            if (unlogged.isEmpty()) {
                unlogged = Set.of();
            }
        }
    }

    /** Edges that are not in the log yet; who lets them become many pays with memory. */
    public synchronized int unloggedCount() {
        return unlogged.size();
    }

    /** The last version is frozen: a request that still runs begins another with each edge. */
    synchronized void end() {
        sessions = Sessions.CLOSED;
        heap.addAndGet(-bytes);
        bytes = 0;
    }

    public boolean isOpen() {
        return sessions == Sessions.OPEN;
    }

    Instant lastRequest() {
        return lastRequest;
    }

    void lastRequest(Instant now) {
        lastRequest = now;
    }

    private void add(VersionNode ancestor) {
        lastAncestor = Optional.of(ancestor);
        if (unlogged.isEmpty()) {
            unlogged = new LinkedHashSet<>(2);
        }
        unlogged.add(new Edge(version, ancestor));
    }
}
