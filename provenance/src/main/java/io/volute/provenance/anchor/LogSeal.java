package io.volute.provenance.anchor;

import io.volute.provenance.format.ByteReader;
import io.volute.provenance.format.ByteWriter;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Domain;
import io.volute.provenance.format.Hash;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.keys.KeyGrant;
import io.volute.provenance.keys.KeyList;
import io.volute.provenance.keys.KeyRole;
import io.volute.provenance.keys.SigningKey;
import io.volute.provenance.record.ChainIdentity;
import io.volute.provenance.record.Entry;
import io.volute.provenance.record.Signatures;
import io.volute.provenance.record.SignerId;
import java.util.ArrayList;
import java.util.List;

/**
 * A line of a hash-linked log, signed by the store: through its links it vouches for all lines
 * before it. Bytes: docs/format/provenance.md.
 *
 * @param signatures of the store
 */
public record LogSeal(Body body, Signatures signatures) {
    /**
     * The signed part of a seal.
     *
     * @param storeId 16 bytes
     * @param sequence number of the line
     * @param hash of the line
     * @param timeMillis since 1970 UTC
     * @param commitSequence of the store then: the signers' keys must be valid at it
     */
    public record Body(
            Bytes storeId,
            long sequence,
            Hash hash,
            long timeMillis,
            long commitSequence,
            List<SignerId> signers) {
        public Body {
            signers = List.copyOf(signers);
            if (storeId.length() != ChainIdentity.STORE_ID_BYTES
                    || !SignerId.areCanonical(signers)) {
                throw new IllegalArgumentException(
                        "a store id of 16 bytes, and 1 to 4 different signers, ascending");
            }
        }

        private Bytes encode() {
            ByteWriter out =
                    new ByteWriter()
                            .u8(Entry.VERSION)
                            .u8(Entry.HASH_SHA_256)
                            .raw(storeId)
                            .u64(sequence)
                            .hash(hash)
                            .u64(timeMillis)
                            .u64(commitSequence);
            SignerId.encodeAll(signers, out);
            return out.toBytes();
        }
    }

    /**
     * Signs a line with each key.
     *
     * @param keys of one store, valid at the commit sequence; in any order
     */
    public static LogSeal sign(
            Bytes storeId,
            long sequence,
            Hash hash,
            long timeMillis,
            long commitSequence,
            List<SigningKey> keys) {
        List<SignerId> signers = keys.stream().map(SigningKey::id).sorted().toList();
        Body body = new Body(storeId, sequence, hash, timeMillis, commitSequence, signers);
        Bytes signed = body.encode();
        Signatures signatures = Signatures.NONE;
        for (SigningKey key : keys) {
            signatures = signatures.with(key.id(), key.sign(Domain.LOG_SEAL_SIGNATURE, signed));
        }
        return new LogSeal(body, signatures);
    }

    /**
     * Returns the errors of this seal under a key list; empty if there are none. The log reader
     * verifies that the seal belongs to its line.
     */
    public List<String> wrong(KeyList keys) {
        List<String> wrong = new ArrayList<>();
        if (!body.storeId.equals(keys.storeId())) {
            wrong.add("is of another store");
        }
        Bytes signed = body.encode();
        for (SignerId signer : body.signers) {
            boolean isSigned =
                    keys.find(signer)
                            .filter(each -> each.role() == KeyRole.STORE)
                            .filter(each -> each.isValidAt(body.commitSequence))
                            .filter(each -> isSigned(each, signed))
                            .isPresent();
            if (!isSigned) {
                wrong.add("is not signed by " + signer);
            }
        }
        return wrong;
    }

    private boolean isSigned(KeyGrant grant, Bytes signed) {
        return signatures
                .of(grant.key().id())
                .filter(each -> grant.key().verifies(Domain.LOG_SEAL_SIGNATURE, signed, each))
                .isPresent();
    }

    public Bytes encode() {
        ByteWriter out = new ByteWriter().raw(body.encode());
        signatures.encode(out);
        return out.toBytes();
    }

    public static LogSeal decode(Bytes bytes) throws RefusedException {
        ByteReader in = new ByteReader(bytes, "seal of a log");
        in.only(Entry.VERSION, "version");
        in.only(Entry.HASH_SHA_256, "hash algorithm");
        Body body =
                new Body(
                        in.raw(ChainIdentity.STORE_ID_BYTES, "store id"),
                        in.u64("sequence"),
                        in.hash("hash of the line"),
                        in.u64("time"),
                        in.u64("commit sequence"),
                        SignerId.decodeAll(in));
        LogSeal seal = new LogSeal(body, Signatures.decode(in));
        in.end();
        return seal;
    }
}
