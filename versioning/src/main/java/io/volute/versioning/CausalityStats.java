package io.volute.versioning;

import io.volute.versioning.causality.HistoryPolicy;
import java.util.Map;

/**
 * What causality decided since start.
 *
 * @param byPolicy what came of the records that each policy was offered
 * @param readable versions that ended because a reader can name an instant of their last state,
 *     whatever the policy said
 * @param kept states that went to the history
 * @param events edges and other events that went to the log with writes
 * @param actors whose session has not ended
 * @param pendingBytes heap of reads that are not in the log yet
 * @param droppedReads reads that are not written down because there was no room for them
 */
public record CausalityStats(
        Map<HistoryPolicy, Outcomes> byPolicy,
        long readable,
        long kept,
        long events,
        long actors,
        long pendingBytes,
        long droppedReads) {
    public CausalityStats {
        byPolicy = Map.copyOf(byPolicy);
    }

    /** Of a history that counts nothing. */
    public static final CausalityStats NONE = new CausalityStats(Map.of(), 0, 0, 0, 0, 0, 0);

    /**
     * Causality records, by what became of them.
     *
     * @param duplicates that said nothing new
     * @param added edges to a version that went on
     * @param frozen edges that began a new version
     */
    public record Outcomes(long duplicates, long added, long frozen) {}
}
