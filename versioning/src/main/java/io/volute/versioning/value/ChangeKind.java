package io.volute.versioning.value;

/** The kind of a change of a key. Ids are on disk; only add at the end. */
public enum ChangeKind {
    /** Adds a version. */
    PUT,
    /** Adds a delete marker. */
    MARK,
    /** Removes a version or marker, or a state of a key without versions. */
    REMOVE,
    TAG,
    /** Changes the retention or legal hold. */
    LOCK,
    ACL
}
