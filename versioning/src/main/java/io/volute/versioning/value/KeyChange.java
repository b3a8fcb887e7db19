package io.volute.versioning.value;

import java.time.Instant;

/**
 * One change of a key, in the order of its commits.
 *
 * @param number greater than the numbers of earlier changes of the key
 * @param version the version or delete marker that the change made, removed or rewrote
 */
public record KeyChange(
        long number,
        Instant at,
        ChangeKind kind,
        BucketInfo bucket,
        ObjectVersion version,
        Caller caller) {}
