package io.volute.provenance.audit;

import io.volute.provenance.keys.KeyList;
import io.volute.provenance.record.ChainHead;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.provenance.secrecy.EntryReader;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What an auditor knows and asks for.
 *
 * @param acceptsSummaries whether entries may be gone from chains of construction 2
 * @param required algorithms that must be among each entry's signers
 * @param heads of this chain, from checkpoints that the auditor trusts
 * @param since one of them, from which on entries are looked at; before it they are not. Empty: all
 * @param reader reads what is encrypted for the auditor, so that it is compared too
 */
public record AuditTerms(
        KeyList keys,
        AuditScope scope,
        boolean acceptsSummaries,
        Set<SignatureAlgorithm> required,
        List<ChainHead> heads,
        Optional<ChainHead> since,
        Contents contents,
        Optional<EntryReader> reader) {
    public AuditTerms {
        if (since.isPresent() && !(scope instanceof AuditScope.Linear)) {
            throw new IllegalArgumentException("from a head on all entries are looked at");
        }
        required = Set.copyOf(required);
        heads = List.copyOf(heads);
    }

    /** Everything is looked at, nothing may be gone. */
    public static AuditTerms of(KeyList keys) {
        return new AuditTerms(
                keys,
                new AuditScope.Linear(),
                false,
                Set.of(),
                List.of(),
                Optional.empty(),
                Contents.UNKNOWN,
                Optional.empty());
    }

    public AuditTerms with(AuditScope other) {
        return new AuditTerms(
                keys, other, acceptsSummaries, required, heads, since, contents, reader);
    }

    public AuditTerms acceptingSummaries() {
        return new AuditTerms(keys, scope, true, required, heads, since, contents, reader);
    }

    public AuditTerms requiring(SignatureAlgorithm... algorithms) {
        return requiring(Set.of(algorithms));
    }

    public AuditTerms requiring(Set<SignatureAlgorithm> algorithms) {
        return new AuditTerms(
                keys, scope, acceptsSummaries, algorithms, heads, since, contents, reader);
    }

    public AuditTerms with(ChainHead... trusted) {
        return new AuditTerms(
                keys, scope, acceptsSummaries, required, List.of(trusted), since, contents, reader);
    }

    /** From the last entry on that a trusted checkpoint has. */
    public AuditTerms since(ChainHead trusted) {
        List<ChainHead> known = List.of(trusted);
        return new AuditTerms(
                keys,
                scope,
                acceptsSummaries,
                required,
                known,
                Optional.of(trusted),
                contents,
                reader);
    }

    public AuditTerms with(Contents compared) {
        return new AuditTerms(
                keys, scope, acceptsSummaries, required, heads, since, compared, reader);
    }

    public AuditTerms with(EntryReader reading) {
        Optional<EntryReader> own = Optional.of(reading);
        return new AuditTerms(keys, scope, acceptsSummaries, required, heads, since, contents, own);
    }
}
