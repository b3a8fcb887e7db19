package io.volute.provenance.record;

import io.volute.provenance.format.ByteReader;
import io.volute.provenance.format.ByteWriter;
import io.volute.provenance.format.Hash;
import io.volute.provenance.format.RefusedException;

/** The last entry of a chain at some time. */
public record ChainHead(long sequence, Hash link) {
    public void encode(ByteWriter out) {
        out.u64(sequence).hash(link);
    }

    public static ChainHead decode(ByteReader in) throws RefusedException {
        return new ChainHead(in.u64("head sequence"), in.hash("head link"));
    }
}
