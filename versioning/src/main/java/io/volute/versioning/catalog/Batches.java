package io.volute.versioning.catalog;

import io.volute.storage.Cube;
import io.volute.versioning.Caller;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.provenance.Deeds;
import io.volute.versioning.provenance.ProvenanceLog;
import java.util.Optional;

/** Begins changes of versions, of which history and provenance are told. Thread-safe. */
record Batches(Cube cube, Causality causality, Optional<ProvenanceLog> provenance) {
    /**
     * @throws StoreException INVALID_ARGUMENT when the caller signs and there is no provenance
     */
    WriteBatch of(Caller caller) {
        if (caller.statement().isPresent() && provenance.isEmpty()) {
            throw new StoreException(
                    Reason.INVALID_ARGUMENT,
                    "x-volute-signature: this store has no provenance"
                            + " (provenance.signatures = none)");
        }
        return new WriteBatch(
                cube,
                Optional.of(new Capture(causality, caller)),
                provenance.map(log -> log.deeds(caller)));
    }

    /** Of a restore: keeps all that it replaces. */
    WriteBatch restoring(Caller caller) {
        return new WriteBatch(
                cube,
                Optional.of(Capture.keepingAll(causality, caller)),
                provenance.map(log -> log.deeds(caller)).map(Deeds::restoring));
    }
}
