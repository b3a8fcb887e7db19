package io.volute.versioning.write;

import io.volute.storage.CommitTime;
import io.volute.storage.Transaction;
import io.volute.versioning.causality.Actor;
import io.volute.versioning.causality.Ancestor;
import io.volute.versioning.causality.AncestorTable;
import io.volute.versioning.causality.Dependent;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.causality.Outcome;
import io.volute.versioning.causality.Sessions;
import io.volute.versioning.causality.VersionNode;
import io.volute.versioning.causality.VersioningAlgorithm;
import io.volute.versioning.commit.ChangeListener;
import io.volute.versioning.commit.StateChange;
import io.volute.versioning.event.PendingReads;
import io.volute.versioning.rows.CausalStamp;
import io.volute.versioning.rows.Event;
import io.volute.versioning.rows.EventRow;
import io.volute.versioning.rows.KeyVersion;
import io.volute.versioning.rows.ObjectRow;
import io.volute.versioning.state.PastStates;
import io.volute.versioning.state.Resolution;
import io.volute.versioning.state.ScopedHold;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ChangeKind;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectVersion;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Records the causality of one write transaction: decides which replaced states are kept, and adds
 * the causal edges to the transaction. Not thread-safe. The caller holds the locks of all written
 * keys.
 */
public final class CausalityRecorder implements ChangeListener {
    private final Causality causality;
    private final Caller caller;
    private final Keeping keeping;
    private boolean makesRoom;
    private final List<Event> events = new ArrayList<>();
    private long bytes;
    private long kept;
    private long loggedEvents;

    /** The last commit sequence at which no reader can name a discarded state. */
    private long latest = Long.MAX_VALUE;

    private Optional<Writer> writer = Optional.empty();
    private Optional<ScopedHold> numbering = Optional.empty();

    CausalityRecorder(Causality causality, Caller caller, Keeping keeping) {
        this.causality = causality;
        this.caller = caller;
        this.keeping = keeping;
    }

    /** The rule for which replaced states are kept. */
    enum Keeping {
        /**
         * The states that the policy keeps, and those that a reader can name if the commit happens
         * now.
         */
        AS_OF_NOW,
        /**
         * The states that the policy keeps, and those that a reader could name at any later commit
         * time.
         */
        WHENEVER,
        /** Everything, so that the write can be undone. */
        ALL
    }

    /**
     * Marks this write as one that frees space. A full store accepts it, with the pending reads
     * that it depends on.
     */
    void markFreesSpace() {
        makesRoom = true;
    }

    /**
     * The writing actor at the time of the write.
     *
     * @param reads reads of this actor that must be durable no later than the write; may include
     *     later ones
     */
    private record Writer(VersionNode actor, Instant now, PendingReads.Taken reads) {}

    /**
     * Returns the writer, resolved on first use. Buckets without history never pay for the lookup.
     */
    private Writer writer(HistoryPolicy policy, VersioningAlgorithm algorithm) throws IOException {
        if (writer.isEmpty()) {
            Actor actor = causality.actor(caller);
            causality.readElsewhere(actor, caller, policy, algorithm);
            VersionNode version = actor.standing().version();
            PendingReads.Taken reads = causality.events().take(actor, caller, makesRoom);
            writer = Optional.of(new Writer(version, causality.clock().instant(), reads));
            reads.events().forEach(this::count);
        }
        return writer.get();
    }

    private void count(Event event) {
        bytes += EventRow.bytesMax(event);
    }

    private void add(Event event) {
        events.add(event);
        count(event);
    }

    @Override
    public long bytes() {
        return bytes;
    }

    @Override
    public ObjectVersion changed(StateChange change, ObjectVersion row) {
        change.effect().ifPresent(effect -> add(change, effect, writer.orElseThrow()));
        return row;
    }

    private void add(StateChange change, StateChange.Effect effect, Writer who) {
        add(
                new Event.Wrote(
                        who.now(),
                        who.actor().id(),
                        who.actor().version(),
                        change.kind(),
                        effect.object(),
                        change.version().number()));
        effect.source().ifPresent(from -> add(new Event.Copied(who.now(), effect.object(), from)));
    }

    /**
     * Returns the recorder for one key.
     *
     * @param source the state that the new one is copied from
     */
    CausalWriter writer(BucketInfo bucket, ObjectKey key, Optional<Source> source)
            throws IOException {
        HistoryPolicy policy =
                keeping == Keeping.ALL ? HistoryPolicy.EVERY_WRITE : bucket.history();
        if (policy == HistoryPolicy.NONE) {
            return CausalWriter.NOBODY;
        }
        // Before the actor is resolved: the first algorithm of its kind ends all sessions.
        VersioningAlgorithm algorithm = causality.algorithm(policy);
        return new KeyWriter(writer(policy, algorithm), policy, algorithm, bucket, key, source);
    }

    /** The state that another is copied from. */
    public record Source(KeyVersion object, CausalStamp stamp) {}

    /**
     * Adds the pending reads, then the events of this write: causes precede effects. Pending reads
     * are added even if the write has no event of its own.
     */
    @Override
    public void addCauses(Transaction transaction) {
        transaction.notAfter(latest);
        if (writer.isPresent()) {
            PendingReads.Taken reads = writer.get().reads();
            List<Event> all = new ArrayList<>(reads.events());
            all.addAll(events);
            if (!all.isEmpty()) {
                numbering = Optional.of(causality.events().numbers().hold());
                causality.events().put(transaction, List.of(reads), all);
                loggedEvents = all.size();
            }
        }
    }

    /** Releases the reserved event numbers. */
    @Override
    public void release() {
        numbering.ifPresent(ScopedHold::close);
    }

    /** Marks the events as logged after the commit is durable, and counts them. */
    @Override
    public void committed() {
        writer.ifPresent(
                who -> {
                    causality.events().logged(who.reads());
                    causality.meter().wrote(kept, loggedEvents);
                });
    }

    private final class KeyWriter implements CausalWriter {
        private static final long NO_VERSION = -1;

        private final VersionNode actor;
        private final Instant now;
        private final Instant before;
        private final HistoryPolicy policy;
        private final VersioningAlgorithm algorithm;
        private final BucketInfo bucket;
        private final Resolution resolution;
        private final ObjectKey key;
        private final Optional<Source> source;

        /**
         * The causal version whose edge already exists, if the actor has read nothing since: its
         * event has no information. Only cycle avoidance: under other policies an actor may read
         * more at one version. A version that begins with this write has an event in any case, or
         * its readers could not be traced.
         */
        private long duplicated = NO_VERSION;

        KeyWriter(
                Writer writer,
                HistoryPolicy policy,
                VersioningAlgorithm algorithm,
                BucketInfo bucket,
                ObjectKey key,
                Optional<Source> source) {
            this.policy = policy;
            this.algorithm = algorithm;
            this.actor = writer.actor();
            this.now = writer.now();
            this.before = now.minusMillis(1);
            this.bucket = bucket;
            this.resolution = causality.resolution(bucket);
            this.key = key;
            this.source = source;
        }

        @Override
        public boolean keepsAnything() {
            return true;
        }

        @Override
        public int statesMax() {
            int max = causality.settings().statesMax();
            return max == 0 ? Integer.MAX_VALUE : max;
        }

        @Override
        public long actor() {
            return actor.id();
        }

        @Override
        public long actorVersion() {
            return actor.version();
        }

        @Override
        public void begins(long version) {
            VersionNode first = causality.node(object(version));
            algorithm.begun(first, writing());
            origin().ifPresent(from -> algorithm.begun(first, from));
            causality.meter().began(policy);
            duplicated = NO_VERSION;
        }

        @Override
        public boolean freezes(ObjectRow replaced, long began) {
            if (policy != HistoryPolicy.EVERY_WRITE && isReadable(began)) {
                causality.meter().readable();
                ends(replaced);
                begins(replaced.causalVersion() + 1);
                return true;
            }
            Sessions sessions = causality.sessions(policy, replaced.causal());
            return offer(replaced.causalVersion(), replaced.causal(), sessions) == Outcome.FREEZE;
        }

        @Override
        public boolean freezesOld(ObjectRow removed, long began) {
            CausalStamp stamp = removed.causal();
            return isReadable(began)
                    || switch (policy) {
                        case NONE -> false;
                        case EVERY_WRITE, GRAPH_FINESSE -> true;
                        case OPEN_CLOSE -> causality.sessions(policy, stamp) == Sessions.CLOSED;
                        case CYCLE_AVOIDANCE ->
                                stamp.actor() != actor.id()
                                        || stamp.actorVersion() < actor.version();
                    };
        }

        /** Returns whether a reader can name an instant of a state that ends now. */
        private boolean isReadable(long began) {
            long first = resolution.firstBehind(began);
            return first != PastStates.NEVER
                    && (keeping == Keeping.WHENEVER || first <= CommitTime.lastAt(before));
        }

        @Override
        public void letsGo(long began) {
            latest = Math.min(latest, resolution.firstBehind(began));
        }

        @Override
        public void returned(long version, long before) {
            add(new Event.Copied(now, object(version), object(before)));
        }

        @Override
        public void follows(ObjectRow before) {
            ends(before);
            Outcome outcome = offer(before.causalVersion(), before.causal(), Sessions.CLOSED);
            assert outcome != null;
        }

        private void ends(ObjectRow state) {
            algorithm.frozen(causality.node(object(state.causalVersion())));
        }

        /**
         * Offers the edges object to actor and object to source. The row of an object names only
         * its last writer as an ancestor. So a writer that returns after another counts as new, and
         * the state of the other is kept. Rule CA.self-cycle does not apply for the same reason: an
         * actor that reads a state and overwrites it must not make it vanish.
         */
        private Outcome offer(long version, CausalStamp stamp, Sessions sessions) {
            VersionNode present = causality.node(object(version));
            Dependent dependent = new Dependent(present, sessions, new LastWriter(stamp));
            Outcome outcome = algorithm.offer(dependent, writing());
            Optional<Ancestor> from = origin();
            if (from.isPresent() && outcome == Outcome.FREEZE) {
                algorithm.begun(present.next(), from.get());
            } else if (from.isPresent()) {
                outcome = algorithm.offer(dependent, from.get());
            }
            duplicated =
                    outcome == Outcome.DISCARD && policy == HistoryPolicy.CYCLE_AVOIDANCE
                            ? version
                            : NO_VERSION;
            return outcome;
        }

        private Ancestor writing() {
            return new Ancestor(actor, Sessions.OPEN, Optional.empty());
        }

        /** Returns the source of the copy as an ancestor. */
        private Optional<Ancestor> origin() {
            return source.map(from -> causality.ancestor(policy, from.object(), from.stamp()))
                    .map(from -> new Ancestor(from.version(), from.sessions(), Optional.empty()));
        }

        private KeyVersion object(long version) {
            return new KeyVersion(bucket.id(), key, version);
        }

        @Override
        public Optional<StateChange.Effect> effect(ChangeKind change, long version) {
            return version == duplicated && change != ChangeKind.REMOVE
                    ? Optional.empty()
                    : Optional.of(
                            new StateChange.Effect(object(version), source.map(Source::object)));
        }

        @Override
        public void restored(long origin) {
            add(new Event.Restored(now, bucket.id(), key, origin));
        }

        @Override
        public void kept(long began) {
            kept++;
            add(new Event.Kept(now, bucket.id(), key, began));
        }
    }

    /** The ancestors of an object: the last writer, which its row names. */
    private record LastWriter(CausalStamp stamp) implements AncestorTable {
        @Override
        public OptionalLong get(long id) {
            return stamp.actor() == id
                    ? OptionalLong.of(stamp.actorVersion())
                    : OptionalLong.empty();
        }

        @Override
        public int size() {
            return 1;
        }

        @Override
        public void put(long id, long version) {
            // Nothing to do: the stamp of the new state records it.
        }
    }
}
