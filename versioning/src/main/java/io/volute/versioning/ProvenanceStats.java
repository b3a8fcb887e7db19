package io.volute.versioning;

import io.volute.storage.report.Distribution;

/**
 * What provenance did since start.
 *
 * @param entries that became durable
 * @param batches that were signed
 * @param signatures under them, one for each key
 * @param signing nanoseconds that signing a batch took
 */
public record ProvenanceStats(
        long entries, long batches, long signatures, Distribution.Counts signing) {
    /** Of a provenance that counts nothing. */
    public static final ProvenanceStats NONE =
            new ProvenanceStats(0, 0, 0, Distribution.Counts.NONE);
}
