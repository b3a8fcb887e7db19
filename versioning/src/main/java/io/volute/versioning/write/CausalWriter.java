package io.volute.versioning.write;

import io.volute.versioning.rows.Event;
import io.volute.versioning.rows.ObjectRow;

/**
 * Who writes a key, as far as history is concerned: decides which replaced states are kept, and is
 * told what happens.
 */
interface CausalWriter {
    /** Keeps nothing and is nobody. */
    CausalWriter NOBODY = new CausalWriter() {};

    /** Whether there is a policy under which anything is kept. */
    default boolean keepsAnything() {
        return false;
    }

    /** States of a key that are kept at most. */
    default int statesMax() {
        return Integer.MAX_VALUE;
    }

    /** Id of the actor, 0 for nobody. */
    default long actor() {
        return 0;
    }

    default long actorVersion() {
        return 0;
    }

    /** The first causal version of a key, or the first since it was removed. */
    default void begins(long version) {}

    /**
     * Whether the causal version of this state ends here, so that its last state is kept.
     *
     * @param began sequence with which the causal version began
     */
    default boolean freezes(ObjectRow replaced, long began) {
        return false;
    }

    /**
     * The same of a version that another has followed: its causal version ended then, and this
     * write begins none.
     */
    default boolean freezesOld(ObjectRow removed, long began) {
        return false;
    }

    /**
     * A state is not kept that clients cannot see any more: the commit must come before a reader
     * can name an instant of it.
     *
     * @param began sequence with which it began
     */
    default void letsGo(long began) {}

    /** A state takes the place of this one, which stays visible: its causal version ends. */
    default void follows(ObjectRow before) {}

    /**
     * A state was made, removed or changed.
     *
     * @param version its causal version
     * @param number of the version or marker
     */
    default void wrote(Event.Change change, long version, long number) {}

    /**
     * A noncurrent version became the current one again.
     *
     * @param version its causal version now
     * @param before its causal version until then
     */
    default void returned(long version, long before) {}

    /** A state was kept under {@code history}. */
    default void kept(long began) {}
}
