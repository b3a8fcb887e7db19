package io.volute.provenance.audit;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import java.util.Optional;

/** Hashes of contents as they are now, to be compared with what entries say. */
@FunctionalInterface
public interface Contents {
    /** Compares nothing. */
    Contents UNKNOWN = versionId -> Optional.empty();

    /** SHA-256 of a version's content; empty when there is no such version any more. */
    Optional<Hash> hashOf(Bytes versionId);
}
