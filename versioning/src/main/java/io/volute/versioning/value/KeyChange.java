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
        Kind kind,
        BucketInfo bucket,
        ObjectVersion version,
        Caller caller) {
    /** The kind of a change. */
    public enum Kind {
        PUT,
        /** Adds a delete marker. */
        MARK,
        /** Removes a version, or a state of a key without versions. */
        REMOVE,
        TAG,
        /** Changes the retention or legal hold. */
        LOCK,
        ACL
    }
}
