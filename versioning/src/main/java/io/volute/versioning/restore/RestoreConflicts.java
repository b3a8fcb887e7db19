package io.volute.versioning.restore;

import static io.volute.versioning.rows.Families.HISTORY;
import static io.volute.versioning.rows.Families.REMOVED;
import static io.volute.versioning.rows.Families.VERSIONS;

import io.volute.storage.CommitTime;
import io.volute.storage.Cube;
import io.volute.storage.RecordCursor;
import io.volute.storage.StoredRecord;
import io.volute.versioning.history.NameCache;
import io.volute.versioning.rows.HistoryRow;
import io.volute.versioning.rows.ObjectRow;
import io.volute.versioning.rows.RemovedRow;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.state.PastStates;
import io.volute.versioning.state.PastStates.State;
import io.volute.versioning.value.ObjectKey;
import java.util.NavigableMap;
import java.util.Optional;

/**
 * The uncertainties of a restore: keys whose absence at an instant is not proven, and keys written
 * since the plan was made. Not thread-safe.
 */
final class RestoreConflicts {
    private final Cube cube;
    private final NameCache names;

    private final RestorePlan.Kept kept;
    private final NavigableMap<ObjectKey, String> unrecorded;

    /** Last sequence that the plan covers. */
    private final long planned;

    /**
     * Creates the checks.
     *
     * @param unrecorded keys that existed at the instant and whose states were not kept, with a
     *     description of their deletion
     */
    RestoreConflicts(
            Cube cube,
            NameCache names,
            RestorePlan.Kept kept,
            NavigableMap<ObjectKey, String> unrecorded,
            long planned) {
        this.cube = cube;
        this.names = names;
        this.kept = kept;
        this.unrecorded = unrecorded;
        this.planned = planned;
    }

    NavigableMap<ObjectKey, String> unrecorded() {
        return unrecorded;
    }

    /**
     * Returns the reason why a key without a found state may have had one, as text; empty when it
     * had none.
     *
     * @param before sequence of the instant
     * @param present the present state of the key
     */
    Optional<String> unknown(ObjectKey key, byte[] base, long before, Optional<State> present) {
        if (unrecorded.containsKey(key)) {
            return Optional.of(unrecorded.get(key) + "; its content was not kept");
        }
        Earliest earliest = earliest(base, present);
        if (earliest.row().isEmpty()) {
            return Optional.empty();
        }
        if (earliest.began() <= before) {
            // A purge or trimming may have removed a state between two that are kept.
            return gone(before);
        }
        ObjectRow first = earliest.row().get();
        if (!kept.isExact() && first.causal().actor() == 0) {
            return Optional.of("written before this bucket kept states");
        }
        if (!kept.isExact() && first.causal().version() != 0) {
            return Optional.of("its earlier content is not kept any more");
        }
        int statesMax = kept.statesMax();
        if (statesMax > 0 && earliest.hidden() >= statesMax) {
            return Optional.of("at most " + statesMax + " states of a key are kept");
        }
        long horizon = kept.horizon();
        if (horizon == PastStates.NEVER) {
            return Optional.of("this bucket keeps no states (policy: none)");
        }
        return gone(before);
    }

    private Optional<String> gone(long before) {
        return kept.horizon() > before
                ? Optional.of(
                        "the history before "
                                + CommitTime.of(kept.horizon())
                                + " is not kept any more")
                : Optional.empty();
    }

    /**
     * The oldest state of a key that is there.
     *
     * @param hidden number of kept states of the key
     */
    private record Earliest(long began, Optional<ObjectRow> row, int hidden) {
        Earliest or(long otherBegan, ObjectRow other, int moreHidden) {
            boolean isOlder = otherBegan < began;
            return new Earliest(
                    isOlder ? otherBegan : began,
                    isOlder ? Optional.of(other) : row,
                    hidden + moreHidden);
        }
    }

    private Earliest earliest(byte[] base, Optional<State> present) {
        Earliest earliest =
                present.map(state -> new Earliest(state.began(), Optional.of(state.row()), 0))
                        .orElseGet(() -> new Earliest(PastStates.NEVER, Optional.empty(), 0));
        byte[] end = PastStates.behind(base);
        try (RecordCursor versions = cube.scan(VERSIONS, base, end)) {
            while (versions.next()) {
                StoredRecord record = versions.record();
                ObjectRow row = ObjectRow.decode(record.summary());
                earliest = earliest.or(row.began(record.sequence()), row, 0);
            }
        }
        try (RecordCursor hidden = cube.scan(HISTORY, base, end)) {
            while (hidden.next()) {
                earliest =
                        earliest.or(
                                RowKeys.suffix(hidden.key()),
                                HistoryRow.decode(hidden.record().summary()).state(),
                                1);
            }
        }
        return earliest;
    }

    private static long removed(StoredRecord record) {
        return RemovedRow.decode(record.summary()).removed(record.sequence());
    }

    /** Returns a description of the last write to a key since the plan was made. */
    Optional<String> meanwhile(byte[] base, Optional<State> present) {
        long last =
                present.map(state -> state.row().settled(state.record().sequence()))
                        .or(() -> cube.get(REMOVED, base).map(RestoreConflicts::removed))
                        .orElse(0L);
        if (last <= planned) {
            return Optional.empty();
        }
        String who =
                present.filter(state -> state.row().causal().actor() != 0)
                        .map(state -> names.actor(state.row().causal().actor()))
                        .map(actor -> " by " + UndoneKeys.shown(actor))
                        .orElse("");
        return Optional.of(
                (present.isPresent() ? "written" : "deleted")
                        + who
                        + " at "
                        + CommitTime.of(last)
                        + ", after the restore began");
    }
}
