package io.volute.versioning.restore;

import io.volute.storage.CommitTime;
import io.volute.versioning.History.ActorInfo;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.causality.VersionNode;
import io.volute.versioning.event.EventScan;
import io.volute.versioning.event.Federation;
import io.volute.versioning.history.NameCache;
import io.volute.versioning.history.NodeSet;
import io.volute.versioning.restore.KeyActs.Kind;
import io.volute.versioning.rows.CausalStamp;
import io.volute.versioning.rows.Event;
import io.volute.versioning.rows.KeyVersion;
import io.volute.versioning.rows.ObjectRow;
import io.volute.versioning.state.PastStates.State;
import io.volute.versioning.value.ActorName;
import io.volute.versioning.value.ChangeKind;
import io.volute.versioning.value.ObjectKey;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The states that one undo condemns: those that its sources made, and everything derived from them.
 * A copy of a condemned state that a restore made is condemned as well. Receives all events in
 * their order, and records the acts on the keys of one bucket. Not thread-safe.
 *
 * <p>Replication, moves of buckets and lifecycle make states by requests of their own, whose events
 * are here like others. Backups and encryption do not change who made a state.
 */
final class Condemned {
    private final What what;
    private final Scope scope;
    private final Budget budget;

    /** Causal versions whose readers pass a condemned state on. */
    private final NodeSet states = new NodeSet();

    /** Versions by their numbers, whose content is condemned in all of their states. */
    private final NodeSet contents = new NodeSet();

    /** Versions that share a condemned causal version and are not condemned. */
    private final NodeSet spared = new NodeSet();

    /** The version from which on the writes of an actor are derived, by its id. */
    private final Map<Long, Long> reached = new HashMap<>();

    private final UndoneKeys keys;

    /**
     * The definition of the condemned states.
     *
     * @param isAuthor whether all writes of an actor between the two instants are condemned
     * @param starts condemned states, at whatever time
     * @param prefix states of other keys are not avoided, but what is derived from them is
     * @param until later writes are not condemned, except restores of condemned states
     * @param label description for the operator
     */
    record What(
            Predicate<ActorInfo> isAuthor,
            List<Federation.Found> starts,
            String prefix,
            Instant since,
            Instant until,
            boolean withDerived,
            String label) {
        private boolean isWithin(Instant at) {
            return !at.isBefore(since) && !at.isAfter(until);
        }
    }

    /**
     * The keys whose acts are recorded, and the names of the store.
     *
     * @param naming maps a state to its node in memory
     * @param horizon events up to this sequence may be gone
     */
    record Scope(
            long bucketId,
            String prefix,
            NameCache names,
            Function<KeyVersion, VersionNode> naming,
            long horizon,
            UndoRules rules) {
        boolean contains(KeyVersion object) {
            return object.bucketId() == bucketId && object.key().value().startsWith(prefix);
        }
    }

    /** The memory of all that a plan condemns. Not thread-safe. */
    static final class Budget {
        /** Maximum number of states, actors, keys and acts: about 100 bytes each. */
        private static final int ENTRIES_MAX = 1_000_000;

        private int entries;

        void take() {
            if (++entries > ENTRIES_MAX) {
                throw new StoreException(
                        Reason.INVALID_ARGUMENT,
                        "more than "
                                + ENTRIES_MAX
                                + " states, actors and keys are affected: restore one prefix at a"
                                + " time, start from a later time, leave out derived states, or"
                                + " undo earlier undos of the bucket");
            }
        }
    }

    Condemned(What what, Scope scope, Budget budget) {
        this.what = what;
        this.scope = scope;
        this.budget = budget;
        this.keys = new UndoneKeys(scope, budget);
        for (Federation.Found start : what.starts()) {
            add(states, start.object());
            add(contents, content(start.object(), start.number()));
        }
    }

    What what() {
        return what;
    }

    /** Returns whether the states of a key are avoided. */
    boolean concerns(ObjectKey key) {
        return key.value().startsWith(what.prefix());
    }

    /** Returns the keys that the condemned acts touched. */
    UndoneKeys keys() {
        return keys;
    }

    /**
     * Adds a present state whose event may be gone. Call it before {@link #see(EventScan.Rows)}.
     */
    void seePresent(ObjectKey key, ObjectRow row, long began) {
        KeyVersion object = new KeyVersion(scope.bucketId(), key, row.causalVersion());
        if (began <= scope.horizon() && isMadeByAuthor(row.causal(), began)) {
            ActorInfo actor = scope.names().actor(row.causal().actor());
            add(states, object);
            add(contents, content(object, row.number()));
            Event.Wrote wrote =
                    new Event.Wrote(
                            CommitTime.of(began),
                            actor.id(),
                            row.causal().actorVersion(),
                            row.deleteMarker() ? ChangeKind.MARK : ChangeKind.PUT,
                            object,
                            row.number());
            keys.condemn(new UndoneKeys.Act(began - 1, wrote, actor, Kind.WRITE), false);
        }
    }

    /** Adds the events of a commit. */
    void see(EventScan.Rows rows) {
        CommitDetails details = CommitDetails.of(rows.events(), this::isCondemnedCopy);
        for (Event event : rows.events()) {
            switch (event) {
                case Event.Read read -> see(read);
                case Event.Wrote wrote -> see(rows.sequence(), wrote, details);
                case Event.Copied copied -> {
                    if (details.condemned().contains(copied.object())) {
                        add(states, copied.object());
                    }
                }
                case Event.Kept kept -> {}
                case Event.Restored restored -> {}
            }
        }
    }

    /** Returns whether a write made a state of a version that is condemned by itself. */
    private static boolean isStart(Federation.Found start, Event.Wrote wrote) {
        KeyVersion object = wrote.object();
        return start.object().equals(object)
                || start.number() == wrote.number()
                        && start.object().key().equals(object.key())
                        && start.object().bucketId() == object.bucketId();
    }

    private boolean isCondemnedCopy(Event.Copied copied) {
        return contains(states, copied.source()) && scope.rules().spreads(copied);
    }

    private void see(Event.Read read) {
        boolean isPassedOn =
                what.withDerived()
                        && !read.at().isAfter(what.until())
                        && contains(states, read.object())
                        && scope.rules().spreads(read);
        if (isPassedOn && !isReached(read.actor(), read.actorVersion())) {
            if (reached.put(read.actor(), read.actorVersion()) == null) {
                budget.take();
            }
        }
    }

    private boolean isReached(long actor, long version) {
        return reached.getOrDefault(actor, Long.MAX_VALUE) <= version;
    }

    private void see(long sequence, Event.Wrote wrote, CommitDetails details) {
        KeyVersion object = wrote.object();
        ActorInfo actor = scope.names().actor(wrote.actor());
        boolean isAuthor = what.isWithin(wrote.at()) && what.isAuthor().test(actor);
        boolean isDerived =
                !wrote.at().isAfter(what.until()) && isReached(wrote.actor(), wrote.actorVersion());
        boolean isStart = what.starts().stream().anyMatch(start -> isStart(start, wrote));
        boolean isByItself = isAuthor || isDerived || isStart;
        boolean isRestore = isOfRestore(actor);
        switch (wrote.change()) {
            case PUT, MARK -> {
                boolean isCopy =
                        details.condemned().contains(object)
                                && (isRestore
                                        || what.withDerived() && !wrote.at().isAfter(what.until()));
                boolean isOfOrigin = isRestore && isOriginCondemned(wrote, details);
                boolean isCondemned = isByItself || isCopy || isOfOrigin;
                if (isCondemned) {
                    add(states, object);
                    add(contents, content(object, wrote.number()));
                } else {
                    details.condemned().remove(object);
                    if (contains(states, object)) {
                        add(spared, content(object, wrote.number()));
                    }
                }
                add(new UndoneKeys.Act(sequence, wrote, actor, Kind.WRITE), isCondemned, isAuthor);
            }
            case TAG, LOCK, ACL -> {
                if (details.keeps(object)) {
                    // The content is what it was, also when the change is condemned.
                    boolean isCondemned = isByItself || isOfCondemned(wrote);
                    if (isCondemned) {
                        add(states, object);
                    }
                    UndoneKeys.Act act = new UndoneKeys.Act(sequence, wrote, actor, Kind.WRITE);
                    add(act, isCondemned, isAuthor);
                }
            }
            case REMOVE -> {
                Optional<KeyVersion> returned = details.returned(object);
                boolean isCondemned =
                        scope.rules().isCondemnable(wrote)
                                && (isAuthor
                                        || isDerived
                                        || isRestore && isOriginCondemned(wrote, details)
                                        || returned.filter(details.condemned()::contains)
                                                .isPresent());
                Kind kind = returned.isPresent() ? Kind.RETURN : Kind.REMOVE;
                long version = returned.map(KeyVersion::version).orElse(object.version());
                add(
                        new UndoneKeys.Act(sequence, wrote, actor, kind, version),
                        isCondemned,
                        isAuthor);
            }
        }
    }

    /** Returns whether the change of a version's metadata leaves something condemned. */
    private boolean isOfCondemned(Event.Wrote wrote) {
        KeyVersion object = wrote.object();
        KeyVersion content = content(object, wrote.number());
        KeyVersion before = new KeyVersion(object.bucketId(), object.key(), object.version() - 1);
        return contains(contents, content)
                || contains(states, before) && !contains(spared, content);
    }

    /** Returns whether a restore brought back what a condemned act had made. */
    private boolean isOriginCondemned(Event.Wrote wrote, CommitDetails details) {
        Optional<Event.Restored> restored = details.restored(wrote.object());
        if (restored.isEmpty() || !scope.contains(wrote.object())) {
            return false;
        }
        boolean isContent = details.copies().contains(wrote.object());
        return scope.rules().hasOrigin(restored.get())
                && keys.lastUpTo(wrote.object().key(), restored.get().origin())
                        .filter(KeyActs.Act::isCondemned)
                        .filter(act -> !isContent || act.kind() == Kind.RETURN)
                        .isPresent();
    }

    private void add(UndoneKeys.Act act, boolean isCondemned, boolean isAuthor) {
        if (isCondemned) {
            keys.condemn(act, !isAuthor);
        } else {
            keys.follow(act, isOfRestore(act.actor()));
        }
    }

    /** Returns whether a state of a key of the bucket is condemned. */
    boolean isCondemned(ObjectKey key, State state) {
        ObjectRow row = state.row();
        KeyVersion object = new KeyVersion(scope.bucketId(), key, row.causalVersion());
        KeyVersion content = content(object, row.number());
        return contains(contents, content)
                || contains(states, object) && !contains(spared, content)
                || actBefore(key, state.began()).filter(KeyActs.Act::isCondemned).isPresent()
                || state.began() <= scope.horizon() && isMadeByAuthor(row.causal(), state.began());
    }

    /** Returns the act that made the state that began with a sequence. */
    private Optional<KeyActs.Act> actBefore(ObjectKey key, long began) {
        // The removal of a noncurrent version made no state.
        return keys.lastUpTo(key, began - 1).filter(act -> act.kind() != Kind.REMOVE);
    }

    private boolean isMadeByAuthor(CausalStamp stamp, long began) {
        return stamp.actor() != 0
                && what.isWithin(CommitTime.of(began))
                && what.isAuthor().test(scope.names().actor(stamp.actor()));
    }

    private static boolean isOfRestore(ActorInfo actor) {
        return actor.called().kind() == ActorName.Kind.SERVER
                && actor.called().name().startsWith(KeyRestoring.ACTOR_PREFIX);
    }

    private static KeyVersion content(KeyVersion object, long number) {
        return new KeyVersion(object.bucketId(), object.key(), number);
    }

    private boolean contains(NodeSet set, KeyVersion object) {
        return set.contains(scope.naming().apply(object));
    }

    private void add(NodeSet set, KeyVersion object) {
        if (set.add(scope.naming().apply(object))) {
            budget.take();
        }
    }
}
