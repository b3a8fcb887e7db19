package io.volute.provenance.audit;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import java.util.Optional;

/** Hashes of contents as they are now, to be compared with what entries say. */
@FunctionalInterface
public interface Contents {
    /** Compares nothing. */
    Contents UNKNOWN = (versionId, parts) -> Optional.empty();

    /**
     * Returns the hash of a version's content; empty when there is no such version any more.
     *
     * @param parts sizes of the parts that the hash is made from, as the entry has them; empty for
     *     content in one piece, and for parts that the version itself knows
     */
    Optional<Hash> hashOf(Bytes versionId, Optional<String> parts);

    /**
     * Returns why the content of the last call of {@link #hashOf} could not be read; empty when it
     * was read. Bytes that fail the checksum of the log are damage; a forger would have made one
     * that fits.
     */
    default Optional<String> damage() {
        return Optional.empty();
    }
}
