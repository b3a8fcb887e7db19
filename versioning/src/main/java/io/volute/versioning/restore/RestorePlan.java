package io.volute.versioning.restore;

import io.volute.storage.CommitTime;
import io.volute.storage.Cube;
import io.volute.storage.RecordCursor;
import io.volute.versioning.History.KeyState;
import io.volute.versioning.Restore.Authors;
import io.volute.versioning.Restore.Elsewhere;
import io.volute.versioning.Restore.Goal;
import io.volute.versioning.Restore.Line;
import io.volute.versioning.Restore.Request;
import io.volute.versioning.body.Body;
import io.volute.versioning.body.Origin;
import io.volute.versioning.body.RecordDetails;
import io.volute.versioning.causality.VersionNode;
import io.volute.versioning.event.MergedEvents;
import io.volute.versioning.history.KeyStates;
import io.volute.versioning.history.NameCache;
import io.volute.versioning.rows.Families;
import io.volute.versioning.rows.HistoryRow;
import io.volute.versioning.rows.KeyVersion;
import io.volute.versioning.rows.ObjectRow;
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
import java.time.Instant;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
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
    private final Optional<NavigableMap<ObjectKey, KeyActs>> touches;

    /** The states that the undo of the request condemns, if it is one, then those it avoids. */
    private final List<Condemned> condemned;

    private final RestoreConflicts conflicts;
    private final WalkBack walk;

    private RestorePlan(
            Cube cube,
            NameCache names,
            BucketEntry bucket,
            Request request,
            Optional<NavigableMap<ObjectKey, KeyActs>> touches,
            List<Condemned> condemned,
            List<Condemned> lifted,
            RestoreConflicts conflicts,
            UndoRules rules) {
        this.cube = cube;
        this.names = names;
        this.bucket = bucket;
        this.request = request;
        this.touches = touches;
        this.condemned = condemned;
        this.conflicts = conflicts;
        this.walk = new WalkBack(cube, bucket, condemned, lifted, conflicts, rules);
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
     * @param naming maps a state to its node in memory
     * @param began last sequence at the request of the restore
     * @param what states that the undo of the request condemns, if it is one, then those it avoids
     * @param lifted states that were condemned until the undo of the request
     */
    static RestorePlan of(
            Cube cube,
            MergedEvents events,
            NameCache names,
            Function<KeyVersion, VersionNode> naming,
            BucketEntry bucket,
            Request request,
            Kept kept,
            long began,
            List<Condemned.What> what,
            List<Condemned.What> lifted,
            UndoRules rules)
            throws IOException {
        boolean isUndo = request.goal() instanceof Goal.Undo;
        // Writes after this sequence may be missing from the touched keys.
        long planned = isUndo ? cube.lastSequence() : began;
        Condemned.Scope scope =
                new Condemned.Scope(
                        bucket.id(), request.prefix(), names, naming, kept.horizon(), rules);
        Condemned.Budget budget = new Condemned.Budget();
        List<Condemned> condemned =
                what.stream().map(each -> new Condemned(each, scope, budget)).toList();
        List<Condemned> allowed =
                lifted.stream().map(each -> new Condemned(each, scope, budget)).toList();
        see(
                cube,
                events,
                bucket,
                request,
                kept,
                Stream.concat(condemned.stream(), allowed.stream()).toList(),
                rules);
        NavigableMap<ObjectKey, String> unrecorded =
                request.goal() instanceof Goal.ToInstant to && !kept.isExact()
                        ? new UnrecordedDeletions(names, bucket.id(), request.prefix())
                                .find(events, to.instant(), CommitTime.lastAt(to.instant()))
                        : Collections.emptyNavigableMap();
        return new RestorePlan(
                cube,
                names,
                bucket,
                request,
                // Events are those of all cubes; the other parts of the bucket have their plans.
                isUndo
                        ? Optional.of(bucket.range().of(condemned.getFirst().keys().touched()))
                        : Optional.empty(),
                condemned,
                allowed,
                new RestoreConflicts(cube, names, kept, bucket.range().of(unrecorded), planned),
                rules);
    }

    private static void see(
            Cube cube,
            MergedEvents events,
            BucketEntry bucket,
            Request request,
            Kept kept,
            List<Condemned> condemned,
            UndoRules rules)
            throws IOException {
        if (condemned.isEmpty()) {
            return;
        }
        Instant since =
                condemned.stream()
                        .map(Condemned::what)
                        .map(what -> what.starts().isEmpty() ? what.since() : Instant.EPOCH)
                        .min(Comparator.naturalOrder())
                        .orElseThrow();
        if (!since.isAfter(CommitTime.of(kept.horizon()))) {
            seePresent(cube, bucket, request, condemned);
        }
        events.since(
                since,
                row -> {
                    if (rules.sees(row)) {
                        condemned.forEach(each -> each.see(row.rows()));
                    }
                    return true;
                });
    }

    /** Adds the present states, because their events may be gone. */
    private static void seePresent(
            Cube cube, BucketEntry bucket, Request request, List<Condemned> condemned) {
        KeyWalk walk = new KeyWalk(bucket, request.prefix(), "");
        try (RecordCursor cursor = cube.scan(Families.CURRENT, walk.behind(""), walk.end())) {
            while (cursor.next()) {
                ObjectRow row = ObjectRow.decode(cursor.record().summary());
                ObjectKey key = RowKeys.objectKey(cursor.key());
                long began = row.began(cursor.record().sequence());
                condemned.forEach(each -> each.seePresent(key, row, began));
            }
        }
    }

    /** Returns whether the plan is for this bucket, not for an earlier one with its name. */
    boolean isOf(BucketEntry other) {
        return bucket == other;
    }

    List<Elsewhere> elsewhere() {
        return touches.isPresent() ? condemned.getFirst().keys().elsewhere() : List.of();
    }

    /**
     * Returns the authors of the undone writes.
     *
     * @param sessions number of sessions that the access keys of the goal began
     */
    Authors authors(long sessions) {
        return touches.isPresent()
                ? condemned.getFirst().keys().authors().result(sessions)
                : Authors.NONE;
    }

    /** Returns sentences about the whole plan. */
    List<String> warnings() {
        return request.goal() instanceof Goal.ToInstant to
                        && to.instant().isBefore(bucket.info().created())
                ? List.of(
                        "the bucket "
                                + bucket.info().name().value()
                                + " did not exist at "
                                + to.instant()
                                + " (created "
                                + bucket.info().created()
                                + "): this restore would remove all of its keys")
                : List.of();
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
     * @param origin a sequence at which the state, or the absence, was the current one
     */
    record Change(
            Line line,
            boolean isNeeded,
            Optional<VersionChain.Content> content,
            Optional<CausalityRecorder.Source> source,
            long number,
            String owner,
            long origin) {}

    /**
     * Returns the change to a key, if there is one. The result is exact while the key is locked.
     */
    Optional<Change> change(ObjectKey key) throws IOException {
        byte[] base = RowKeys.current(bucket.id(), key);
        Optional<State> present = walk.at(base, PastStates.NEVER);
        Optional<WalkBack.Target> found = target(key, base, present);
        if (found.isEmpty()) {
            return Optional.empty();
        }
        WalkBack.Target target = found.get();
        Optional<String> unknown = target.unknown();
        Optional<State> now = present.filter(state -> !state.row().deleteMarker());
        Optional<State> then =
                target.state()
                        .filter(state -> unknown.isEmpty())
                        .filter(state -> !state.row().deleteMarker());
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
                        // What stays is no change, whenever it was written.
                        (isNeeded ? then : now).map(state -> keyState(key, state)),
                        target.why(),
                        isExact,
                        unknown,
                        isNeeded
                                ? target.conflict()
                                        .or(() -> conflicts.meanwhile(base, present))
                                        .or(() -> unknown)
                                : Optional.empty(),
                        isNeeded ? target.undoneBy() : Optional.empty());
        return Optional.of(
                new Change(
                        line,
                        isNeeded,
                        wanted,
                        target.state().map(state -> source(key, state)),
                        then.map(state -> state.row().number()).orElse(0L),
                        then.flatMap(state -> state.row().owner()).orElse(bucket.owner()),
                        // A later sequence may be that of the act that replaced the state.
                        target.state().map(State::began).orElse(target.sequence())));
    }

    private Optional<WalkBack.Target> target(ObjectKey key, byte[] base, Optional<State> present) {
        return switch (request.goal()) {
            case Goal.ToInstant to -> Optional.of(walk.to(to.instant(), key, base, present));
            case Goal.Undo undo -> walk.back(touches.orElseThrow().get(key), key, base, present);
        };
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
