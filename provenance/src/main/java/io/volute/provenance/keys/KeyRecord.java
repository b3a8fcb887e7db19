package io.volute.provenance.keys;

import io.volute.provenance.format.ByteReader;
import io.volute.provenance.format.ByteWriter;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Domain;
import io.volute.provenance.format.Hash;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.record.ChainIdentity;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.provenance.record.Signatures;
import io.volute.provenance.record.SignerId;
import java.util.List;

/**
 * One line of the key list: a key comes in, or ends sooner.
 *
 * @param version 1, or 2 since every algorithm in force signs
 * @param previous hash of the record before, zeros for the first
 * @param commitSequence when the record was made
 * @param firstKeys all keys with which the list begins, in ascending order; of the first record of
 *     version 2 alone, empty in others
 */
public record KeyRecord(
        int version,
        long number,
        Hash previous,
        Bytes storeId,
        long commitSequence,
        KeyGrant grant,
        List<SignerId> firstKeys,
        Signatures signatures) {
    /** The version of the records that are written. */
    static final int VERSION = 2;

    private static final int OWNER_BYTES_MAX = 1024;

    public KeyRecord {
        firstKeys = List.copyOf(firstKeys);
    }

    /**
     * Returns the identity of a list that begins with this record: its key, or a hash of its first
     * keys if there are several. An auditor must know it from elsewhere.
     */
    public SignerId root() {
        if (firstKeys.size() <= 1) {
            return grant.key().id();
        }
        ByteWriter keys = new ByteWriter();
        SignerId.encodeAll(firstKeys, keys);
        return new SignerId(grant.key().algorithm(), Domain.FIRST_KEYS.hash(keys.toBytes()));
    }

    public Bytes signedBytes() {
        return writeSigned().toBytes();
    }

    public Hash hash() {
        return Domain.KEY_RECORD.hash(signedBytes());
    }

    KeyRecord signedBy(SigningKey key) {
        Bytes signature = key.sign(Domain.KEY_RECORD_SIGNATURE, signedBytes());
        return new KeyRecord(
                version,
                number,
                previous,
                storeId,
                commitSequence,
                grant,
                firstKeys,
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
        ByteWriter out =
                new ByteWriter()
                        .u8(version)
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
        if (hasFirstKeys(version, number)) {
            SignerId.encodeAll(firstKeys, out);
        }
        return out;
    }

    private static boolean hasFirstKeys(int version, long number) {
        return version > 1 && number == 0;
    }

    public Bytes encode() {
        ByteWriter out = writeSigned();
        signatures.encode(out);
        return out.toBytes();
    }

    public static KeyRecord decode(Bytes bytes) throws RefusedException {
        ByteReader in = new ByteReader(bytes, "key record");
        int version = in.u8("version");
        if (version < 1 || version > VERSION) {
            throw in.refused("version " + version + " is unknown");
        }
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
        List<SignerId> firstKeys =
                hasFirstKeys(version, number) ? SignerId.decodeAll(in) : List.of();
        Signatures signatures = Signatures.decode(in);
        in.end();
        return new KeyRecord(
                version, number, previous, storeId, commitSequence, grant, firstKeys, signatures);
    }
}
