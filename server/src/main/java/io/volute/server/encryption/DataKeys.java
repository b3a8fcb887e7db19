package io.volute.server.encryption;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.secrecy.Aead;
import io.volute.server.encryption.KeyGoneException.Reason;
import io.volute.server.encryption.WrappedKey.ByKeyring;
import io.volute.server.encryption.WrappedKey.ByService;
import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;

/**
 * Makes, wraps and opens data keys. Named keys are in the keyring or, if there is a key service, in
 * that; the default key is always in the keyring. Thread-safe.
 *
 * @param service empty when all named keys are in the keyring
 */
public record DataKeys(Keyring keyring, Optional<KeyService> service) {

    /** A new data key and the form in which it lies beside its object. */
    public record Made(DataKey key, WrappedKey wrapped) {}

    /** Returns whether a named key exists. */
    public boolean has(String name) {
        return service.isPresent() && !name.equals(Keyring.DEFAULT_KEY)
                ? service.get().names().contains(name)
                : keyring.has(name);
    }

    /**
     * Makes a data key.
     *
     * @param name an existing named key
     * @throws KeyServiceException if the service does not encrypt it
     */
    public Made make(ObjectName object, String name, EncryptionContext context) throws IOException {
        DataKey key = keyring.newKey();
        return new Made(key, wrap(key, object, name, context));
    }

    /**
     * Makes a data key that only the customer's key opens.
     *
     * @param customerKey 32 bytes
     */
    public Made make(ObjectName object, byte[] customerKey) throws IOException {
        DataKey key = keyring.newKey();
        return new Made(key, keyring.wrap(key, object, customerKey));
    }

    /**
     * Wraps an opened key for another object, whose body shares its bytes.
     *
     * @throws KeyServiceException if the service does not encrypt it
     */
    public WrappedKey wrap(DataKey key, ObjectName object, String name, EncryptionContext context)
            throws IOException {
        if (service.isEmpty() || name.equals(Keyring.DEFAULT_KEY)) {
            return keyring.wrap(key, object, name, context);
        }
        WrappedKey inner = keyring.wrapForService(key, object, context);
        KeyService.Encrypted outer = service.get().encrypt(name, bytes(inner));
        return new WrappedKey(
                name,
                outer.version(),
                inner.bucketId(),
                inner.generation(),
                context,
                new ByService(outer.ciphertext()));
    }

    /** Wraps an opened key for another object that has a customer's key. */
    public WrappedKey wrap(DataKey key, ObjectName object, byte[] customerKey) throws IOException {
        return keyring.wrap(key, object, customerKey);
    }

    /**
     * Opens a data key.
     *
     * @param customerKey the customer's key, if the object has one
     * @throws KeyGoneException when that is impossible
     * @throws KeyServiceException if the service does not decrypt it
     */
    public DataKey open(WrappedKey wrapped, ObjectName object, Optional<byte[]> customerKey)
            throws IOException {
        return switch (wrapped.form()) {
            case ByKeyring form -> keyring.open(wrapped, form, object, customerKey);
            case ByService form -> openByService(wrapped, form, object);
        };
    }

    private DataKey openByService(WrappedKey wrapped, ByService form, ObjectName object)
            throws IOException {
        // A shredded object needs no call.
        keyring.requireSecret(wrapped, object);
        KeyService needed =
                service.orElseThrow(
                        () ->
                                new KeyGoneException(
                                        Reason.UNKNOWN_KEY,
                                        "a key service has its named key: set encryption.kms"));
        byte[] plain = needed.decrypt(wrapped.name(), form.ciphertext()).toArray();
        if (plain.length != ByKeyring.BYTES) {
            throw new KeyGoneException(
                    Reason.UNKNOWN_KEY, "the key service decrypted something else");
        }
        ByKeyring inner =
                new ByKeyring(
                        Bytes.of(Arrays.copyOf(plain, Aead.NONCE_BYTES)),
                        Bytes.of(Arrays.copyOfRange(plain, Aead.NONCE_BYTES, plain.length)));
        return keyring.openOfService(wrapped, inner, object);
    }

    private static Bytes bytes(WrappedKey inner) {
        ByKeyring form = (ByKeyring) inner.form();
        byte[] all = Arrays.copyOf(form.nonce().toArray(), ByKeyring.BYTES);
        byte[] encrypted = form.encrypted().toArray();
        System.arraycopy(encrypted, 0, all, Aead.NONCE_BYTES, encrypted.length);
        return Bytes.of(all);
    }
}
