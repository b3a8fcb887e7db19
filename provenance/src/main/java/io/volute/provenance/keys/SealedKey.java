package io.volute.provenance.keys;

import io.volute.provenance.format.ByteReader;
import io.volute.provenance.format.ByteWriter;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Domain;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.record.ChainIdentity;
import io.volute.provenance.record.SignerId;
import io.volute.provenance.secrecy.Aead;
import java.security.SecureRandom;

/**
 * A signing key, encrypted with the master key: it can lie in the store. It opens only as the key
 * that it names, and only for its store. Thread-safe.
 *
 * <pre>
 *   u8 version 1 | u8 algorithm | h32 key id | 12 bytes nonce | 48 bytes encrypted seed with tag
 * </pre>
 *
 * @param id of the key that is in it
 * @param nonce random, new for each sealing
 * @param encrypted the seed, with tag
 */
public record SealedKey(SignerId id, Bytes nonce, Bytes encrypted) {
    private static final int VERSION = 1;
    private static final int ENCRYPTED_BYTES = SigningKey.SEED_BYTES + Aead.TAG_BYTES;

    public SealedKey {
        if (nonce.length() != Aead.NONCE_BYTES || encrypted.length() != ENCRYPTED_BYTES) {
            throw new IllegalArgumentException(
                    "a sealed key has a nonce of 12 bytes and 48 encrypted ones");
        }
    }

    /**
     * @param storeId 16 bytes
     */
    public static SealedKey seal(
            SigningKey key, Bytes storeId, MasterKey master, SecureRandom random) {
        byte[] fresh = new byte[Aead.NONCE_BYTES];
        random.nextBytes(fresh);
        Bytes nonce = Bytes.of(fresh);
        Bytes encrypted = master.encrypt(nonce, associated(key.id(), storeId), key.seed());
        return new SealedKey(key.id(), nonce, encrypted);
    }

    /**
     * Decrypts the key.
     *
     * @param storeId 16 bytes
     * @throws RefusedException if another master key or store sealed the key, or the file was
     *     changed; these causes are indistinguishable
     */
    public SigningKey open(MasterKey master, Bytes storeId) throws RefusedException {
        Bytes seed =
                master.decrypt(nonce, associated(id, storeId), encrypted)
                        .orElseThrow(
                                () ->
                                        new RefusedException(
                                                "signing key "
                                                        + id
                                                        + " of store "
                                                        + storeId.hex()
                                                        + " was sealed with another master key,"
                                                        + " or is damaged"));
        return SigningKey.ofSeed(id.algorithm(), seed);
    }

    private static Bytes associated(SignerId id, Bytes storeId) {
        if (storeId.length() != ChainIdentity.STORE_ID_BYTES) {
            throw new IllegalArgumentException("a store id has 16 bytes");
        }
        ByteWriter out = new ByteWriter().raw(Domain.prefix("sealed-key")).u8(VERSION);
        id.encode(out);
        return out.raw(storeId).toBytes();
    }

    public Bytes encode() {
        ByteWriter out = new ByteWriter().u8(VERSION);
        id.encode(out);
        return out.raw(nonce).raw(encrypted).toBytes();
    }

    public static SealedKey decode(Bytes bytes) throws RefusedException {
        ByteReader in = new ByteReader(bytes, "sealed key");
        in.only(VERSION, "version");
        SealedKey sealed =
                new SealedKey(
                        SignerId.decode(in),
                        in.raw(Aead.NONCE_BYTES, "nonce"),
                        in.raw(ENCRYPTED_BYTES, "encrypted seed"));
        in.end();
        return sealed;
    }

    @Override
    public String toString() {
        return "sealed key " + id;
    }
}
