package io.volute.server.encryption;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.secrecy.Aead;
import java.util.OptionalLong;

/**
 * A data key as it lies beside its object.
 *
 * @param name of the named key; empty when the customer's key takes its place
 * @param version of the named key, from 1 on
 * @param bucketId of the bucket whose leaf the key hangs on; empty for an older one, by the
 *     bucket's name
 * @param generation how often the object's key had been shredded when it was wrapped
 * @param context the associated data of the encryption
 */
public record WrappedKey(
        String name,
        int version,
        OptionalLong bucketId,
        int generation,
        EncryptionContext context,
        Form form) {

    /** The encrypted data key. */
    public sealed interface Form {}

    /**
     * A data key that the {@link Keyring} encrypted.
     *
     * @param nonce 12 bytes
     * @param encrypted 32 bytes and a tag of 16
     */
    public record ByKeyring(Bytes nonce, Bytes encrypted) implements Form {
        static final int BYTES = Aead.NONCE_BYTES + Aead.KEY_BYTES + Aead.TAG_BYTES;

        public ByKeyring {
            if (nonce.length() != Aead.NONCE_BYTES
                    || encrypted.length() != Aead.KEY_BYTES + Aead.TAG_BYTES) {
                throw new IllegalArgumentException(
                        "a wrapped key has a nonce of 12 bytes and 48 encrypted ones");
            }
        }
    }

    /**
     * A data key that the erasure secret of its object encrypts, and then a {@link KeyService}.
     *
     * @param ciphertext in the form of the service
     */
    public record ByService(String ciphertext) implements Form {}
}
