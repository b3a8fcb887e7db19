package io.volute.provenance.secrecy;

import io.volute.provenance.format.ByteWriter;
import io.volute.provenance.format.Hash;
import io.volute.provenance.record.Entry;

/** The entry that something secret belongs to; keys are derived for it alone. */
public record Place(Hash chainId, long sequence) {
    public static Place of(Entry entry) {
        return new Place(entry.placement().chainId(), entry.sequence());
    }

    void encode(ByteWriter out) {
        out.hash(chainId).u64(sequence);
    }
}
