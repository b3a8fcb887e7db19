package io.volute.versioning;

/** A condition on the current state of a key, decided atomically with the write. */
public sealed interface WriteCondition {
    /** Always. */
    record None() implements WriteCondition {}

    /** {@code If-None-Match: *}: only when the key has no current object. */
    record IfAbsent() implements WriteCondition {}

    /** {@code If-Match}: only when the current object has this ETag; {@code *} means any. */
    record IfMatch(String etag) implements WriteCondition {}

    None NONE = new None();
}
