package io.volute.versioning;

import io.volute.storage.report.Distribution;

/**
 * Counters of the provenance since start.
 *
 * @param entries durable entries
 * @param batches signed batches
 * @param signatures signatures of the batches, one for each key
 * @param signing nanoseconds per signing of a batch
 */
public record ProvenanceStats(
        long entries, long batches, long signatures, Distribution.Counts signing) {
    /** The counters of a store without provenance. */
    public static final ProvenanceStats NONE =
            new ProvenanceStats(0, 0, 0, Distribution.Counts.NONE);
}
