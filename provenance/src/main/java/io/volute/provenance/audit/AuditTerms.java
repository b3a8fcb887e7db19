package io.volute.provenance.audit;

import io.volute.provenance.keys.KeyList;
import io.volute.provenance.record.ChainHead;
import io.volute.provenance.record.SignatureAlgorithm;
import java.util.List;
import java.util.Set;

/**
 * What an auditor knows and asks for.
 *
 * @param acceptsSummaries whether entries may be gone from chains of construction 2
 * @param required algorithms that must be among each entry's signers
 * @param heads of this chain, from checkpoints that the auditor trusts
 */
public record AuditTerms(
        KeyList keys,
        AuditScope scope,
        boolean acceptsSummaries,
        Set<SignatureAlgorithm> required,
        List<ChainHead> heads,
        Contents contents) {
    public AuditTerms {
        required = Set.copyOf(required);
        heads = List.copyOf(heads);
    }

    /** Everything is looked at, nothing may be gone. */
    public static AuditTerms of(KeyList keys) {
        return new AuditTerms(
                keys, new AuditScope.Linear(), false, Set.of(), List.of(), Contents.UNKNOWN);
    }

    public AuditTerms with(AuditScope other) {
        return new AuditTerms(keys, other, acceptsSummaries, required, heads, contents);
    }

    public AuditTerms acceptingSummaries() {
        return new AuditTerms(keys, scope, true, required, heads, contents);
    }

    public AuditTerms requiring(SignatureAlgorithm... algorithms) {
        return requiring(Set.of(algorithms));
    }

    public AuditTerms requiring(Set<SignatureAlgorithm> algorithms) {
        return new AuditTerms(keys, scope, acceptsSummaries, algorithms, heads, contents);
    }

    public AuditTerms with(ChainHead... trusted) {
        return new AuditTerms(keys, scope, acceptsSummaries, required, List.of(trusted), contents);
    }

    public AuditTerms with(Contents compared) {
        return new AuditTerms(keys, scope, acceptsSummaries, required, heads, compared);
    }
}
