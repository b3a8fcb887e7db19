package io.volute.versioning.rows;

import io.volute.versioning.value.ObjectKey;

/** A causal version of a key: the node of the graph for all its states. */
public record KeyVersion(long bucketId, ObjectKey key, long version) {}
