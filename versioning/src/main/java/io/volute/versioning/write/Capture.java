package io.volute.versioning.write;

import io.volute.storage.CommitTime;
import io.volute.storage.Transaction;
import io.volute.versioning.BucketInfo;
import io.volute.versioning.Caller;
import io.volute.versioning.ObjectKey;
import io.volute.versioning.causality.Actor;
import io.volute.versioning.causality.Ancestor;
import io.volute.versioning.causality.AncestorTable;
import io.volute.versioning.causality.Dependent;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.causality.Outcome;
import io.volute.versioning.causality.Sessions;
import io.volute.versioning.causality.VersionNode;
import io.volute.versioning.causality.VersioningAlgorithm;
import io.volute.versioning.event.PendingReads;
import io.volute.versioning.rows.CausalStamp;
import io.volute.versioning.rows.Event;
import io.volute.versioning.rows.EventRow;
import io.volute.versioning.rows.KeyVersion;
import io.volute.versioning.rows.ObjectRow;
import io.volute.versioning.state.Hold;
import io.volute.versioning.state.PastStates;
import io.volute.versioning.state.Resolution;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * One write of an actor, of one key or many: decides what is kept of what it replaces, and adds its
 * edges to the commit. Used by one thread, which holds the locks of the keys.
 */
public final class Capture {
    private final Causality causality;
    private final Caller caller;
    private final Keeping keeping;
    private boolean makesRoom;
    private final List<Event> events = new ArrayList<>();
    private long bytes;
    private long kept;
    private long told;

    /** The last sequence at which nothing of what is let go can be named by a reader. */
    private long latest = Long.MAX_VALUE;

    private Optional<Acting> acting = Optional.empty();
    private Optional<Hold> numbering = Optional.empty();

    Capture(Causality causality, Caller caller, Keeping keeping) {
        this.causality = causality;
        this.caller = caller;
        this.keeping = keeping;
    }

    /** What a write keeps of what it replaces. */
    enum Keeping {
        /** As the policy says, and what a reader can name if it is committed now. */
        AS_OF_NOW,
        /** As the policy says, and what a reader may be able to name whenever it is committed. */
        WHENEVER,
        /** Everything, so that the write can be undone. */
        ALL
    }

    /** It deletes: a full store takes it, with what was read before. */
    void makingRoom() {
        makesRoom = true;
    }

    /**
     * Who writes, and when.
     *
     * @param taken what the actor read before, or more than that
     */
    private record Acting(VersionNode actor, Instant now, PendingReads.Taken taken) {}

    /** Only where something can be kept: elsewhere a write shall not pay for it. */
    private Acting acting() throws IOException {
        if (acting.isEmpty()) {
            Actor actor = causality.actor(caller);
            VersionNode version = actor.standing().version();
            PendingReads.Taken taken = causality.events().take(actor, caller, makesRoom);
            acting = Optional.of(new Acting(version, causality.clock().instant(), taken));
            taken.events().forEach(this::count);
        }
        return acting.get();
    }

    private void count(Event event) {
        bytes += EventRow.bytesMax(event);
    }

    private void add(Event event) {
        events.add(event);
        count(event);
    }

    /** About the size of what {@link #addTo} adds. */
    long bytes() {
        return bytes;
    }

    /**
     * @param source that the state is copied from
     */
    CausalWriter writer(BucketInfo bucket, ObjectKey key, Optional<Source> source)
            throws IOException {
        HistoryPolicy policy =
                keeping == Keeping.ALL ? HistoryPolicy.EVERY_WRITE : bucket.history();
        if (policy == HistoryPolicy.NONE) {
            return CausalWriter.NOBODY;
        }
        // Before the actor is asked for: the first of its kind ends all sessions.
        VersioningAlgorithm algorithm = causality.algorithm(policy);
        return new KeyWriter(acting(), policy, algorithm, bucket, key, source);
    }

    /** A state that another is copied from. */
    public record Source(KeyVersion object, CausalStamp stamp) {}

    /** Adds the events, causes first: also when the write itself says nothing new. */
    void addTo(Transaction transaction) {
        transaction.notAfter(latest);
        if (acting.isPresent()) {
            PendingReads.Taken taken = acting.get().taken();
            List<Event> all = new ArrayList<>(taken.events());
            all.addAll(events);
            if (!all.isEmpty()) {
                numbering = Optional.of(causality.events().numbers().hold());
                causality.events().put(transaction, List.of(taken), all);
                told = all.size();
            }
        }
    }

    /** The commit has ended in whatever way. */
    void ended() {
        numbering.ifPresent(Hold::close);
    }

    /** The commit is durable. */
    void committed() {
        acting.ifPresent(
                who -> {
                    causality.events().logged(who.taken());
                    causality.meter().wrote(kept, told);
                });
    }

    private final class KeyWriter implements CausalWriter {
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
         * The edge was there already, and nothing was read since: who reads the history learns
         * nothing from it. Other policies than this one let an actor read more at one version.
         */
        private boolean isDuplicate;

        KeyWriter(
                Acting acting,
                HistoryPolicy policy,
                VersioningAlgorithm algorithm,
                BucketInfo bucket,
                ObjectKey key,
                Optional<Source> source) {
            this.policy = policy;
            this.algorithm = algorithm;
            this.actor = acting.actor();
            this.now = acting.now();
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
            isDuplicate = false;
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

        /** Whether a reader can name an instant of a state that ends now. */
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
         * object → actor, and object → source. Of the object's ancestors its row knows the last
         * that wrote it: whoever comes back behind another counts as new, so that what the other
         * wrote is kept. For the same reason rule CA.self-cycle does not apply: who reads a state
         * and overwrites it shall not make it vanish.
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
            isDuplicate = outcome == Outcome.DISCARD && policy == HistoryPolicy.CYCLE_AVOIDANCE;
            return outcome;
        }

        private Ancestor writing() {
            return new Ancestor(actor, Sessions.OPEN, Optional.empty());
        }

        /** What it is copied from. */
        private Optional<Ancestor> origin() {
            return source.map(from -> causality.ancestor(policy, from.object(), from.stamp()))
                    .map(from -> new Ancestor(from.version(), from.sessions(), Optional.empty()));
        }

        private KeyVersion object(long version) {
            return new KeyVersion(bucket.id(), key, version);
        }

        @Override
        public void wrote(Event.Change change, long version, long number) {
            if (isDuplicate && change != Event.Change.REMOVE) {
                return;
            }
            add(new Event.Wrote(now, actor.id(), actor.version(), change, object(version), number));
            source.ifPresent(from -> add(new Event.Copied(now, object(version), from.object())));
        }

        @Override
        public void kept(long began) {
            kept++;
            add(new Event.Kept(now, bucket.id(), key, began));
        }
    }

    /** The ancestor that a row knows. */
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
            // The stamp of the new state says so.
        }
    }
}
