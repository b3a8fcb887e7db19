package io.volute.versioning;

import java.io.IOException;
import java.util.Optional;

/** An object store with its history, restores and provenance. Thread-safe. */
public interface VersionedStore extends ObjectStore {

    /** Returns the history of the store. */
    History history();

    /** Returns the restores of the store. */
    Restore restore();

    /** Returns the provenance of the store; empty if its options have none. */
    Optional<Provenance> provenance();

    /** Returns the settings of the buckets. */
    BucketSettings settings();

    /**
     * Returns the retention of the history.
     *
     * @throws IOException if the store is closed
     */
    Retention retention() throws IOException;
}
