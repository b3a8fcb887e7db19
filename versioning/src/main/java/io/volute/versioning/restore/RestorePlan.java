package io.volute.versioning.restore;

import io.volute.storage.CommitTime;
import io.volute.storage.Cube;
import io.volute.versioning.History.KeyState;
import io.volute.versioning.Restore.Authors;
import io.volute.versioning.Restore.Elsewhere;
import io.volute.versioning.Restore.Goal;
import io.volute.versioning.Restore.Line;
import io.volute.versioning.Restore.Request;
import io.volute.versioning.body.Body;
import io.volute.versioning.body.RecordDetails;
import io.volute.versioning.event.EventScan;
import io.volute.versioning.event.MergedEvents;
import io.volute.versioning.history.ActorSearch;
import io.volute.versioning.history.KeyStates;
import io.volute.versioning.history.NameCache;
import io.volute.versioning.history.Taint;
import io.volute.versioning.provenance.Origin;
import io.volute.versioning.restore.TouchedKeys.Touch;
import io.volute.versioning.rows.HistoryRow;
import io.volute.versioning.rows.KeyVersion;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.state.BucketEntry;
import io.volute.versioning.state.KeyWalk;
import io.volute.versioning.state.PastCursors;
import io.volute.versioning.state.PastStates;
import io.volute.versioning.state.PastStates.State;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectLock;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.write.CausalityRecorder;
import io.volute.versioning.write.VersionChain;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The change of a restore to each key, in key order. The set of keys is fixed when the plan is
 * made; each key is examined again when its turn comes. Not thread-safe.
 */
final class RestorePlan {
    private final Cube cube;
    private final NameCache names;
    private final BucketEntry bucket;
    private final Request request;

    /** The affected keys; empty when the goal concerns all keys. */
    private final Optional<NavigableMap<ObjectKey, Touch>> touches;

    private final List<Elsewhere> elsewhere;
    private final Authors authors;
    private final RestoreConflicts conflicts;

    private RestorePlan(
            Cube cube,
            NameCache names,
            BucketEntry bucket,
            Request request,
            Optional<NavigableMap<ObjectKey, Touch>> touches,
            List<Elsewhere> elsewhere,
            Authors authors,
            RestoreConflicts conflicts) {
        this.cube = cube;
        this.names = names;
        this.bucket = bucket;
        this.request = request;
        this.touches = touches;
        this.elsewhere = elsewhere;
        this.authors = authors;
        this.conflicts = conflicts;
    }

    /**
     * The bounds of the kept states.
     *
     * @param horizon states of the bucket that had ended by this sequence may be gone, or were
     *     never kept
     * @param statesMax maximum number of kept states per key; 0 for no limit
     * @param isExact whether all states at the instant of the goal were kept at first
     */
    record Kept(long horizon, int statesMax, boolean isExact) {}

    /**
     * Makes a plan.
     *
     * @param events of all open cubes, flushed
     * @param began last sequence at the request of the restore
     * @param taint derived states of a goal of that kind, before any event is added
     */
    static RestorePlan of(
            Cube cube,
            MergedEvents events,
            NameCache names,
            ActorSearch actors,
            BucketEntry bucket,
            Request request,
            Kept kept,
            long began,
            Optional<Taint.Forward> taint)
            throws IOException {
        if (request.goal() instanceof Goal.ToInstant to) {
            NavigableMap<ObjectKey, String> unrecorded =
                    kept.isExact()
                            ? Collections.emptyNavigableMap()
                            : new UnrecordedDeletions(names, bucket.id(), request.prefix())
                                    .find(
                                            new EventScan(cube),
                                            to.instant(),
                                            CommitTime.lastAt(to.instant()));
            RestoreConflicts conflicts =
                    new RestoreConflicts(cube, names, kept, bucket.range().of(unrecorded), began);
            return new RestorePlan(
                    cube,
                    names,
                    bucket,
                    request,
                    Optional.empty(),
                    List.of(),
                    Authors.NONE,
                    conflicts);
        }
        // Writes after this sequence may be missing from the touched keys.
        long planned = cube.lastSequence();
        TouchedKeys walk = new TouchedKeys(events, names, bucket.id(), request.prefix());
        // Events are those of all cubes; the other parts of the bucket have plans of their own.
        NavigableMap<ObjectKey, Touch> touches =
                bucket.range().of(walk.find(request.goal(), taint));
        RestoreConflicts conflicts =
                new RestoreConflicts(cube, names, kept, Collections.emptyNavigableMap(), planned);
        long sessions =
                request.goal() instanceof Goal.UndoAccessKey undo
                        ? actors.sessions(undo.accessKey())
                        : 0;
        return new RestorePlan(
                cube,
                names,
                bucket,
                request,
                Optional.of(touches),
                walk.elsewhere(),
                walk.authors().result(sessions),
                conflicts);
    }

    /** Returns whether the plan is for this bucket, not for an earlier one with its name. */
    boolean isOf(BucketEntry other) {
        return bucket == other;
    }

    List<Elsewhere> elsewhere() {
        return elsewhere;
    }

    Authors authors() {
        return authors;
    }

    /** Returns the number of keys that may have to be restored; 0 when it is not known. */
    long total() {
        return touches.map(NavigableMap::size).orElse(0);
    }

    /** Returns the next keys behind one that may have to be restored, in order. */
    List<ObjectKey> keys(String after, int max) {
        if (touches.isPresent()) {
            return behind(touches.get(), after).limit(max).toList();
        }
        KeyWalk walk = new KeyWalk(bucket, request.prefix(), "");
        try (PastCursors cursors = PastCursors.open(cube, bucket, walk.behind(after), walk.end())) {
            Set<ObjectKey> found =
                    new TreeSet<>(
                            new PastStates(cursors, Long.MAX_VALUE)
                                    .nextKeys(max).stream().map(RowKeys::objectKey).toList());
            behind(conflicts.unrecorded(), after).limit(max).forEach(found::add);
            return found.stream().limit(max).toList();
        }
    }

    private static Stream<ObjectKey> behind(NavigableMap<ObjectKey, ?> all, String after) {
        return (after.isEmpty() ? all : all.tailMap(new ObjectKey(after), false)).keySet().stream();
    }

    /**
     * A key whose content differs from the goal, or is not known.
     *
     * @param isNeeded whether the key is to be changed
     * @param content new content; empty for a deletion
     * @param source the state that the content comes from
     * @param number number of the version with this state
     * @param owner owner of the version with this state
     */
    record Change(
            Line line,
            boolean isNeeded,
            Optional<VersionChain.Content> content,
            Optional<CausalityRecorder.Source> source,
            long number,
            String owner) {}

    /**
     * Returns the change to a key, if there is one. The result is exact while the key is locked.
     */
    Optional<Change> change(ObjectKey key) throws IOException {
        Touch touch = touch(key);
        byte[] base = RowKeys.current(bucket.id(), key);
        Optional<State> present;
        Optional<State> then;
        try (PastCursors cursors = PastCursors.open(cube, bucket, base, PastStates.behind(base))) {
            PastStates states = new PastStates(cursors, touch.before());
            present = states.present(base);
            then = states.take(base);
        }
        Optional<String> unknown =
                then.isPresent()
                        ? Optional.empty()
                        : conflicts.unknown(key, base, touch.before(), present);
        Optional<State> now = present.filter(state -> !state.row().deleteMarker());
        then = then.filter(state -> !state.row().deleteMarker());
        Optional<VersionChain.Content> wanted =
                then.isPresent() ? Optional.of(content(key, then.get())) : Optional.empty();
        boolean isNeeded =
                now.isPresent()
                        ? !wanted.equals(Optional.of(content(key, now.get())))
                        : wanted.isPresent();
        boolean isExact = unknown.isEmpty() && then.flatMap(State::writtenLater).isEmpty();
        if (!isNeeded && isExact) {
            return Optional.empty();
        }
        Line line =
                new Line(
                        key,
                        now.map(state -> keyState(key, state)),
                        then.map(state -> keyState(key, state)),
                        touch.why(),
                        isExact,
                        unknown,
                        isNeeded
                                ? touch.conflict()
                                        .or(() -> conflicts.meanwhile(base, present))
                                        .or(() -> unknown)
                                : Optional.empty());
        return Optional.of(
                new Change(
                        line,
                        isNeeded,
                        wanted,
                        then.map(state -> source(key, state)),
                        then.map(state -> state.row().number()).orElse(0L),
                        then.flatMap(state -> state.row().owner()).orElse(bucket.owner())));
    }

    private Touch touch(ObjectKey key) {
        if (touches.isPresent()) {
            return touches.get().get(key);
        }
        if (request.goal() instanceof Goal.ToInstant to) {
            return new Touch(
                    CommitTime.lastAt(to.instant()),
                    "written after " + to.instant(),
                    Optional.empty());
        }
        throw new IllegalStateException("a goal without touches is an instant");
    }

    /**
     * Returns the content of a state without its lock, which belongs to one version and not to the
     * key.
     */
    private VersionChain.Content content(ObjectKey key, State state) throws IOException {
        byte[] detail = RecordDetails.read(cube, state.family(), state.rowKey(), state.record());
        ObjectVersion version = state.row().version(key, true, bucket.owner(), detail);
        return new VersionChain.Content(
                Body.of(state.row(), state.record().references(), detail),
                state.row().bytes(),
                state.row().parts(),
                version.attributes().with(ObjectLock.NONE),
                Optional.empty(),
                Origin.UNKNOWN);
    }

    private CausalityRecorder.Source source(ObjectKey key, State state) {
        return new CausalityRecorder.Source(
                new KeyVersion(bucket.id(), key, state.row().causalVersion()),
                state.row().causal());
    }

    private KeyState keyState(ObjectKey key, State state) {
        long sequence = state.record().sequence();
        KeyStates.Times times =
                switch (state.family().name()) {
                    case "current" ->
                            new KeyStates.Times(
                                    state.began(),
                                    state.row().settled(sequence),
                                    OptionalLong.empty());
                    case "history" -> hidden(state, sequence);
                    default ->
                            new KeyStates.Times(
                                    state.began(),
                                    state.began(),
                                    OptionalLong.of(state.row().settled(sequence)));
                };
        return KeyStates.state(
                names, key, state.row(), times, !state.family().name().equals("history"));
    }

    private static KeyStates.Times hidden(State state, long sequence) {
        HistoryRow row = HistoryRow.decode(state.record().summary());
        return new KeyStates.Times(
                state.began(), row.written(state.began()), OptionalLong.of(row.ended(sequence)));
    }
}
