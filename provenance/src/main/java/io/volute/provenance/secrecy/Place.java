package io.volute.provenance.secrecy;

import io.volute.provenance.format.ByteWriter;
import io.volute.provenance.format.Hash;

/** The entry that something secret belongs to; keys are derived for it alone. */
public record Place(Hash chainId, long sequence) {
    void encode(ByteWriter out) {
        out.hash(chainId).u64(sequence);
    }
}
