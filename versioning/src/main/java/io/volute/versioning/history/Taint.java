package io.volute.versioning.history;

import io.volute.versioning.History.Action;
import io.volute.versioning.History.Direction;
import io.volute.versioning.History.TraceScope;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.causality.VersionNode;
import io.volute.versioning.rows.Event;
import io.volute.versioning.rows.KeyVersion;
import io.volute.versioning.rows.NodeHash;
import io.volute.versioning.value.ChangeKind;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Function;

/**
 * The nodes that are reached from a state along the edges of the causal graph. It receives all
 * events in their order and needs no other part of the graph, because an edge never leads to an
 * earlier event. Not thread-safe.
 */
abstract sealed class Taint {
    /** Number of nodes from which the index no longer helps: their edges are in most blocks. */
    private static final int MUCH = 4096;

    private final Function<KeyVersion, VersionNode> naming;
    private final Direction direction;
    private final NodeSet objects = new NodeSet();

    /** Hashes of the first {@link #MUCH} reached nodes. */
    private final long[] nodes = new long[MUCH];

    private int count;

    /** Maximum number of reached nodes: 48 bytes for each object, about 100 for each actor. */
    private int nodesMax = TraceScope.ALL.nodesMax();

    private BiPredicate<KeyVersion, Instant> open = (object, at) -> true;

    /** Hashes of the nodes from which a closed node was reached. */
    private final Set<Long> closed = new HashSet<>();

    private final KeyVersion start;

    /**
     * By actor id, the version from which on (forward) or up to which (back) the actor is reached.
     */
    final Map<Long, Long> actors = new HashMap<>();

    /**
     * A reached node, with its predecessor on the way from the start. Neither an actor nor an
     * object is a closed node.
     */
    record Reached(
            Event event,
            Optional<ActorNode> actor,
            Optional<KeyVersion> object,
            Predecessor predecessor) {}

    /** An actor at one of its versions. */
    record ActorNode(long id, long version) {}

    /** The predecessor of a reached node: an actor or an object. */
    record Predecessor(Optional<ActorNode> actor, Optional<KeyVersion> object, Action action) {}

    /**
     * Begins at a state.
     *
     * @param naming maps an object to its node in memory
     */
    Taint(KeyVersion start, Direction direction, Function<KeyVersion, VersionNode> naming) {
        this.naming = naming;
        this.direction = direction;
        this.start = start;
        if (objects.add(naming.apply(start))) {
            reached(NodeHash.object(direction, start));
        }
    }

    static Taint from(
            KeyVersion start, Direction direction, Function<KeyVersion, VersionNode> naming) {
        return switch (direction) {
            case FORWARD -> new Forward(start, naming);
            case BACK -> new Back(start, naming);
        };
    }

    /**
     * Limits the walk. Nothing is reached from a closed state.
     *
     * @param nodesMax maximum number of reached nodes
     * @param isOpen returns whether a state may be reached by an event of a time
     */
    void limit(int nodesMax, BiPredicate<KeyVersion, Instant> isOpen) {
        this.nodesMax = nodesMax;
        this.open = isOpen;
    }

    Direction direction() {
        return direction;
    }

    /**
     * Returns whether so many nodes are reached that looking them up in the index does not help.
     */
    boolean isMuch() {
        return count >= MUCH;
    }

    /** Returns the number of nodes with a known hash. */
    int nodes() {
        return count;
    }

    /** Returns the hash of a node, in the order in which they were reached. */
    long node(int index) {
        return nodes[index];
    }

    private void reached(long hash) {
        if (objects.size() + actors.size() > nodesMax) {
            throw new StoreException(
                    Reason.INVALID_ARGUMENT,
                    "more than "
                            + nodesMax
                            + " states and actors are reached from this version:"
                            + " start from a later one");
        }
        if (!isMuch()) {
            nodes[count++] = hash;
        }
    }

    /** Adds an event; returns the node that it reaches for the first time. */
    abstract Optional<Reached> see(Event event);

    boolean isReached(KeyVersion object) {
        return objects.contains(naming.apply(object));
    }

    Optional<Reached> object(Event event, KeyVersion object, Predecessor predecessor) {
        VersionNode node = naming.apply(object);
        if (objects.contains(node) || isFromClosed(event, predecessor)) {
            return Optional.empty();
        }
        if (!open.test(object, event.at())) {
            return closed.add(hash(predecessor))
                    ? Optional.of(
                            new Reached(event, Optional.empty(), Optional.empty(), predecessor))
                    : Optional.empty();
        }
        objects.add(node);
        reached(NodeHash.object(direction, object));
        return Optional.of(new Reached(event, Optional.empty(), Optional.of(object), predecessor));
    }

    Optional<Reached> actor(Event event, ActorNode actor, Predecessor predecessor) {
        if (isFromClosed(event, predecessor)) {
            return Optional.empty();
        }
        actors.put(actor.id(), actor.version());
        reached(NodeHash.actor(direction, actor.id()));
        return Optional.of(new Reached(event, Optional.of(actor), Optional.empty(), predecessor));
    }

    /** The start is the only closed state from which something could be reached. */
    private boolean isFromClosed(Event event, Predecessor predecessor) {
        return predecessor.object().filter(start::equals).isPresent()
                && !open.test(start, event.at());
    }

    private long hash(Predecessor predecessor) {
        return predecessor
                .actor()
                .map(actor -> NodeHash.actor(direction, actor.id()))
                .orElseGet(() -> NodeHash.object(direction, predecessor.object().orElseThrow()));
    }

    static Predecessor predecessor(ActorNode actor, Action action) {
        return new Predecessor(Optional.of(actor), Optional.empty(), action);
    }

    static Predecessor predecessor(KeyVersion object, Action action) {
        return new Predecessor(Optional.empty(), Optional.of(object), action);
    }

    static Action action(ChangeKind change) {
        return switch (change) {
            case PUT -> Action.PUT;
            case MARK -> Action.DELETE_MARKER;
            case REMOVE -> Action.REMOVE;
            case TAG -> Action.TAG;
            case LOCK -> Action.LOCK;
            case ACL -> Action.ACL;
        };
    }

    /** The states and actors derived from a state. Receives events causes first. */
    static final class Forward extends Taint {
        Forward(KeyVersion start, Function<KeyVersion, VersionNode> naming) {
            super(start, Direction.FORWARD, naming);
        }

        private boolean isReached(long actor, long version) {
            return actors.getOrDefault(actor, Long.MAX_VALUE) <= version;
        }

        @Override
        Optional<Reached> see(Event event) {
            return switch (event) {
                case Event.Read read ->
                        isReached(read.object()) && !isReached(read.actor(), read.actorVersion())
                                ? actor(
                                        event,
                                        new ActorNode(read.actor(), read.actorVersion()),
                                        predecessor(read.object(), Action.READ))
                                : Optional.empty();
                case Event.Wrote wrote ->
                        isReached(wrote.actor(), wrote.actorVersion())
                                ? object(
                                        event,
                                        wrote.object(),
                                        predecessor(
                                                new ActorNode(wrote.actor(), wrote.actorVersion()),
                                                action(wrote.change())))
                                : Optional.empty();
                case Event.Copied copied ->
                        isReached(copied.source())
                                ? object(
                                        event,
                                        copied.object(),
                                        predecessor(copied.source(), Action.PUT))
                                : Optional.empty();
                case Event.Kept kept -> Optional.empty();
                case Event.Restored restored -> Optional.empty();
            };
        }
    }

    /** The ancestors of a state. Receives events effects first. */
    static final class Back extends Taint {
        Back(KeyVersion start, Function<KeyVersion, VersionNode> naming) {
            super(start, Direction.BACK, naming);
        }

        private boolean isReached(long actor, long version) {
            return actors.getOrDefault(actor, 0L) >= version;
        }

        @Override
        Optional<Reached> see(Event event) {
            return switch (event) {
                case Event.Read read ->
                        isReached(read.actor(), read.actorVersion())
                                ? object(
                                        event,
                                        read.object(),
                                        predecessor(
                                                new ActorNode(read.actor(), read.actorVersion()),
                                                Action.READ))
                                : Optional.empty();
                case Event.Wrote wrote ->
                        // The remover of a state is not an origin of it.
                        wrote.change() != ChangeKind.REMOVE
                                        && isReached(wrote.object())
                                        && !isReached(wrote.actor(), wrote.actorVersion())
                                ? actor(
                                        event,
                                        new ActorNode(wrote.actor(), wrote.actorVersion()),
                                        predecessor(wrote.object(), action(wrote.change())))
                                : Optional.empty();
                case Event.Copied copied ->
                        isReached(copied.object())
                                ? object(
                                        event,
                                        copied.source(),
                                        predecessor(copied.object(), Action.PUT))
                                : Optional.empty();
                case Event.Kept kept -> Optional.empty();
                case Event.Restored restored -> Optional.empty();
            };
        }
    }
}
