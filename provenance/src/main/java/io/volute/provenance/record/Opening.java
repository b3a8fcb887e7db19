package io.volute.provenance.record;

import io.volute.provenance.format.ByteWriter;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Domain;
import io.volute.provenance.format.Hash;

/**
 * What a commitment hides.
 *
 * @param r 32 bytes, random, so that nobody finds the text by trying
 */
public record Opening(Bytes r, Bytes text) {
    public static final int R_BYTES = 32;

    public Opening {
        if (r.length() != R_BYTES) {
            throw new IllegalArgumentException("r has 32 bytes");
        }
    }

    public Hash commitment() {
        return Domain.COMMITMENT.hash(new ByteWriter().raw(r).raw(text).toBytes());
    }

    public Field field() {
        return Field.commitment(commitment());
    }
}
