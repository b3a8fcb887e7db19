package io.volute.versioning.write;

import io.volute.versioning.commit.StateChange;
import io.volute.versioning.rows.Event;
import io.volute.versioning.rows.ObjectRow;
import io.volute.versioning.value.ChangeKind;
import java.util.Optional;

/**
 * The writer of a key in the causal history. Decides which replaced states are kept. Without a
 * policy of history it is {@link #NOBODY}, else a part of {@link CausalityRecorder}.
 */
interface CausalWriter {
    /** A writer without identity that keeps nothing. */
    CausalWriter NOBODY = new CausalWriter() {};

    /** Returns whether the bucket has a policy under which states are kept. */
    default boolean keepsAnything() {
        return false;
    }

    /** Returns the maximum number of kept states per key. */
    default int statesMax() {
        return Integer.MAX_VALUE;
    }

    /** Returns the id of the actor, 0 for none. */
    default long actor() {
        return 0;
    }

    default long actorVersion() {
        return 0;
    }

    /** Begins the first causal version of a key, or the first since its removal. */
    default void begins(long version) {}

    /**
     * Returns whether the causal version of this state ends here, so that its last state is kept.
     *
     * @param began sequence with which the causal version began
     */
    default boolean freezes(ObjectRow replaced, long began) {
        return false;
    }

    /**
     * Returns whether the state of a noncurrent version is kept. Its causal version ended when
     * another followed, and this write begins none.
     */
    default boolean freezesOld(ObjectRow removed, long began) {
        return false;
    }

    /**
     * Discards a state that clients no longer see. The commit must precede the first instant at
     * which a reader can name that state.
     *
     * @param began sequence with which it began
     */
    default void letsGo(long began) {}

    /** Ends the causal version of a state that stays visible behind a new one. */
    default void follows(ObjectRow before) {}

    /**
     * Returns the effect of a state that was made, removed or changed; empty if the graph has it.
     *
     * @param version its causal version
     */
    default Optional<StateChange.Effect> effect(ChangeKind change, long version) {
        return Optional.empty();
    }

    /**
     * Records that a noncurrent version became the current one again.
     *
     * @param version its causal version now
     * @param before its causal version until then
     */
    default void returned(long version, long before) {}

    /**
     * Records that the write brought back the state, or the absence, at a sequence.
     *
     * @param origin as in {@link Event.Restored}
     */
    default void restored(long origin) {}

    /** Records that a state was kept under {@code history}. */
    default void kept(long began) {}
}
