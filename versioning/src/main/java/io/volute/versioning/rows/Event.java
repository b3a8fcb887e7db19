package io.volute.versioning.rows;

import io.volute.versioning.ObjectKey;
import java.time.Instant;

/**
 * Something that is told in the history: the edges of the causal graph, and what was kept. Each is
 * in the log before anything that depends on it is acknowledged.
 */
public sealed interface Event {
    /** When it happened; the order of events is not told by it. */
    Instant at();

    /** actor ← object: the actor read a state. */
    record Read(Instant at, long actor, long actorVersion, KeyVersion object) implements Event {}

    /** What a write did to a key. Ids are on disk; only add at the end. */
    enum Change {
        PUT,
        /** Made a delete marker. */
        MARK,
        /** Took a state out, or a version. */
        REMOVE,
        TAG,
        /** Changed the retention or legal hold. */
        LOCK
    }

    /**
     * object ← actor: the actor wrote a state.
     *
     * @param number of the version or marker made, removed or changed
     */
    record Wrote(
            Instant at,
            long actor,
            long actorVersion,
            Change change,
            KeyVersion object,
            long number)
            implements Event {}

    /** object ← object: a state was copied from another, without the actor having seen it. */
    record Copied(Instant at, KeyVersion object, KeyVersion source) implements Event {}

    /**
     * A state went to {@code history}.
     *
     * @param began sequence with which it began
     */
    record Kept(Instant at, long bucketId, ObjectKey key, long began) implements Event {}
}
