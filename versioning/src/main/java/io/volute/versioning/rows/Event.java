package io.volute.versioning.rows;

import io.volute.versioning.value.ChangeKind;
import io.volute.versioning.value.ObjectKey;
import java.time.Instant;

/**
 * An event of the history: an edge of the causal graph, or a kept state. An event is in the log
 * before the acknowledgement of anything that depends on it.
 */
public sealed interface Event {
    /** Returns the time of the event. It does not order events. */
    Instant at();

    /** actor ← object: the actor read a state. */
    record Read(Instant at, long actor, long actorVersion, KeyVersion object) implements Event {}

    /**
     * object ← actor: the actor wrote a state.
     *
     * @param number of the version or marker made, removed or changed
     */
    record Wrote(
            Instant at,
            long actor,
            long actorVersion,
            ChangeKind change,
            KeyVersion object,
            long number)
            implements Event {}

    /** object ← object: a state was copied from another. The actor did not read it. */
    record Copied(Instant at, KeyVersion object, KeyVersion source) implements Event {}

    /**
     * A state was moved to {@code history}.
     *
     * @param began sequence with which it began
     */
    record Kept(Instant at, long bucketId, ObjectKey key, long began) implements Event {}

    /**
     * A restore brought back the state, or the absence, of a key. It counts as the write that made
     * its origin.
     *
     * @param origin a sequence at which the origin was the current state of the key
     */
    record Restored(Instant at, long bucketId, ObjectKey key, long origin) implements Event {}
}
