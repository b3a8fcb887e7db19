package io.volute.versioning.restore;

import io.volute.versioning.History.ActorFilter;
import io.volute.versioning.History.ActorInfo;
import io.volute.versioning.Restore.Elsewhere;
import io.volute.versioning.Restore.Goal;
import io.volute.versioning.event.EventScan;
import io.volute.versioning.event.MergedEvents;
import io.volute.versioning.history.NameCache;
import io.volute.versioning.history.Taint;
import io.volute.versioning.rows.Event;
import io.volute.versioning.rows.KeyVersion;
import io.volute.versioning.value.ObjectKey;
import java.io.IOException;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * The keys of a bucket that the undone writes touched, with the first such write since the last
 * foreign one, and the last foreign write behind it. Found in one walk over the events.
 */
final class TouchedKeys {
    private final MergedEvents events;
    private final NameCache names;
    private final long bucketId;
    private final String prefix;
    private final NavigableMap<ObjectKey, Touch> touches = new TreeMap<>();

    private final UndoneAuthors authors = new UndoneAuthors();

    /** Number of undone writes in other buckets, by bucket id. */
    private final Map<Long, Long> elsewhere = new HashMap<>();

    TouchedKeys(MergedEvents events, NameCache names, long bucketId, String prefix) {
        this.events = events;
        this.names = names;
        this.bucketId = bucketId;
        this.prefix = prefix;
    }

    /**
     * The effect of undone writes on a key.
     *
     * @param before last sequence before the first undone write
     * @param why description of that write
     * @param conflict description of the last later write of somebody else
     */
    record Touch(long before, String why, Optional<String> conflict) {}

    NavigableMap<ObjectKey, Touch> find(Goal goal, Optional<Taint.Forward> taint)
            throws IOException {
        switch (goal) {
            case Goal.ToInstant instant ->
                    throw new IllegalArgumentException("an instant concerns all keys");
            case Goal.UndoActor undo -> undo(undo.since(), actor -> actor.id() == undo.actor());
            case Goal.UndoName undo ->
                    undo(
                            undo.since(),
                            new ActorFilter(Optional.empty(), undo.user(), Optional.of(undo.name()))
                                    ::matches);
            case Goal.UndoAccessKey undo ->
                    undo(undo.since(), actor -> actor.isWith(undo.accessKey()));
            case Goal.UndoUser undo ->
                    undo(undo.since(), actor -> actor.user().equals(undo.user()));
            case Goal.BeforeTaint before -> taint(taint.orElseThrow());
        }
        return touches;
    }

    /** Returns the authors of the undone writes. */
    UndoneAuthors authors() {
        return authors;
    }

    /** Returns the undone writes in other buckets. */
    List<Elsewhere> elsewhere() {
        return elsewhere.entrySet().stream()
                .map(other -> new Elsewhere(names.bucket(other.getKey()), other.getValue()))
                .sorted(Comparator.comparing(Elsewhere::bucket))
                .toList();
    }

    private void undo(Instant since, Predicate<ActorInfo> isUndone) throws IOException {
        events.since(
                since,
                row -> {
                    EventScan.Rows rows = row.rows();
                    for (Event event : rows.events()) {
                        if (event instanceof Event.Wrote wrote && !wrote.at().isBefore(since)) {
                            see(rows, wrote, isUndone.test(names.actor(wrote.actor())));
                        }
                    }
                    return true;
                });
    }

    private void taint(Taint.Forward taint) throws IOException {
        events.forward(
                row -> {
                    EventScan.Rows rows = row.rows();
                    for (Event event : rows.events()) {
                        boolean isReached = taint.see(event).isPresent();
                        if (event instanceof Event.Wrote wrote) {
                            see(
                                    rows,
                                    wrote,
                                    isReached
                                            || taint.isStart(wrote.object())
                                            || taint.isReached(
                                                    wrote.actor(), wrote.actorVersion()));
                        } else if (event instanceof Event.Copied copied && isReached) {
                            touched(rows, copied.object(), "copied from a derived version");
                        }
                    }
                    return true;
                });
    }

    private void see(EventScan.Rows rows, Event.Wrote wrote, boolean isUndone) {
        ActorInfo actor = names.actor(wrote.actor());
        if (isUndone) {
            authors.count(actor);
        }
        if (!isConcerned(wrote.object())) {
            if (isUndone && wrote.object().bucketId() != bucketId) {
                elsewhere.merge(wrote.object().bucketId(), 1L, Long::sum);
            }
            return;
        }
        String what = done(wrote.change()) + " by " + shown(actor) + " at " + wrote.at();
        if (isUndone) {
            touched(rows, wrote.object(), what);
        } else {
            touches.computeIfPresent(
                    wrote.object().key(),
                    (key, touch) -> new Touch(touch.before(), touch.why(), Optional.of(what)));
        }
    }

    private boolean isConcerned(KeyVersion object) {
        return object.bucketId() == bucketId && object.key().value().startsWith(prefix);
    }

    private void touched(EventScan.Rows rows, KeyVersion object, String why) {
        if (isConcerned(object)) {
            touches.merge(
                    object.key(),
                    new Touch(rows.sequence() - 1, why, Optional.empty()),
                    (earlier, again) -> earlier.conflict().isPresent() ? again : earlier);
            UnrecordedDeletions.requireRoom(touches.size());
        }
    }

    private static String done(Event.Change change) {
        return switch (change) {
            case PUT -> "written";
            case MARK, REMOVE -> "deleted";
            case TAG -> "tagged";
            case LOCK -> "locked";
            case ACL -> "shared";
        };
    }

    /** Returns a description of an actor. */
    static String shown(ActorInfo actor) {
        return actor.name().isEmpty() ? "actor " + actor.id() : actor.called().shown();
    }
}
