package io.volute.versioning.causality;

import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One run of an actor, from its first request until it is idle for the timeout: a process of the
 * paper. Its version grows with each freeze. Thread-safe.
 */
public final class Actor {
    /**
     * Heap bytes of an actor without ancestors and without its key, including the tables that hold
     * it.
     */
    static final long BYTES = 1024;

    /** Heap bytes of an ancestor in its table. */
    static final long ANCESTOR_BYTES = 128;

    private final long id;
    private final AncestorTable ancestors;

    /** Heap bytes of all live actors, including this one until it ends. */
    private final AtomicLong heap;

    /** The part of {@code heap} that belongs to this actor. */
    private long bytes;

    /** Written under the lock of {@link Actors}. */
    private volatile Instant lastRequest = Instant.MIN;

    private VersionNode version;
    private Optional<VersionNode> lastAncestor = Optional.empty();

    /** Edges that are not in the log, oldest first; an immutable empty set until the first. */
    private Set<Edge> unlogged = Set.of();

    /** Written under the lock. */
    private volatile Sessions sessions = Sessions.OPEN;

    /**
     * Creates an actor.
     *
     * @param heap counter of heap bytes; the actor adds its own until it ends
     * @param keyBytes heap bytes of its key
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
     * The dependencies of a write of this actor.
     *
     * @param version the ancestor of the written object
     * @param lastAncestor for rule CA.self-cycle; {@link Ancestor} explains when to omit it
     * @param unlogged edges that must be in the log no later than the write, oldest first
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
     * Offers the record {@code actor} → {@code read} for a read. Call it before the client receives
     * the content, so that no write that follows from it has an older version of the actor as its
     * ancestor. A version older than one that the actor knows is offered by itself.
     */
    public synchronized Outcome depend(VersioningAlgorithm algorithm, Ancestor read) {
        int known = ancestors.size();
        OptionalLong newest = ancestors.get(read.version().id());
        // A client reads older versions by their ids. They are no part of a newer one.
        Ancestor ancestor =
                newest.isPresent() && read.version().version() < newest.getAsLong()
                        ? read.byItself()
                        : read;
        Outcome outcome = algorithm.offer(new Dependent(version, sessions, ancestors), ancestor);
        switch (outcome) {
            case DISCARD -> {}
            case ADD -> add(ancestor.version());
            case FREEZE -> {
                version = version.next();
                add(ancestor.version());
                if (sessions == Sessions.CLOSED) {
                    // The callback for ended actors has already run.
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

    /** Returns the dependencies of a write that begins now. */
    public synchronized Standing standing() {
        return new Standing(version, lastAncestor, List.copyOf(unlogged));
    }

    /** Removes edges that are in the log now. */
    public synchronized void logged(Collection<Edge> edges) {
        if (!unlogged.isEmpty()) {
            edges.forEach(unlogged::remove);
            if (unlogged.isEmpty()) {
                unlogged = Set.of();
            }
        }
    }

    /** Returns the number of edges that are not in the log; each takes memory. */
    public synchronized int unloggedCount() {
        return unlogged.size();
    }

    /**
     * Ends the session and freezes the last version. A request that still runs begins another
     * version with each edge.
     */
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
