package io.volute.provenance.anchor;

import io.volute.provenance.format.ByteReader;
import io.volute.provenance.format.ByteWriter;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Domain;
import io.volute.provenance.format.Hash;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.keys.KeyList;
import io.volute.provenance.keys.SigningKey;
import io.volute.provenance.record.ChainIdentity;
import io.volute.provenance.record.Entry;
import io.volute.provenance.record.Signatures;
import io.volute.provenance.record.SignerId;
import java.util.List;
import java.util.Optional;

/**
 * All chains of a store at one commit, signed, and chained to the checkpoint before.
 *
 * @param signatures of the store
 * @param witnesses co-signatures of others; they may come later
 */
public record Checkpoint(Body body, Signatures signatures, Signatures witnesses) {
    /**
     * The signed part of a checkpoint.
     *
     * @param previous hash of the checkpoint before, zeros for number 0
     * @param timeMillis since 1970 UTC
     * @param keyRecords records of the key list then
     * @param keyHash hash of the last of them
     */
    public record Body(
            Bytes storeId,
            long number,
            Hash previous,
            long timeMillis,
            long commitSequence,
            Hash mapRoot,
            long heads,
            long keyRecords,
            Hash keyHash,
            List<SignerId> signers) {
        public Body {
            signers = List.copyOf(signers);
            if (!SignerId.areCanonical(signers)) {
                throw new IllegalArgumentException("1 to 4 different signers, ascending");
            }
        }
    }

    /** Fixes a map, with a signature of each key. */
    public static Checkpoint sign(
            Optional<Checkpoint> before,
            long timeMillis,
            long commitSequence,
            MapRoot map,
            KeyList keys,
            List<SigningKey> signers) {
        Body body =
                new Body(
                        keys.storeId(),
                        before.map(each -> each.body.number + 1).orElse(0L),
                        before.map(Checkpoint::hash).orElse(Hash.ZERO),
                        timeMillis,
                        commitSequence,
                        map.root(),
                        map.heads(),
                        keys.size(),
                        keys.hash(keys.size()),
                        signers.stream().map(SigningKey::id).sorted().toList());
        Bytes signed = writeBody(body).toBytes();
        Signatures signatures = Signatures.NONE;
        for (SigningKey key : signers) {
            signatures = signatures.with(key.id(), key.sign(Domain.CHECKPOINT_SIGNATURE, signed));
        }
        return new Checkpoint(body, signatures, Signatures.NONE);
    }

    /** Returns a copy of this checkpoint with the co-signature of a witness. */
    public Checkpoint witnessed(SigningKey witness) {
        Bytes signature = witness.sign(Domain.WITNESS_SIGNATURE, signedBytes());
        return new Checkpoint(body, signatures, witnesses.with(witness.id(), signature));
    }

    /** Returns the root of the map of all chains at the time of this checkpoint. */
    public MapRoot map() {
        return new MapRoot(body.mapRoot, body.heads);
    }

    public Bytes signedBytes() {
        return writeBody(body).toBytes();
    }

    public Hash hash() {
        return Domain.CHECKPOINT.hash(signedBytes());
    }

    private static ByteWriter writeBody(Body body) {
        ByteWriter out =
                new ByteWriter()
                        .u8(Entry.VERSION)
                        .u8(Entry.HASH_SHA_256)
                        .raw(body.storeId)
                        .u64(body.number)
                        .hash(body.previous)
                        .u64(body.timeMillis)
                        .u64(body.commitSequence)
                        .hash(body.mapRoot)
                        .u64(body.heads)
                        .u64(body.keyRecords)
                        .hash(body.keyHash);
        SignerId.encodeAll(body.signers, out);
        return out;
    }

    public Bytes encode() {
        ByteWriter out = writeBody(body);
        signatures.encode(out);
        witnesses.encode(out);
        return out.toBytes();
    }

    public static Checkpoint decode(Bytes bytes) throws RefusedException {
        ByteReader in = new ByteReader(bytes, "checkpoint");
        in.only(Entry.VERSION, "version");
        in.only(Entry.HASH_SHA_256, "hash algorithm");
        Body body =
                new Body(
                        in.raw(ChainIdentity.STORE_ID_BYTES, "store id"),
                        in.u64("number"),
                        in.hash("hash of the checkpoint before"),
                        in.u64("time"),
                        in.u64("commit sequence"),
                        in.hash("root of the map"),
                        in.u64("heads"),
                        in.u64("key records"),
                        in.hash("hash of the key list"),
                        SignerId.decodeAll(in));
        Checkpoint checkpoint = new Checkpoint(body, Signatures.decode(in), Signatures.decode(in));
        in.end();
        return checkpoint;
    }
}
