package io.volute.provenance.audit;

import io.volute.provenance.record.ChainHead;
import io.volute.provenance.record.ChainIdentity;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The result of the audit of one chain.
 *
 * @param chain the audited chain
 * @param entries number of records in the input
 * @param verified number of verified entries, including bad ones
 * @param removed number of missing entries that the store removed from the beginning and recorded
 *     in a summary, or that a permitted summary replaces
 * @param hidden parts of the verified entries that are not public
 * @param head the last verified entry
 * @param findings the first 1,000
 * @param omitted findings beyond those
 * @param contradicted by sequence of a bad entry, how many later entries do not fit it
 * @param settings over time, when the chain is the store's own
 * @param rules that were applied, of those that need to be known to be applied
 * @param uncompared numbers of what could not be compared
 */
public record AuditReport(
        String chain,
        long entries,
        long verified,
        long removed,
        Hidden hidden,
        Optional<ChainHead> head,
        List<Finding> findings,
        long omitted,
        Map<Long, Integer> contradicted,
        SettingsHistory settings,
        Set<Rule> rules,
        Map<Uncompared, Long> uncompared) {
    /**
     * The numbers of hidden fields in the entries. The audit verifies hidden fields as well.
     *
     * @param encrypted fields that are encrypted for auditors
     * @param read those of them that were read with the auditor's own key
     * @param withheld fields that are committed to, and whose text was left out
     */
    public record Hidden(long encrypted, long read, long withheld) {
        public static final Hidden NOTHING = new Hidden(0, 0, 0);

        Hidden plus(Hidden other) {
            return new Hidden(
                    encrypted + other.encrypted, read + other.read, withheld + other.withheld);
        }
    }

    public AuditReport {
        findings = List.copyOf(findings);
        contradicted = Map.copyOf(contradicted);
        rules = Set.copyOf(rules);
        uncompared = Map.copyOf(uncompared);
    }

    /** Returns the report on a key that has no chain. */
    public static AuditReport ofState(String chain, List<Finding> found) {
        return new AuditReport(
                chain,
                0,
                0,
                0,
                Hidden.NOTHING,
                Optional.empty(),
                found,
                0,
                Map.of(),
                SettingsHistory.UNKNOWN,
                Set.of(),
                Map.of());
    }

    /** Returns the same report with more findings. */
    public AuditReport with(List<Finding> more) {
        List<Finding> all = new ArrayList<>(findings);
        all.addAll(more);
        return new AuditReport(
                chain,
                entries,
                verified,
                removed,
                hidden,
                head,
                all,
                omitted,
                contradicted,
                settings,
                rules,
                uncompared);
    }

    /** Returns whether this is the store's own chain. */
    public boolean isOfStore() {
        return chain.equals(ChainIdentity.STORE_BUCKET + "/" + ChainIdentity.STORE_KEY);
    }

    public boolean isClean() {
        return findings.isEmpty();
    }
}
