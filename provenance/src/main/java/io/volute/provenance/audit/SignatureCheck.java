package io.volute.provenance.audit;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.provenance.keys.KeyGrant;
import io.volute.provenance.keys.KeyRole;
import io.volute.provenance.record.ChainIdentity;
import io.volute.provenance.record.Entry;
import io.volute.provenance.record.EntryRecord;
import io.volute.provenance.record.Field;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.provenance.record.SignerId;
import java.util.Optional;

/** Checks that every required signer signed an entry's batch with a key valid at that time. */
final class SignatureCheck {
    private final ChainIdentity chain;
    private final AuditTerms terms;
    private final BatchRegister batches;
    private final Findings findings;

    SignatureCheck(
            ChainIdentity chain, AuditTerms terms, BatchRegister batches, Findings findings) {
        this.chain = chain;
        this.terms = terms;
        this.batches = batches;
        this.findings = findings;
    }

    void check(EntryRecord record, Hash link) {
        Entry entry = record.entry();
        for (SignatureAlgorithm algorithm : terms.required()) {
            if (entry.signers().stream().noneMatch(each -> each.algorithm() == algorithm)) {
                findings.add(
                        entry.sequence(), Cause.BAD_SIGNATURE, "names no signer of " + algorithm);
            }
        }
        Optional<Hash> root = record.path().root(link);
        int leaves = record.path().leaves();
        if (root.isEmpty() || !batches.has(chain.storeId(), root.get(), leaves)) {
            findings.add(entry.sequence(), Cause.ALTERED, "no signature matches this entry");
            return;
        }
        for (SignerId signer : entry.signers()) {
            check(entry, signer, root.get(), leaves);
        }
    }

    private void check(Entry entry, SignerId signer, Hash root, int leaves) {
        Optional<KeyGrant> grant = terms.keys().find(signer);
        if (grant.isEmpty()) {
            findings.add(entry.sequence(), Cause.UNKNOWN_KEY, signer.toString());
            return;
        }
        long commit = entry.placement().commitSequence();
        // The entry was not there at the checkpoint, whatever commit it claims.
        long least = Math.max(commit, terms.trust().lackedAt(entry.sequence()).orElse(commit));
        if (!grant.get().isValidAt(commit) || !grant.get().isValidAt(least)) {
            findings.add(entry.sequence(), Cause.EXPIRED_KEY, signer.toString());
        }
        if (grant.get().role() != KeyRole.STORE) {
            findings.add(
                    entry.sequence(),
                    isInOwnName(grant.get(), entry) ? Cause.NOT_OF_STORE : Cause.FOREIGN_NAME,
                    signer + " is of " + grant.get().role() + " " + grant.get().owner());
        }
        Bytes storeId = chain.storeId();
        if (!batches.isSigned(storeId, root, leaves, grant.get().key(), signer)) {
            findings.add(entry.sequence(), Cause.BAD_SIGNATURE, signer.toString());
        }
    }

    private static boolean isInOwnName(KeyGrant grant, Entry entry) {
        return grant.role() == KeyRole.PRINCIPAL
                && entry.principal().equals(Field.plain(grant.owner()));
    }
}
