package io.volute.versioning.value;

/** A condition on the current state of a key, decided atomically with the write. */
public sealed interface WriteCondition {
    /** No condition. */
    record None() implements WriteCondition {}

    /** {@code If-None-Match: *}: the key must have no current object. */
    record IfAbsent() implements WriteCondition {}

    /** {@code If-Match}: the current object must have this ETag; {@code *} means any. */
    record IfMatch(String etag) implements WriteCondition {}

    /**
     * The newest version or delete marker of the key has this number: nothing was written since it
     * was looked at.
     */
    record IfNewest(long number) implements WriteCondition {}

    /**
     * The key has no replica of this version yet, and none of a later version of the same source.
     * The new version or delete marker becomes the replica.
     */
    record IfNoReplica(ReplicaOrigin origin) implements WriteCondition {}

    None NONE = new None();
}
