package io.volute.versioning.write;

import io.volute.storage.Cube;
import io.volute.storage.LateCommitException;
import io.volute.versioning.Caller;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.provenance.Deeds;
import io.volute.versioning.provenance.ProvenanceLog;
import io.volute.versioning.state.BucketEntry;
import java.io.IOException;
import java.util.Optional;

/** Begins changes of versions, of which history and provenance are told. Thread-safe. */
public record Batches(Cube cube, Causality causality, Optional<ProvenanceLog> provenance) {
    /** Adds changes to a batch. Called again for another batch if the first comes too late. */
    public interface Change<R> {
        R addTo(WriteBatch batch) throws IOException;
    }

    /**
     * Makes changes durable and visible; a batch without any is not committed. What is kept of what
     * they replace depends on when that is. The caller holds the locks of the keys.
     *
     * @throws StoreException INVALID_ARGUMENT when the caller signs and there is no provenance
     */
    public <R> R commit(Caller caller, BucketEntry bucket, Change<R> change) throws IOException {
        try {
            return commit(of(caller, Capture.Keeping.AS_OF_NOW), bucket, change);
        } catch (LateCommitException e) {
            return commit(of(caller, Capture.Keeping.WHENEVER), bucket, change);
        }
    }

    private static <R> R commit(WriteBatch batch, BucketEntry bucket, Change<R> change)
            throws IOException {
        R result = change.addTo(batch);
        if (!batch.isEmpty()) {
            batch.commit(bucket);
        }
        return result;
    }

    private WriteBatch of(Caller caller, Capture.Keeping keeping) {
        if (caller.statement().isPresent() && provenance.isEmpty()) {
            throw new StoreException(
                    Reason.INVALID_ARGUMENT,
                    "x-volute-signature: this store has no provenance"
                            + " (provenance.signatures = none)");
        }
        return new WriteBatch(
                cube,
                Optional.of(new Capture(causality, caller, keeping)),
                provenance.map(log -> log.deeds(caller)));
    }

    /** Of a restore: keeps all that it replaces. */
    public WriteBatch restoring(Caller caller) {
        return new WriteBatch(
                cube,
                Optional.of(new Capture(causality, caller, Capture.Keeping.ALL)),
                provenance.map(log -> log.deeds(caller)).map(Deeds::restoring));
    }
}
