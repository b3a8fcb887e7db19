package io.volute.versioning.write;

import io.volute.storage.Cube;
import io.volute.versioning.BucketInfo;
import io.volute.versioning.Caller;
import io.volute.versioning.CausalityStats;
import io.volute.versioning.ObjectKey;
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
import io.volute.versioning.rows.CausalStamp;
import io.volute.versioning.rows.Event;
import io.volute.versioning.rows.KeyVersion;
import io.volute.versioning.rows.ObjectRow;
import io.volute.versioning.state.BucketEntry;
import io.volute.versioning.state.Resolution;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who did what to which state: decides by the policy of the bucket which states are kept, and
 * writes down the edges. Thread-safe.
 *
 * <p>Source: Causality-based Versioning, section 4, with actors in place of processes and sessions
 * in place of open files.
 */
public final class Causality {
    private static final Logger LOG = LoggerFactory.getLogger(Causality.class);

    /** Of the graph of Graph-Finesse, nodes and edges: some hundred bytes each. */
    private static final long GRAPH_MAX = 1_000_000;

    private final HistorySettings settings;
    private final InstantSource clock;
    private final long seed;
    private final LongSupplier ids;
    private final EventLog events;
    private final CausalityMeter meter = new CausalityMeter();
    private final GraphFinesse graph = new GraphFinesse(GRAPH_MAX);
    private final Map<HistoryPolicy, VersioningAlgorithm> algorithms =
            new EnumMap<>(HistoryPolicy.class);

    /** The same, telling the graph. */
    private final Map<HistoryPolicy, VersioningAlgorithm> graphed =
            new EnumMap<>(HistoryPolicy.class);

    private volatile boolean isGraphed;
    private volatile Actors actors;

    public Causality(StoreOptions options) {
        Cube cube = options.cube();
        this.settings = options.history();
        this.clock = options.clock();
        this.seed = options.random().nextLong();
        this.ids = cube::allocateId;
        this.events = new EventLog(cube, clock, StoreOptions.Limits.PENDING_BYTES_MAX);
        this.actors = newActors();
        for (HistoryPolicy policy : HistoryPolicy.values()) {
            VersioningAlgorithm plain = VersioningAlgorithm.of(policy, graph);
            boolean isTold = policy != HistoryPolicy.NONE && policy != HistoryPolicy.GRAPH_FINESSE;
            algorithms.put(policy, meter.over(policy, plain));
            graphed.put(policy, meter.over(policy, isTold ? graph.alongside(plain) : plain));
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
     * The algorithm of a policy. As long as no bucket has Graph-Finesse nobody pays for its graph;
     * with the first that has, all sessions end, so that no edge is missing in it.
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
            LOG.debug("{} sessions end: from here on there is a graph", ended);
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

    /** The instants at which the past of a bucket is exact. */
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

    /** Whether nobody who reads this key or copies from it shall depend on it. */
    public boolean isIgnored(BucketEntry bucket, ObjectKey key) {
        return settings.ignored().stream()
                .anyMatch(pattern -> pattern.matches(bucket.info().name(), key));
    }

    /** To be run before an actor is given a state. */
    public Runnable delivery(Caller caller, BucketEntry bucket, ObjectKey key, ObjectRow row) {
        return () -> {
            HistoryPolicy policy = bucket.info().history();
            if (policy != HistoryPolicy.NONE && !isIgnored(bucket, key)) {
                KeyVersion object = new KeyVersion(bucket.id(), key, row.causalVersion());
                VersioningAlgorithm algorithm = algorithm(policy);
                reads(actor(caller), algorithm, object, ancestor(policy, object, row.causal()));
            }
        };
    }

    private void reads(
            Actor actor, VersioningAlgorithm algorithm, KeyVersion object, Ancestor ancestor) {
        if (actor.depend(algorithm, ancestor) == Outcome.DISCARD) {
            return;
        }
        // The edge says at which version: the actor may have become another one since.
        for (Edge edge : actor.standing().unlogged()) {
            if (edge.ancestor().equals(ancestor.version())) {
                events.add(
                        actor.id(),
                        new Event.Read(
                                clock.instant(), actor.id(), edge.dependent().version(), object));
                actor.logged(List.of(edge));
            }
        }
    }

    /** A state as something that others depend on. */
    Ancestor ancestor(HistoryPolicy policy, KeyVersion object, CausalStamp stamp) {
        Optional<VersionNode> writer =
                stamp.actor() == 0
                        ? Optional.empty()
                        : Optional.of(new VersionNode(stamp.actor(), stamp.actorVersion()));
        return new Ancestor(node(object), sessions(policy, stamp), writer);
    }

    /**
     * Whether who wrote a state may go on; open when in doubt, where no algorithm asks.
     *
     * @param policy that decides
     */
    Sessions sessions(HistoryPolicy policy, CausalStamp stamp) {
        boolean isAsked = isGraphed || policy == HistoryPolicy.OPEN_CLOSE;
        if (!isAsked) {
            return Sessions.OPEN;
        }
        return stamp.actor() != 0 && isOpen(stamp.actor()) ? Sessions.OPEN : Sessions.CLOSED;
    }

    /** Whether an actor's session has not ended. */
    public boolean isOpen(long actor) {
        return actors.isOpen(actor);
    }

    /**
     * Keys have no numbers: a hash with a secret stands for them. Where two keys shared one, a
     * state more or less would be kept; what the history tells names the keys themselves.
     */
    public VersionNode node(KeyVersion object) {
        long hash = seed ^ object.bucketId() * 0x9E3779B97F4A7C15L;
        for (byte value : object.key().utf8()) {
            hash = (hash ^ value) * 0x100000001B3L;
            hash ^= hash >>> 29;
        }
        hash = (hash ^ hash >>> 32) * 0xD6E8FEB86659FD93L;
        // Actors' ids are small and positive.
        return new VersionNode(hash | Long.MIN_VALUE, object.version());
    }
}
