package io.volute.provenance.keys;

import io.volute.provenance.format.ByteReader;
import io.volute.provenance.format.ByteWriter;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Domain;
import io.volute.provenance.format.Hash;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.record.ChainIdentity;
import io.volute.provenance.record.Entry;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.provenance.record.Signatures;

/**
 * One line of the key list: a key comes in, or ends sooner.
 *
 * @param previous hash of the record before, zeros for the first
 * @param commitSequence when the record was made
 */
public record KeyRecord(
        long number,
        Hash previous,
        Bytes storeId,
        long commitSequence,
        KeyGrant grant,
        Signatures signatures) {
    private static final int OWNER_BYTES_MAX = 1024;

    public Bytes signedBytes() {
        return writeSigned().toBytes();
    }

    public Hash hash() {
        return Domain.KEY_RECORD.hash(signedBytes());
    }

    KeyRecord signedBy(SigningKey key) {
        Bytes signature = key.sign(Domain.KEY_RECORD_SIGNATURE, signedBytes());
        return new KeyRecord(
                number,
                previous,
                storeId,
                commitSequence,
                grant,
                signatures.with(key.id(), signature));
    }

    /** Returns whether this record has a valid signature of a key. */
    boolean isSignedBy(PublicKey key) {
        return signatures
                .of(key.id())
                .filter(each -> key.verifies(Domain.KEY_RECORD_SIGNATURE, signedBytes(), each))
                .isPresent();
    }

    private ByteWriter writeSigned() {
        return new ByteWriter()
                .u8(Entry.VERSION)
                .u64(number)
                .hash(previous)
                .raw(storeId)
                .u64(commitSequence)
                .u8(grant.role().ordinal() + 1)
                .u8(grant.key().algorithm().code())
                .bytes16(grant.key().bytes())
                .text(grant.owner())
                .u64(grant.validFrom())
                .u64(grant.validUntil());
    }

    public Bytes encode() {
        ByteWriter out = writeSigned();
        signatures.encode(out);
        return out.toBytes();
    }

    public static KeyRecord decode(Bytes bytes) throws RefusedException {
        ByteReader in = new ByteReader(bytes, "key record");
        in.only(Entry.VERSION, "version");
        long number = in.u64("number");
        Hash previous = in.hash("hash of the record before");
        Bytes storeId = in.raw(ChainIdentity.STORE_ID_BYTES, "store id");
        long commitSequence = in.u64("commit sequence");
        int role = in.u8("role");
        if (role < 1 || role > KeyRole.values().length) {
            throw in.refused("role " + role + " is unknown");
        }
        SignatureAlgorithm algorithm = SignatureAlgorithm.decodeOfKey(in);
        if (algorithm.signs() == (KeyRole.values()[role - 1] == KeyRole.AUDITOR)) {
            throw in.refused(algorithm + " for the role " + role);
        }
        int length = algorithm.publicKeyBytes();
        PublicKey key = new PublicKey(algorithm, in.bytes16(length, length, "public key"));
        KeyGrant grant =
                new KeyGrant(
                        key,
                        KeyRole.values()[role - 1],
                        in.text(0, OWNER_BYTES_MAX, "owner"),
                        in.u64("valid from"),
                        in.u64("valid until"));
        Signatures signatures = Signatures.decode(in);
        in.end();
        return new KeyRecord(number, previous, storeId, commitSequence, grant, signatures);
    }
}
