package io.volute.provenance.chain;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.provenance.record.BatchPath;
import io.volute.provenance.record.ChainIdentity;
import io.volute.provenance.record.Disclosure;
import io.volute.provenance.record.Entry;
import io.volute.provenance.record.EntryRecord;
import java.util.List;

/**
 * An entry that waits for its batch.
 *
 * @param link the link that the batch signature covers
 */
public record PendingEntry(
        ChainIdentity chain,
        Bytes encoded,
        Entry entry,
        List<Hash> links,
        Hash link,
        Disclosure disclosure) {
    /** Returns the record of this entry with its path in the signed batch. */
    public EntryRecord signed(BatchPath path) {
        return new EntryRecord(encoded, entry, links, path, disclosure);
    }
}
