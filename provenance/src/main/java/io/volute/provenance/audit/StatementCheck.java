package io.volute.provenance.audit;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Domain;
import io.volute.provenance.keys.KeyGrant;
import io.volute.provenance.keys.KeyRole;
import io.volute.provenance.record.Attestation;
import io.volute.provenance.record.ChainIdentity;
import io.volute.provenance.record.Disclosure;
import io.volute.provenance.record.Entry;
import io.volute.provenance.record.EntryRecord;
import io.volute.provenance.secrecy.Reading;
import java.util.LinkedHashSet;
import java.util.Optional;

/** Checks that the principal signed each entry in its name, and used each nonce only once. */
final class StatementCheck {
    private static final int NONCES_MAX = 65_536;

    private final ChainIdentity chain;
    private final AuditTerms terms;
    private final Findings findings;
    private final LinkedHashSet<Bytes> nonces = new LinkedHashSet<>();

    StatementCheck(ChainIdentity chain, AuditTerms terms, Findings findings) {
        this.chain = chain;
        this.terms = terms;
        this.findings = findings;
    }

    /**
     * @param reading what the auditor can read of it; without it, what everybody can
     */
    void check(EntryRecord record, Optional<Reading> reading) {
        Reading known = reading.orElseGet(() -> Reading.ofAnybody(record));
        record.entry().attestation().ifPresent(each -> check(record, known, each));
    }

    private void check(EntryRecord record, Reading reading, Attestation attestation) {
        Entry entry = record.entry();
        Optional<KeyGrant> grant = terms.keys().find(attestation.signer());
        if (grant.isEmpty() || grant.get().role() != KeyRole.PRINCIPAL) {
            findings.add(
                    entry.sequence(), Cause.BAD_ATTESTATION, attestation.signer() + " is unknown");
            return;
        }
        if (!grant.get().isValidAt(entry.placement().commitSequence())) {
            findings.add(entry.sequence(), Cause.EXPIRED_KEY, attestation.signer().toString());
        }
        Optional<Bytes> principal = reading.text(Disclosure.PRINCIPAL);
        if (principal.isPresent() && !principal.get().equals(Bytes.of(grant.get().owner()))) {
            findings.add(
                    entry.sequence(),
                    Cause.FOREIGN_NAME,
                    "attested with the key of " + grant.get().owner());
        }
        if (!grant.get()
                .key()
                .verifies(
                        Domain.STATEMENT_SIGNATURE,
                        attestation.statement(chain, entry),
                        attestation.signature())) {
            findings.add(entry.sequence(), Cause.BAD_ATTESTATION, "its signature does not fit");
        }
        if (!nonces.add(attestation.nonce())) {
            findings.add(
                    entry.sequence(), Cause.REPEATED_ATTESTATION, "nonce " + attestation.nonce());
        } else if (nonces.size() > NONCES_MAX) {
            nonces.removeFirst();
        }
    }

    StatementCheck copy(Findings into) {
        StatementCheck copy = new StatementCheck(chain, terms, into);
        copy.nonces.addAll(nonces);
        return copy;
    }
}
