package io.volute.provenance.keys;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.secrecy.Aead;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Optional;

/**
 * The key that a store's signing keys are sealed with; kept apart from the store. Thread-safe. Says
 * nothing of its secret in {@link #toString()}.
 */
public final class MasterKey {
    private final byte[] secret;

    /** Takes an array that nobody else holds. */
    MasterKey(byte[] secret) {
        if (secret.length != Aead.KEY_BYTES) {
            throw new IllegalArgumentException("a master key has 32 bytes");
        }
        this.secret = secret;
    }

    /**
     * Reads a master key file.
     *
     * @throws IOException when it is missing or damaged, or others than its owner may read or write
     *     it; the message says what to do
     */
    public static MasterKey ofFile(Path file) throws IOException {
        return new MasterKeyFile(file).read();
    }

    /**
     * Makes a new key and its file, durably, readable for the owner of the process alone.
     *
     * @throws IOException when there is something of that name, which then stays as it is; or when
     *     it cannot be written
     */
    public static MasterKey createFile(Path file, SecureRandom random) throws IOException {
        return new MasterKeyFile(file).create(random);
    }

    /**
     * Derives the key with Argon2id, which takes the memory and time that the parameters say. There
     * is no wrong passphrase: another one gives another key, with which nothing can be opened.
     *
     * @param passphrase taken as UTF-8 and not normalised; left as it is, for the caller to wipe
     * @throws IllegalArgumentException when it is empty
     */
    public static MasterKey ofPassphrase(char[] passphrase, PassphraseParameters parameters) {
        return new MasterKey(parameters.derive(passphrase, Aead.KEY_BYTES));
    }

    Bytes encrypt(Bytes nonce, Bytes associated, Bytes plain) {
        return Aead.encrypt(secret, nonce, associated, plain);
    }

    Optional<Bytes> decrypt(Bytes nonce, Bytes associated, Bytes encrypted) {
        return Aead.decrypt(secret, nonce, associated, encrypted);
    }

    @Override
    public String toString() {
        return "master key";
    }
}
