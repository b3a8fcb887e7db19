package io.volute.versioning;

import io.volute.versioning.value.BucketDocument;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;

/** An object store with its history, restores and provenance. Thread-safe. */
public interface VersionedStore extends ObjectStore {

    /**
     * Creates a bucket as {@link #createBucket(Caller, BucketName, boolean, Map)} does, in a cube.
     *
     * @param cube name of the cube; empty for the one that the placement rule selects
     * @throws StoreException INVALID_ARGUMENT when the store has no such cube
     */
    default BucketInfo createBucket(
            Caller caller,
            BucketName name,
            boolean locking,
            Map<BucketDocument, String> documents,
            Optional<String> cube)
            throws IOException {
        if (cube.filter(each -> !each.equals(StoreCubes.SYSTEM)).isPresent()) {
            throw new StoreException(
                    StoreException.Reason.INVALID_ARGUMENT, "no cube " + cube.get());
        }
        return createBucket(caller, name, locking, documents);
    }

    /** Returns the history of the store. */
    History history();

    /** Returns the restores of the store. */
    Restore restore();

    /** Returns the provenance of the store; empty if its options have none. */
    Optional<Provenance> provenance();

    /**
     * Returns the damages of the cube of this store.
     *
     * @throws UnsupportedOperationException on a store of several cubes: each has its own
     */
    default Damages damages() {
        throw new UnsupportedOperationException("each cube has its own damages");
    }

    /**
     * Looks at the clock of the cube of this store, and records what departs from it.
     *
     * @throws UnsupportedOperationException on a store of several cubes: each has its own
     */
    default ClockState clock() {
        throw new UnsupportedOperationException("each cube has its own clock");
    }

    /** Returns the messages about changes to consumers outside the store. */
    Outbox outbox();

    /** Returns the settings of the buckets. */
    BucketSettings settings();

    /**
     * Returns the retention of the history.
     *
     * @throws IOException if the store is closed
     */
    Retention retention() throws IOException;
}
