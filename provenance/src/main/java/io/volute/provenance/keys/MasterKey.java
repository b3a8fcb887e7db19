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
     *     it; the message names the remedy
     */
    public static MasterKey ofFile(Path file) throws IOException {
        return new MasterKeyFile(file).read();
    }

    /** Saves the text of a new master key file. */
    @FunctionalInterface
    public interface Saving {
        /**
         * Returns when the text survives a crash, readable for the owner of the process alone.
         *
         * @param text a line with its end, in ASCII
         * @throws IOException if it cannot be saved; the key is not used then
         */
        void save(String text) throws IOException;
    }

    /**
     * Makes a new key. Save it where it replaces nothing: what another key sealed needs that one.
     *
     * @throws IOException if the key was not saved
     */
    public static MasterKey create(SecureRandom random, Saving saving) throws IOException {
        return MasterKeyFile.create(random, saving);
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
