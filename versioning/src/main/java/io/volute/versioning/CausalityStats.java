package io.volute.versioning;

import io.volute.versioning.causality.HistoryPolicy;
import java.util.Map;

/**
 * Counters of the decisions on causality since start.
 *
 * @param byPolicy outcomes of the records that each policy was offered
 * @param readable versions that ended because a reader can name an instant of their last state,
 *     regardless of the policy
 * @param kept states that went to the history
 * @param events edges and other events that went to the log with writes
 * @param actors actors whose session has not ended
 * @param pendingBytes heap bytes of reads that are not in the log yet
 * @param droppedReads reads that were dropped because there was no room for them
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

    /** The counters of a store without history. */
    public static final CausalityStats NONE = dropped(0);

    /** Returns the counters of dropped reads alone. */
    public static CausalityStats dropped(long reads) {
        return new CausalityStats(Map.of(), 0, 0, 0, 0, 0, reads);
    }

    /**
     * Numbers of causality records by outcome.
     *
     * @param duplicates records without information
     * @param added edges to a version that continued
     * @param frozen edges that began a new version
     */
    public record Outcomes(long duplicates, long added, long frozen) {}
}
