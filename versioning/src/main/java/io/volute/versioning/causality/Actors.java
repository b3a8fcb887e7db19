package io.volute.versioning.causality;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * The live actors. An actor lives from its first request until it is idle for the timeout, or until
 * it is the longest idle one when there are too many. The next request of its key begins a new
 * actor. There is no timer: each call ends the actors that are due. Thread-safe. The lock covers
 * table look-ups only, and is taken before that of an actor.
 */
public final class Actors {
    private static final float LOAD = 0.75f;
    private static final Duration GLANCE_MAX = Duration.ofMillis(100);
    private static final int GLANCES = 1000;
    private static final long CHAR_BYTES = 2;

    /** Actors without access key may be 1/4 of all before they are ended first. */
    private static final int ANONYMOUS_SHARE = 4;

    private final LongSupplier ids;
    private final InstantSource clock;
    private final Consumer<Actor> ended;
    private final Limits limits;
    private final ReentrantLock lock = new ReentrantLock();

    /** Actors with an access key, longest idle first. */
    private final LinkedHashMap<ActorKey, Actor> signed = new LinkedHashMap<>(16, LOAD, true);

    /** Actors without access key, longest idle first. They do not displace the others. */
    private final LinkedHashMap<ActorKey, Actor> anonymous = new LinkedHashMap<>(16, LOAD, true);

    /** Heap of the live actors, in bytes. */
    private final AtomicLong heap = new AtomicLong();

    private final Map<Long, ActorKey> keys = new HashMap<>();

    /**
     * The last request of each key, read without the lock: within the glance a repeated request is
     * not recorded again.
     */
    private final Map<ActorKey, Seen> seen = new ConcurrentHashMap<>();

    private final Duration glance;

    private record Seen(Actor actor, Instant at) {}

    /**
     * The greatest clock reading so far, so that order of use is order of time even after a clock
     * step.
     */
    private Instant now = Instant.MIN;

    /**
     * The limits of the actors.
     *
     * @param idleTimeout an actor ends when its last request is this old
     * @param instancesMax maximum number of live actors
     * @param ancestorsMax maximum number of entries in one actor's table of ancestors
     * @param bytesMax heap bytes of all actors with their ancestors; a single actor may exceed it
     */
    public record Limits(Duration idleTimeout, int instancesMax, int ancestorsMax, long bytesMax) {
        public static final Limits DEFAULT =
                new Limits(Duration.ofMinutes(15), 100_000, 65_536, 64L << 20);

        public Limits {
            if (!idleTimeout.isPositive() || instancesMax < 1 || ancestorsMax < 1 || bytesMax < 1) {
                throw new IllegalArgumentException(
                        "limits of actors must be positive: idle timeout "
                                + (idleTimeout + ", instances " + instancesMax)
                                + (", ancestors " + ancestorsMax + ", bytes " + bytesMax));
            }
        }
    }

    /**
     * Creates an empty table.
     *
     * @param ids supplies unique ids of objects and actors; called under the lock
     * @param ended called for each ended actor outside the lock, in the thread that ended it. The
     *     version of the actor is frozen, and some of its edges may not be in the log. Must not
     *     throw
     */
    public Actors(LongSupplier ids, InstantSource clock, Consumer<Actor> ended, Limits limits) {
        this.ids = ids;
        this.clock = clock;
        this.ended = ended;
        this.limits = limits;
        Duration share = limits.idleTimeout().dividedBy(GLANCES);
        this.glance = share.compareTo(GLANCE_MAX) < 0 ? share : GLANCE_MAX;
    }

    /**
     * Returns the live actor of this key, for a request that begins now. A request that outlives
     * the timeout must call it again before it writes.
     */
    public Actor resolve(ActorKey key) {
        Seen last = seen.get(key);
        if (last != null && isJustNow(last)) {
            return last.actor();
        }
        return resolveNow(key);
    }

    private boolean isJustNow(Seen last) {
        Instant read = clock.instant();
        return last.actor().isOpen()
                && !read.isBefore(last.at())
                && read.isBefore(last.at().plus(glance));
    }

    private Actor resolveNow(ActorKey key) {
        return ending(
                over -> {
                    endIdleInto(over);
                    Actor actor = table(key).get(key);
                    if (actor == null) {
                        actor = begin(key, over);
                    }
                    actor.lastRequest(now);
                    while (heap.get() > limits.bytesMax() && count() > 1) {
                        endOne(over, Optional.of(key));
                    }
                    // Under the lock, so that no entry of an ended actor remains.
                    seen.put(key, new Seen(actor, now));
                    return actor;
                });
    }

    /** Runs an action under the lock, then reports the ended actors outside of it. */
    private <T> T ending(Function<List<Actor>, T> work) {
        List<Actor> over = new ArrayList<>(0);
        lock.lock();
        try {
            return work.apply(over);
        } finally {
            lock.unlock();
            over.forEach(ended);
        }
    }

    /** Returns whether this is the id of a live actor, whose states may still change. */
    public boolean isOpen(long actorId) {
        return ending(
                over -> {
                    endIdleInto(over);
                    return keys.containsKey(actorId);
                });
    }

    /** Ends the actors that are due; returns their number. */
    public int endIdle() {
        return ending(
                over -> {
                    endIdleInto(over);
                    return over.size();
                });
    }

    /** Ends all actors; returns their number. */
    public int endAll() {
        return ending(
                over -> {
                    while (count() > 0) {
                        endOne(over, Optional.empty());
                    }
                    return over.size();
                });
    }

    /** Returns the number of live actors. */
    public int size() {
        lock.lock();
        try {
            return count();
        } finally {
            lock.unlock();
        }
    }

    private int count() {
        return signed.size() + anonymous.size();
    }

    private LinkedHashMap<ActorKey, Actor> table(ActorKey key) {
        return key.accessKey().isEmpty() ? anonymous : signed;
    }

    /**
     * Ends the longest idle actor: one with an access key, or one without while those exceed their
     * share.
     *
     * @param kept key of an actor that must stay; there must be another one
     */
    private void endOne(List<Actor> over, Optional<ActorKey> kept) {
        boolean isOfAnonymous = signed.isEmpty() || anonymous.size() > count() / ANONYMOUS_SHARE;
        ActorKey eldest = (isOfAnonymous ? anonymous : signed).firstEntry().getKey();
        boolean isKept = kept.filter(eldest::equals).isPresent();
        end(isKept ? (isOfAnonymous ? signed : anonymous).firstEntry().getKey() : eldest, over);
    }

    private Actor begin(ActorKey key, List<Actor> over) {
        long id = ids.getAsLong();
        if (count() >= limits.instancesMax()) {
            endOne(over, Optional.empty());
        }
        Actor actor =
                new Actor(
                        id,
                        AncestorTable.bounded(limits.ancestorsMax()),
                        heap,
                        CHAR_BYTES * (key.accessKey().length() + key.name().length()));
        table(key).put(key, actor);
        keys.put(id, key);
        return actor;
    }

    private void endIdleInto(List<Actor> over) {
        Instant read = clock.instant();
        if (read.isAfter(now)) {
            now = read;
        }
        endIdleInto(over, signed);
        endIdleInto(over, anonymous);
    }

    private void endIdleInto(List<Actor> over, LinkedHashMap<ActorKey, Actor> table) {
        while (!table.isEmpty() && isIdle(table.firstEntry().getValue())) {
            end(table.firstEntry().getKey(), over);
        }
    }

    private void end(ActorKey key, List<Actor> over) {
        Actor actor = table(key).remove(key);
        keys.remove(actor.id());
        seen.remove(key);
        actor.end();
        over.add(actor);
    }

    private boolean isIdle(Actor actor) {
        return !now.isBefore(actor.lastRequest().plus(limits.idleTimeout()));
    }
}
