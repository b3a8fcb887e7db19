package io.volute.versioning.write;

import io.volute.storage.Cube;
import io.volute.storage.LateCommitException;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.event.ClockWatch;
import io.volute.versioning.outbox.OutboxRows;
import io.volute.versioning.provenance.ProvenanceLog;
import io.volute.versioning.provenance.ProvenanceRecorder;
import io.volute.versioning.state.BucketEntry;
import io.volute.versioning.value.Caller;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** Creates the batches of version changes, with their listeners. Thread-safe. */
public record WriteBatchFactory(
        Cube cube,
        Causality causality,
        Optional<ProvenanceLog> provenance,
        OutboxRows outbox,
        ClockWatch clock) {
    /** Adds changes to a batch. Called again with a new batch if the first commits too late. */
    public interface Change<R> {
        R addTo(WriteBatch batch) throws IOException;
    }

    /**
     * Makes changes durable and visible. An empty batch is not committed. The commit time decides
     * which replaced states are kept. The caller holds the locks of the keys.
     *
     * @throws StoreException INVALID_ARGUMENT when the caller signs and the store has no provenance
     */
    public <R> R commit(Caller caller, BucketEntry bucket, Change<R> change) throws IOException {
        try {
            return commit(of(caller, CausalityRecorder.Keeping.AS_OF_NOW), bucket, change);
        } catch (LateCommitException e) {
            return commit(of(caller, CausalityRecorder.Keeping.WHENEVER), bucket, change);
        } finally {
            clock.lookOrWarn();
        }
    }

    private static <R> R commit(WriteBatch batch, BucketEntry bucket, Change<R> change)
            throws IOException {
        try {
            R result = change.addTo(batch);
            if (!batch.isEmpty()) {
                batch.commit(bucket);
            }
            return result;
        } finally {
            batch.abandon();
        }
    }

    private WriteBatch of(Caller caller, CausalityRecorder.Keeping keeping) {
        if (caller.statement().isPresent()
                && provenance.filter(ProvenanceLog::isSigning).isEmpty()) {
            throw new StoreException(
                    Reason.INVALID_ARGUMENT,
                    "x-volute-signature: this store has no provenance"
                            + " (provenance.signatures = none)");
        }
        return batch(caller, keeping, provenance.map(log -> log.recorder(caller)));
    }

    /** Creates the batch of a restore, which keeps every replaced state. */
    public WriteBatch restoring(Caller caller) {
        return batch(
                caller,
                CausalityRecorder.Keeping.ALL,
                provenance.map(log -> log.recorder(caller)).map(ProvenanceRecorder::restoring));
    }

    private WriteBatch batch(
            Caller caller,
            CausalityRecorder.Keeping keeping,
            Optional<ProvenanceRecorder> recorder) {
        return new WriteBatch(
                cube,
                Optional.of(new CausalityRecorder(causality, caller, keeping)),
                recorder,
                List.of(new OutboxRecorder(outbox, caller)));
    }
}
