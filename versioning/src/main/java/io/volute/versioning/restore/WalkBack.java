package io.volute.versioning.restore;

import io.volute.storage.CommitTime;
import io.volute.storage.Cube;
import io.volute.versioning.rows.Families;
import io.volute.versioning.state.BucketEntry;
import io.volute.versioning.state.PastCursors;
import io.volute.versioning.state.PastStates;
import io.volute.versioning.state.PastStates.State;
import io.volute.versioning.value.ObjectKey;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Chooses the states that a restore puts keys back to, among those that are kept. Not thread-safe.
 *
 * @param condemned the states that an undo does not choose, and of which a restore to an instant
 *     warns
 * @param lifted the states that were condemned until this undo
 */
record WalkBack(
        Cube cube,
        BucketEntry bucket,
        List<Condemned> condemned,
        List<Condemned> lifted,
        RestoreConflicts conflicts,
        UndoRules rules) {
    private static final String NOT_KEPT = "its earlier content was not kept";

    /**
     * The state to put a key back to.
     *
     * @param sequence at which it was the current one
     * @param unknown the reason why it is not known
     * @param undoneBy description of the undo that condemned it
     */
    record Target(
            Optional<State> state,
            long sequence,
            String why,
            Optional<String> conflict,
            Optional<String> unknown,
            Optional<String> undoneBy) {}

    /** Returns the state that was current at a sequence; the present one for NEVER. */
    Optional<State> at(byte[] base, long sequence) {
        try (PastCursors cursors = PastCursors.open(cube, bucket, base, PastStates.behind(base))) {
            PastStates states = new PastStates(cursors, sequence);
            return sequence == PastStates.NEVER ? states.present(base) : states.take(base);
        }
    }

    /** Returns the state of a key at an instant. */
    Target to(Instant instant, ObjectKey key, byte[] base, Optional<State> present) {
        long sequence = CommitTime.lastAt(instant);
        Optional<State> state = at(base, sequence);
        Optional<String> unknown =
                state.isPresent()
                        ? gap(state.get(), sequence)
                        : conflicts.unknown(key, base, sequence, present);
        Optional<String> undoneBy =
                unknown.isPresent() ? Optional.empty() : by(condemned, key, state, sequence);
        Optional<String> conflict = undoneBy.map(by -> "its state of then is undone by " + by);
        return new Target(state, sequence, "written after " + instant, conflict, unknown, undoneBy);
    }

    /** Returns a description of the first undo that condemns a state. */
    private static Optional<String> by(
            List<Condemned> undos, ObjectKey key, Optional<State> state, long sequence) {
        return undos.stream()
                .filter(each -> isCondemned(each, key, state, sequence))
                .findFirst()
                .map(each -> each.what().label());
    }

    /**
     * Returns the last state of a key that is not condemned; empty when the key stays.
     *
     * @param acts the acts on the key that the undo of the plan has found
     */
    Optional<Target> back(KeyActs acts, ObjectKey key, byte[] base, Optional<State> present) {
        if (acts.isClean()) {
            return Optional.empty();
        }
        long from = acts.lastCondemned();
        long sequence = from;
        Optional<State> state = at(base, sequence);
        if (!isCondemned(condemned.getFirst(), key, state, sequence)) {
            // The condemned act made no state: it removed a version behind the current one. Or
            // nothing that was written since has replaced a condemned state.
            return Optional.empty();
        }
        for (int steps = 1; isCondemned(key, state, sequence) && rules.goesBehind(steps); steps++) {
            sequence = begin(key, state, sequence) - 1;
            state = at(base, sequence);
        }
        Optional<String> unknown =
                state.isPresent()
                        ? gap(state.get(), sequence)
                        : unknown(key, base, sequence, present);
        return Optional.of(
                new Target(
                        state,
                        sequence,
                        acts.why(),
                        acts.follower(),
                        unknown,
                        unknown.isPresent() ? Optional.empty() : by(lifted, key, state, sequence)));
    }

    /**
     * Returns why another version was current at a sequence; empty when this was. A version that
     * was removed without being kept leaves an older one as the newest of then.
     */
    private static Optional<String> gap(State state, long sequence) {
        // There the sequence of the record is the end of the time as the current version.
        return state.family().equals(Families.VERSIONS)
                        && state.row().settled(state.record().sequence()) <= sequence
                ? Optional.of(NOT_KEPT)
                : Optional.empty();
    }

    /** Returns the reason why a key may have had a state; empty when it had none. */
    private Optional<String> unknown(
            ObjectKey key, byte[] base, long sequence, Optional<State> present) {
        Optional<KeyActs.Act> last = lastAct(key, sequence);
        if (last.isPresent()) {
            return last.get().kind() == KeyActs.Kind.REMOVE
                    ? Optional.empty()
                    : Optional.of(NOT_KEPT);
        }
        return conflicts.unknown(key, base, sequence, present);
    }

    private Optional<KeyActs.Act> lastAct(ObjectKey key, long sequence) {
        return condemned.stream()
                .flatMap(each -> each.keys().lastUpTo(key, sequence).stream())
                .max(Comparator.comparingLong(KeyActs.Act::sequence));
    }

    private boolean isCondemned(ObjectKey key, Optional<State> state, long sequence) {
        return condemned.stream().anyMatch(each -> isCondemned(each, key, state, sequence));
    }

    private static boolean isCondemned(
            Condemned by, ObjectKey key, Optional<State> state, long sequence) {
        if (!by.concerns(key)) {
            return false;
        }
        return state.isPresent()
                ? by.isCondemned(key, state.get())
                : by.keys().lastUpTo(key, sequence).filter(KeyActs.Act::isCondemned).isPresent();
    }

    /** Returns the sequence with which a state, or an absence, began. */
    private long begin(ObjectKey key, Optional<State> state, long sequence) {
        return state.map(State::began)
                .orElseGet(
                        () ->
                                condemned.stream()
                                        .flatMap(
                                                each ->
                                                        each
                                                                .keys()
                                                                .lastUpTo(key, sequence)
                                                                .stream())
                                        .filter(KeyActs.Act::isCondemned)
                                        .mapToLong(KeyActs.Act::sequence)
                                        .max()
                                        .orElseThrow());
    }
}
