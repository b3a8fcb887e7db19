package io.volute.versioning.history;

import io.volute.versioning.History.Action;
import io.volute.versioning.History.Direction;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.causality.VersionNode;
import io.volute.versioning.rows.Event;
import io.volute.versioning.rows.KeyVersion;
import io.volute.versioning.rows.NodeHash;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * What is reached from a state along the edges of the causal graph. Told of all events in their
 * order, it needs to know no more of the graph than what it has reached: an edge never leads to
 * something that happened before.
 */
public abstract sealed class Taint {
    /** Nodes that are reached, at most: 48 bytes for each object, a hundred for each actor. */
    private static final int NODES_MAX = 1_000_000;

    /** From so many on, whatever there is may be reached. */
    private static final int MUCH = 4096;

    private final KeyVersion start;
    private final Function<KeyVersion, VersionNode> naming;
    private final Direction direction;
    private final NodeSet objects = new NodeSet();

    /** Hashes of what is reached, the first of them. */
    private final long[] nodes = new long[MUCH];

    private int count;

    /** Of each actor the version from which on, or up to which, it is reached. */
    final Map<Long, Long> actors = new HashMap<>();

    /** Something that is reached, and through what. */
    record Reached(
            Event event, Optional<ActorNode> actor, Optional<KeyVersion> object, Through through) {}

    /** An actor at one of its versions. */
    record ActorNode(long id, long version) {}

    /** What something is reached through: an actor or an object. */
    record Through(Optional<ActorNode> actor, Optional<KeyVersion> object, Action action) {}

    /**
     * @param naming stands for an object in memory
     */
    Taint(KeyVersion start, Direction direction, Function<KeyVersion, VersionNode> naming) {
        this.start = start;
        this.naming = naming;
        this.direction = direction;
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

    Direction direction() {
        return direction;
    }

    /** Whether so much is reached that it does not help to know what. */
    boolean isMuch() {
        return count >= MUCH;
    }

    /** How many nodes are known by their hash. */
    int nodes() {
        return count;
    }

    /** The hash of a node, in the order in which they were reached. */
    long node(int index) {
        return nodes[index];
    }

    private void reached(long hash) {
        if (objects.size() + actors.size() > NODES_MAX) {
            throw new StoreException(
                    Reason.INVALID_ARGUMENT,
                    "more than "
                            + NODES_MAX
                            + " states and actors are reached from there: begin further on");
        }
        if (!isMuch()) {
            nodes[count++] = hash;
        }
    }

    /** What this event reaches that was not reached before. */
    abstract Optional<Reached> see(Event event);

    public boolean isStart(KeyVersion object) {
        return object.equals(start);
    }

    boolean isReached(KeyVersion object) {
        return objects.contains(naming.apply(object));
    }

    Optional<Reached> object(Event event, KeyVersion object, Through through) {
        if (!objects.add(naming.apply(object))) {
            return Optional.empty();
        }
        reached(NodeHash.object(direction, object));
        return Optional.of(new Reached(event, Optional.empty(), Optional.of(object), through));
    }

    Optional<Reached> actor(Event event, ActorNode actor, Through through) {
        actors.put(actor.id(), actor.version());
        reached(NodeHash.actor(direction, actor.id()));
        return Optional.of(new Reached(event, Optional.of(actor), Optional.empty(), through));
    }

    static Through through(ActorNode actor, Action action) {
        return new Through(Optional.of(actor), Optional.empty(), action);
    }

    static Through through(KeyVersion object, Action action) {
        return new Through(Optional.empty(), Optional.of(object), action);
    }

    static Action action(Event.Change change) {
        return switch (change) {
            case PUT -> Action.PUT;
            case MARK -> Action.DELETE_MARKER;
            case REMOVE -> Action.REMOVE;
            case TAG -> Action.TAG;
            case LOCK -> Action.LOCK;
        };
    }

    /** What was made from a state: told of events causes first. */
    public static final class Forward extends Taint {
        Forward(KeyVersion start, Function<KeyVersion, VersionNode> naming) {
            super(start, Direction.FORWARD, naming);
        }

        /** Whether what this actor writes at this version is reached. */
        public boolean isReached(long actor, long version) {
            return actors.getOrDefault(actor, Long.MAX_VALUE) <= version;
        }

        @Override
        public Optional<Reached> see(Event event) {
            return switch (event) {
                case Event.Read read ->
                        isReached(read.object()) && !isReached(read.actor(), read.actorVersion())
                                ? actor(
                                        event,
                                        new ActorNode(read.actor(), read.actorVersion()),
                                        through(read.object(), Action.READ))
                                : Optional.empty();
                case Event.Wrote wrote ->
                        isReached(wrote.actor(), wrote.actorVersion())
                                ? object(
                                        event,
                                        wrote.object(),
                                        through(
                                                new ActorNode(wrote.actor(), wrote.actorVersion()),
                                                action(wrote.change())))
                                : Optional.empty();
                case Event.Copied copied ->
                        isReached(copied.source())
                                ? object(
                                        event,
                                        copied.object(),
                                        through(copied.source(), Action.PUT))
                                : Optional.empty();
                case Event.Kept kept -> Optional.empty();
            };
        }
    }

    /** What a state was made from: told of events effects first. */
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
                                        through(
                                                new ActorNode(read.actor(), read.actorVersion()),
                                                Action.READ))
                                : Optional.empty();
                case Event.Wrote wrote ->
                        // Who took a state away has not made it.
                        wrote.change() != Event.Change.REMOVE
                                        && isReached(wrote.object())
                                        && !isReached(wrote.actor(), wrote.actorVersion())
                                ? actor(
                                        event,
                                        new ActorNode(wrote.actor(), wrote.actorVersion()),
                                        through(wrote.object(), action(wrote.change())))
                                : Optional.empty();
                case Event.Copied copied ->
                        isReached(copied.object())
                                ? object(
                                        event,
                                        copied.source(),
                                        through(copied.object(), Action.PUT))
                                : Optional.empty();
                case Event.Kept kept -> Optional.empty();
            };
        }
    }
}
