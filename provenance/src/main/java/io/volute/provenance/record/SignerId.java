package io.volute.provenance.record;

import io.volute.provenance.format.ByteReader;
import io.volute.provenance.format.ByteWriter;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Domain;
import io.volute.provenance.format.Hash;
import io.volute.provenance.format.RefusedException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Names a key: its algorithm and the hash of its public half. */
public record SignerId(SignatureAlgorithm algorithm, Hash keyId) implements Comparable<SignerId> {
    /** Signers of one entry. */
    public static final int COUNT_MAX = 4;

    private static final Comparator<SignerId> ORDER =
            Comparator.comparing(SignerId::algorithm).thenComparing(SignerId::keyId);

    public static SignerId of(SignatureAlgorithm algorithm, Bytes publicKey) {
        Bytes bytes = new ByteWriter().u8(algorithm.code()).raw(publicKey).toBytes();
        return new SignerId(algorithm, Domain.KEY.hash(bytes));
    }

    public void encode(ByteWriter out) {
        out.u8(algorithm.code()).hash(keyId);
    }

    public static SignerId decode(ByteReader in) throws RefusedException {
        return new SignerId(SignatureAlgorithm.decode(in), in.hash("key id"));
    }

    /** A u8 with their number, then the signers. */
    public static void encodeAll(List<SignerId> signers, ByteWriter out) {
        out.u8(signers.size());
        signers.forEach(signer -> signer.encode(out));
    }

    public static List<SignerId> decodeAll(ByteReader in) throws RefusedException {
        int count = in.count(COUNT_MAX, "signers");
        List<SignerId> signers = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            signers.add(decode(in));
        }
        if (!areCanonical(signers)) {
            throw in.refused("signers are missing or out of order");
        }
        return List.copyOf(signers);
    }

    /** Returns whether there are 1 to 4 signers in strictly ascending order. */
    public static boolean areCanonical(List<SignerId> signers) {
        for (int i = 1; i < signers.size(); i++) {
            if (signers.get(i - 1).compareTo(signers.get(i)) >= 0) {
                return false;
            }
        }
        return !signers.isEmpty() && signers.size() <= COUNT_MAX;
    }

    @Override
    public int compareTo(SignerId other) {
        return ORDER.compare(this, other);
    }

    @Override
    public String toString() {
        return algorithm + ":" + keyId.hex().substring(0, 16);
    }
}
