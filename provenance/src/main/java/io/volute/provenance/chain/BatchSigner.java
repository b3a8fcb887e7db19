package io.volute.provenance.chain;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Domain;
import io.volute.provenance.keys.SigningKey;
import io.volute.provenance.record.BatchRecord;
import io.volute.provenance.record.EntryRecord;
import io.volute.provenance.record.Signatures;
import io.volute.provenance.record.SignerId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Signs all entries of a commit at once, with one key or several. Thread-safe. */
public final class BatchSigner {
    private final List<SigningKey> keys;
    private final List<SignerId> ids;

    /** A signed batch; the records are in the order of the entries. */
    public record Signed(BatchRecord batch, List<EntryRecord> records) {}

    /**
     * @throws IllegalArgumentException when there are not 1 to 4 different keys
     */
    public BatchSigner(List<SigningKey> keys) {
        this.keys = keys.stream().sorted(Comparator.comparing(SigningKey::id)).toList();
        ids = this.keys.stream().map(SigningKey::id).toList();
        if (!SignerId.areCanonical(ids)) {
            throw new IllegalArgumentException("1 to 4 different keys sign");
        }
    }

    /** Returns the ids of the keys, which entries for this signer name as their signers. */
    public List<SignerId> ids() {
        return ids;
    }

    /**
     * @throws IllegalArgumentException when there is no entry, or one that names other signers
     */
    public Signed sign(List<PendingEntry> entries) {
        if (entries.stream().anyMatch(each -> !ids.containsAll(each.entry().signers()))) {
            throw new IllegalArgumentException("an entry names a signer that does not sign here");
        }
        BatchTree tree = new BatchTree(entries.stream().map(PendingEntry::link).toList());
        List<EntryRecord> records = new ArrayList<>(entries.size());
        for (int i = 0; i < entries.size(); i++) {
            records.add(entries.get(i).signed(tree.path(i)));
        }
        return new Signed(sign(entries.getFirst().chain().storeId(), tree), records);
    }

    /** Signs links, of entries that all name these signers. */
    public BatchRecord sign(Bytes storeId, BatchTree tree) {
        BatchRecord unsigned =
                new BatchRecord(storeId, tree.leaves(), tree.root(), Signatures.NONE);
        Bytes signed = unsigned.signedBytes();
        Signatures signatures = Signatures.NONE;
        for (SigningKey key : keys) {
            signatures = signatures.with(key.id(), key.sign(Domain.BATCH_SIGNATURE, signed));
        }
        return new BatchRecord(storeId, tree.leaves(), tree.root(), signatures);
    }
}
