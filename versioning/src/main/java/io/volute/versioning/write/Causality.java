package io.volute.versioning.write;

import io.volute.storage.Cube;
import io.volute.versioning.CausalityStats;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.StoreOptions.HistorySettings;
import io.volute.versioning.causality.Actor;
import io.volute.versioning.causality.ActorKey;
import io.volute.versioning.causality.Actors;
import io.volute.versioning.causality.Ancestor;
import io.volute.versioning.causality.Edge;
import io.volute.versioning.causality.GraphFinesse;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.causality.Outcome;
import io.volute.versioning.causality.Sessions;
import io.volute.versioning.causality.VersionNode;
import io.volute.versioning.causality.VersioningAlgorithm;
import io.volute.versioning.event.EventLog;
import io.volute.versioning.event.ForeignReads;
import io.volute.versioning.event.Membership;
import io.volute.versioning.rows.CausalStamp;
import io.volute.versioning.rows.Event;
import io.volute.versioning.rows.KeyVersion;
import io.volute.versioning.rows.ObjectRow;
import io.volute.versioning.state.BucketEntry;
import io.volute.versioning.state.Resolution;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectKey;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The causality of a store: its actors, its algorithms and its pending events. The policy of a
 * bucket decides which states are kept. Thread-safe.
 *
 * <p>Source: Causality-based Versioning, section 4, with actors in place of processes and sessions
 * in place of open files.
 */
public final class Causality {
    private static final Logger LOG = LoggerFactory.getLogger(Causality.class);

    /**
     * Maximum number of nodes and edges in the graph of Graph-Finesse; each takes some hundred
     * bytes.
     */
    private static final long GRAPH_MAX = 1_000_000;

    private final HistorySettings settings;
    private final InstantSource clock;
    private final long seed;
    private final LongSupplier ids;
    private final Membership membership;
    private final EventLog events;
    private final CausalityMeter meter = new CausalityMeter();
    private final GraphFinesse graph = new GraphFinesse(GRAPH_MAX);
    private final Map<HistoryPolicy, VersioningAlgorithm> algorithms =
            new EnumMap<>(HistoryPolicy.class);

    /** The same algorithms, each of which also maintains the graph. */
    private final Map<HistoryPolicy, VersioningAlgorithm> graphed =
            new EnumMap<>(HistoryPolicy.class);

    private volatile boolean isGraphed;
    private volatile Actors actors;

    /** Creates the causality of one cube. */
    public Causality(StoreOptions options, Membership membership) {
        Cube cube = options.cube();
        this.settings = options.history();
        this.clock = options.clock();
        this.seed = options.random().nextLong();
        this.membership = membership;
        this.ids = membership.ids(cube);
        this.events = new EventLog(cube, clock, StoreOptions.Limits.PENDING_BYTES_MAX);
        this.actors = newActors();
        for (HistoryPolicy policy : HistoryPolicy.values()) {
            VersioningAlgorithm plain = VersioningAlgorithm.of(policy, graph);
            boolean usesGraph =
                    policy != HistoryPolicy.NONE && policy != HistoryPolicy.GRAPH_FINESSE;
            algorithms.put(policy, meter.over(policy, plain));
            graphed.put(policy, meter.over(policy, usesGraph ? graph.alongside(plain) : plain));
        }
    }

    private Actors newActors() {
        return new Actors(
                ids,
                clock,
                this::ended,
                new Actors.Limits(
                        settings.idleTimeout(),
                        Actors.Limits.DEFAULT.instancesMax(),
                        Actors.Limits.DEFAULT.ancestorsMax(),
                        Actors.Limits.DEFAULT.bytesMax()));
    }

    private void ended(Actor actor) {
        graph.frozen(actor.standing().version());
        events.ended(actor);
    }

    public EventLog events() {
        return events;
    }

    /**
     * Returns the algorithm of a policy. The graph is maintained only once a bucket uses
     * Graph-Finesse. At that moment all sessions end, so that the graph misses no edge.
     */
    VersioningAlgorithm algorithm(HistoryPolicy policy) {
        if (policy == HistoryPolicy.GRAPH_FINESSE && !isGraphed) {
            beginGraph();
        }
        return (isGraphed ? graphed : algorithms).get(policy);
    }

    private synchronized void beginGraph() {
        if (!isGraphed) {
            isGraphed = true;
            Actors before = actors;
            actors = newActors();
            int ended = before.endAll();
            LOG.debug("Graph-Finesse begins: {} sessions ended", ended);
        }
    }

    CausalityMeter meter() {
        return meter;
    }

    public CausalityStats stats() {
        return meter.figures(actors.size(), events.pendingBytes(), events.dropped());
    }

    public HistorySettings settings() {
        return settings;
    }

    /** Returns the instants at which the past of a bucket is exact. */
    Resolution resolution(BucketInfo bucket) {
        return Resolution.of(bucket, settings.resolution());
    }

    public InstantSource clock() {
        return clock;
    }

    Actor actor(Caller caller) {
        Actor actor = actors.resolve(new ActorKey(caller.accessKey(), caller.actor().text()));
        events.present(actor, caller);
        return actor;
    }

    /** Returns whether reads of this key and copies from it create no dependency. */
    public boolean isIgnored(BucketEntry bucket, ObjectKey key) {
        return settings.ignored().stream()
                .anyMatch(pattern -> pattern.matches(bucket.info().name(), key));
    }

    /**
     * Records the read of a state. Call it before the actor receives the state. A view of another
     * node's cube has no actors: the read is a cause of writes in other cubes.
     */
    public void read(Caller caller, BucketEntry bucket, ObjectKey key, ObjectRow row) {
        HistoryPolicy policy = bucket.info().history();
        if (policy != HistoryPolicy.NONE && !isIgnored(bucket, key)) {
            KeyVersion object = new KeyVersion(bucket.id(), key, row.causalVersion());
            Instant now = clock.instant();
            if (membership.isOpen()) {
                Ancestor ancestor = ancestor(policy, object, row.causal());
                reads(actor(caller), algorithm(policy), object, ancestor, now);
            }
            membership.read(caller, object, row.causal(), now);
        }
    }

    /**
     * Records the reads of this caller in other cubes, before its write in this one: they are
     * causes of the write.
     */
    void readElsewhere(
            Actor actor, Caller caller, HistoryPolicy policy, VersioningAlgorithm algorithm) {
        for (ForeignReads.Read each : membership.takeReads(caller)) {
            Ancestor ancestor = ancestor(policy, each.object(), each.stamp());
            reads(actor, algorithm, each.object(), ancestor, each.at());
        }
    }

    private void reads(
            Actor actor,
            VersioningAlgorithm algorithm,
            KeyVersion object,
            Ancestor ancestor,
            Instant at) {
        if (actor.depend(algorithm, ancestor) == Outcome.DISCARD) {
            return;
        }
        VersionNode byItself = ancestor.byItself().version();
        // The edge has the version: the actor may have a newer one since.
        for (Edge edge : actor.standing().unlogged()) {
            if (edge.ancestor().equals(ancestor.version()) || edge.ancestor().equals(byItself)) {
                events.add(
                        actor.id(),
                        new Event.Read(at, actor.id(), edge.dependent().version(), object));
                actor.logged(List.of(edge));
            }
        }
    }

    /** Returns a state as an ancestor of others. */
    Ancestor ancestor(HistoryPolicy policy, KeyVersion object, CausalStamp stamp) {
        Optional<VersionNode> writer =
                stamp.actor() == 0
                        ? Optional.empty()
                        : Optional.of(new VersionNode(stamp.actor(), stamp.actorVersion()));
        return new Ancestor(node(object), sessions(policy, stamp), writer);
    }

    /**
     * Returns whether the session of a state's writer is open. Returns OPEN without a lookup when
     * no algorithm needs the answer.
     *
     * @param policy the policy that decides
     */
    Sessions sessions(HistoryPolicy policy, CausalStamp stamp) {
        boolean isAsked = isGraphed || policy == HistoryPolicy.OPEN_CLOSE;
        if (!isAsked) {
            return Sessions.OPEN;
        }
        return stamp.actor() != 0 && isOpen(stamp.actor()) ? Sessions.OPEN : Sessions.CLOSED;
    }

    /** Returns whether an actor's session has not ended. */
    public boolean isOpen(long actor) {
        return actors.isOpen(actor);
    }

    /**
     * Returns the node of a key, whose number is a keyed hash because keys have none. A collision
     * could keep one state more or less. The events name the keys themselves.
     */
    public VersionNode node(KeyVersion object) {
        long hash = seed ^ object.bucketId() * 0x9E3779B97F4A7C15L;
        for (byte value : object.key().utf8()) {
            hash = (hash ^ value) * 0x100000001B3L;
            hash ^= hash >>> 29;
        }
        hash = (hash ^ hash >>> 32) * 0xD6E8FEB86659FD93L;
        // The sign bit separates keys from actors, whose ids are small and positive.
        return new VersionNode(hash | Long.MIN_VALUE, object.version());
    }
}
