package io.volute.provenance.record;

import io.volute.provenance.format.ByteReader;
import io.volute.provenance.format.ByteWriter;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.RefusedException;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Signatures of several keys under the same bytes, at most 16. */
public record Signatures(SortedMap<SignerId, Bytes> bySigner) {
    public static final Signatures NONE = new Signatures(new TreeMap<>());
    private static final int COUNT_MAX = 16;

    public Signatures {
        bySigner = Collections.unmodifiableSortedMap(new TreeMap<>(bySigner));
        if (bySigner.size() > COUNT_MAX) {
            throw new IllegalArgumentException("at most 16 signatures");
        }
    }

    public Optional<Bytes> of(SignerId signer) {
        return Optional.ofNullable(bySigner.get(signer));
    }

    /** Returns a copy with one more signature. */
    public Signatures with(SignerId signer, Bytes signature) {
        TreeMap<SignerId, Bytes> more = new TreeMap<>(bySigner);
        more.put(signer, signature);
        return new Signatures(more);
    }

    public void encode(ByteWriter out) {
        out.u8(bySigner.size());
        bySigner.forEach(
                (signer, signature) -> {
                    signer.encode(out);
                    out.bytes16(signature);
                });
    }

    public static Signatures decode(ByteReader in) throws RefusedException {
        int count = in.count(COUNT_MAX, "signatures");
        TreeMap<SignerId, Bytes> signatures = new TreeMap<>();
        for (int i = 0; i < count; i++) {
            SignerId signer = SignerId.decode(in);
            if (!signatures.isEmpty() && signatures.lastKey().compareTo(signer) >= 0) {
                throw in.refused("signatures out of order");
            }
            int bytes = signer.algorithm().signatureBytes();
            signatures.put(signer, in.bytes16(bytes, bytes, "signature"));
        }
        return new Signatures(signatures);
    }
}
