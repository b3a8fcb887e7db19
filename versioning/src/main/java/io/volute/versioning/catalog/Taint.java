package io.volute.versioning.catalog;

import io.volute.versioning.History.Action;
import io.volute.versioning.rows.Event;
import io.volute.versioning.rows.KeyVersion;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What is reached from a state along the edges of the causal graph. Told of all events in their
 * order, it needs to know no more of the graph than what it has reached: an edge never leads to
 * something that happened before.
 */
abstract sealed class Taint {
    private final Set<KeyVersion> objects = new HashSet<>();

    /** Of each actor the version from which on, or up to which, it is reached. */
    final Map<Long, Long> actors = new HashMap<>();

    /** Something that is reached, and through what. */
    record Reached(
            Event event, Optional<ActorNode> actor, Optional<KeyVersion> object, Through through) {}

    /** An actor at one of its versions. */
    record ActorNode(long id, long version) {}

    /** What something is reached through: an actor or an object. */
    record Through(Optional<ActorNode> actor, Optional<KeyVersion> object, Action action) {}

    Taint(KeyVersion start) {
        objects.add(start);
    }

    /** What this event reaches that was not reached before. */
    abstract Optional<Reached> see(Event event);

    boolean isReached(KeyVersion object) {
        return objects.contains(object);
    }

    Optional<Reached> object(Event event, KeyVersion object, Through through) {
        return objects.add(object)
                ? Optional.of(new Reached(event, Optional.empty(), Optional.of(object), through))
                : Optional.empty();
    }

    Optional<Reached> actor(Event event, ActorNode actor, Through through) {
        actors.put(actor.id(), actor.version());
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
        };
    }

    /** What was made from a state: told of events causes first. */
    static final class Forward extends Taint {
        Forward(KeyVersion start) {
            super(start);
        }

        /** Whether what this actor writes at this version is reached. */
        boolean isReached(long actor, long version) {
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
        Back(KeyVersion start) {
            super(start);
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
                        isReached(wrote.object()) && !isReached(wrote.actor(), wrote.actorVersion())
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
