package io.volute.versioning.restore;

import io.volute.versioning.History.ActorInfo;
import io.volute.versioning.Restore.Elsewhere;
import io.volute.versioning.rows.Event;
import io.volute.versioning.value.ObjectKey;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/** The keys of a bucket that condemned writes touched, and their authors. Not thread-safe. */
final class UndoneKeys {
    private final Condemned.Scope scope;
    private final Condemned.Budget budget;
    private final NavigableMap<ObjectKey, KeyActs> touched = new TreeMap<>();
    private final UndoneAuthors authors = new UndoneAuthors();

    /** Number of condemned writes in other buckets, by bucket id. */
    private final Map<Long, Long> elsewhere = new HashMap<>();

    UndoneKeys(Condemned.Scope scope, Condemned.Budget budget) {
        this.scope = scope;
        this.budget = budget;
    }

    /**
     * A write or delete.
     *
     * @param sequence as in {@link KeyActs.Act}
     * @param version causal version that became the current one; of a REMOVE, the removed one
     */
    record Act(long sequence, Event.Wrote wrote, ActorInfo actor, KeyActs.Kind kind, long version) {
        /** Creates an act on the causal version of its event. */
        Act(long sequence, Event.Wrote wrote, ActorInfo actor, KeyActs.Kind kind) {
            this(sequence, wrote, actor, kind, wrote.object().version());
        }
    }

    /**
     * Adds a condemned act.
     *
     * @param isDerived whether it is condemned only because it is derived
     */
    void condemn(Act act, boolean isDerived) {
        authors.count(act.actor(), act.wrote().at(), isDerived);
        long bucketId = act.wrote().object().bucketId();
        if (scope.contains(act.wrote().object())) {
            KeyActs acts =
                    touched.computeIfAbsent(act.wrote().object().key(), key -> new KeyActs());
            if (isOnCurrent(acts, act) && acts.condemn(act.sequence(), act.kind(), text(act))) {
                budget.take();
            }
        } else if (bucketId != scope.bucketId()) {
            elsewhere.merge(bucketId, 1L, Long::sum);
        }
    }

    /**
     * Adds an act that is not condemned.
     *
     * @param isRestore whether a restore put the key back
     */
    void follow(Act act, boolean isRestore) {
        KeyActs acts =
                scope.contains(act.wrote().object())
                        ? touched.get(act.wrote().object().key())
                        : null;
        if (acts != null
                && isOnCurrent(acts, act)
                && acts.follow(act.sequence(), act.kind(), text(act), isRestore)) {
            budget.take();
        }
    }

    /**
     * Returns whether an act changed the current version. The removal of a version behind it does
     * not: it neither makes a state nor follows one.
     */
    private static boolean isOnCurrent(KeyActs acts, Act act) {
        if (act.kind() == KeyActs.Kind.REMOVE) {
            return !acts.isNoncurrent(act.version());
        }
        acts.makes(act.version());
        return true;
    }

    /** Returns the acts on the touched keys. */
    NavigableMap<ObjectKey, KeyActs> touched() {
        return touched;
    }

    /** Returns the last act on a key up to a sequence, if the key was touched by then. */
    Optional<KeyActs.Act> lastUpTo(ObjectKey key, long sequence) {
        return Optional.ofNullable(touched.get(key)).flatMap(acts -> acts.lastUpTo(sequence));
    }

    UndoneAuthors authors() {
        return authors;
    }

    /** Returns the condemned writes in other buckets. */
    List<Elsewhere> elsewhere() {
        return elsewhere.entrySet().stream()
                .map(other -> new Elsewhere(scope.names().bucket(other.getKey()), other.getValue()))
                .sorted(Comparator.comparing(Elsewhere::bucket))
                .toList();
    }

    private static String text(Act act) {
        String done =
                switch (act.wrote().change()) {
                    case PUT -> "written";
                    case MARK, REMOVE -> "deleted";
                    case TAG -> "tagged";
                    case LOCK -> "locked";
                    case ACL -> "shared";
                };
        return done + " by " + shown(act.actor()) + " at " + act.wrote().at();
    }

    /** Returns a description of an actor. */
    static String shown(ActorInfo actor) {
        return actor.name().isEmpty() ? "actor " + actor.id() : actor.called().shown();
    }
}
