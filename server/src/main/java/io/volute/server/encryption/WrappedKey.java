package io.volute.server.encryption;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.secrecy.Aead;

/**
 * A data key as it lies beside its object, encrypted by the {@link Keyring}.
 *
 * @param name of the named key; empty when the customer's key takes its place
 * @param version of the named key, from 1 on
 * @param generation how often the object's key had been shredded when it was wrapped
 * @param context the associated data of the encryption
 * @param nonce 12 bytes
 * @param encrypted 32 bytes and a tag of 16
 */
public record WrappedKey(
        String name,
        int version,
        int generation,
        EncryptionContext context,
        Bytes nonce,
        Bytes encrypted) {
    private static final int ENCRYPTED_BYTES = Aead.KEY_BYTES + Aead.TAG_BYTES;

    public WrappedKey {
        if (nonce.length() != Aead.NONCE_BYTES || encrypted.length() != ENCRYPTED_BYTES) {
            throw new IllegalArgumentException(
                    "a wrapped key has a nonce of 12 bytes and 48 encrypted ones");
        }
    }
}
