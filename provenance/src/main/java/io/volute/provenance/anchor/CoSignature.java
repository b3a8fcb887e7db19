package io.volute.provenance.anchor;

import io.volute.provenance.format.ByteReader;
import io.volute.provenance.format.ByteWriter;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Domain;
import io.volute.provenance.format.Hash;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.keys.PublicKey;
import io.volute.provenance.keys.SigningKey;
import io.volute.provenance.record.ChainIdentity;
import io.volute.provenance.record.SignerId;
import java.util.Optional;

/**
 * The co-signature of a witness for one checkpoint, in a separate file beside it. Only the
 * signature is evidence. The other fields identify the checkpoint, so that a reader recognises a
 * swapped file.
 *
 * @param storeId 16 bytes
 * @param number of the checkpoint
 * @param checkpoint its hash
 * @param signer the witness's key
 * @param signature over the checkpoint's body
 */
public record CoSignature(
        Bytes storeId, long number, Hash checkpoint, SignerId signer, Bytes signature) {
    private static final Bytes MAGIC = new ByteWriter().raw(Bytes.of("VOLCOSIG")).u8(1).toBytes();

    /** Signs a checkpoint that the witness has verified. */
    public static CoSignature of(Checkpoint seen, SigningKey witness) {
        return new CoSignature(
                seen.body().storeId(),
                seen.body().number(),
                seen.hash(),
                witness.id(),
                witness.sign(Domain.WITNESS_SIGNATURE, seen.signedBytes()));
    }

    /** The one of this key that a checkpoint itself holds. */
    public static Optional<CoSignature> within(Checkpoint checkpoint, SignerId witness) {
        return checkpoint
                .witnesses()
                .of(witness)
                .map(
                        each ->
                                new CoSignature(
                                        checkpoint.body().storeId(),
                                        checkpoint.body().number(),
                                        checkpoint.hash(),
                                        witness,
                                        each));
    }

    /**
     * Whether this witness has co-signed this checkpoint.
     *
     * @return what speaks against it, and the likely cause; empty when nothing does
     */
    public Optional<String> wrong(Checkpoint with, PublicKey witness) {
        Checkpoint.Body body = with.body();
        if (!signer.equals(witness.id())) {
            return Optional.of("is by another key, " + signer + ": the file of another witness");
        }
        if (!storeId.equals(body.storeId())) {
            return Optional.of("is of a checkpoint of another store");
        }
        if (number != body.number()) {
            return Optional.of(
                    "is of checkpoint "
                            + number
                            + ", not "
                            + body.number()
                            + ": that of another one was put in its place");
        }
        if (!checkpoint.equals(with.hash())) {
            return Optional.of(
                    "is of another checkpoint "
                            + number
                            + ": the history was forked, or the checkpoint replaced after it was"
                            + " co-signed");
        }
        boolean isGood = witness.verifies(Domain.WITNESS_SIGNATURE, with.signedBytes(), signature);
        return isGood
                ? Optional.empty()
                : Optional.of("was not made with that key over this checkpoint: forged or changed");
    }

    public Bytes encode() {
        ByteWriter out = new ByteWriter().raw(MAGIC).raw(storeId).u64(number).hash(checkpoint);
        signer.encode(out);
        return out.bytes16(signature).toBytes();
    }

    /**
     * @throws RefusedException when it is cut off, too long or no such file
     */
    public static CoSignature decode(Bytes bytes) throws RefusedException {
        ByteReader in = new ByteReader(bytes, "co-signature");
        if (!in.raw(MAGIC.length(), "beginning").equals(MAGIC)) {
            throw in.refused("no co-signature, or of another version");
        }
        Bytes storeId = in.raw(ChainIdentity.STORE_ID_BYTES, "store id");
        long number = in.u64("number");
        Hash checkpoint = in.hash("hash of the checkpoint");
        SignerId signer = SignerId.decode(in);
        int length = signer.algorithm().signatureBytes();
        Bytes signature = in.bytes16(length, length, "signature");
        in.end();
        return new CoSignature(storeId, number, checkpoint, signer, signature);
    }
}
