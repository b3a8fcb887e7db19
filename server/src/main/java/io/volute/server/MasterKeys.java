package io.volute.server;

import io.volute.provenance.keys.MasterKey;
import io.volute.server.config.ServerConfig;
import io.volute.storage.Cube;
import io.volute.versioning.ObjectStores;
import io.volute.versioning.StoreOptions.ProvenanceSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Optional;

/** Finds the key that seals the keys of the store and its users, or makes one. */
final class MasterKeys {
    private MasterKeys() {}

    /** Settings without an algorithm too: a store that signed before records that it stops. */
    static ProvenanceSettings settings(ServerConfig config, MasterKey master, SecureRandom random) {
        return new ProvenanceSettings(
                master,
                config.provenance().algorithms(),
                config.provenance().shape(),
                random,
                config.provenance().confidentiality(),
                config.provenance().retention());
    }

    /** The key of a store, made for a new one. */
    static MasterKey find(ServerConfig config, Cube cube, SecureRandom random) throws IOException {
        Path keys = config.dataDirectory().resolve("keys");
        Optional<Path> passphrase = config.provenance().passphrase();
        if (passphrase.isPresent()) {
            return new PassphraseKey(passphrase.get(), keys.resolve("provenance.passphrase"))
                    .derive(ObjectStores.hasSealedKeys(cube), random);
        }
        Path file = config.provenance().masterKey().orElse(keys.resolve("provenance.key"));
        if (Files.exists(file)) {
            return MasterKey.ofFile(file);
        }
        if (ObjectStores.hasSealedKeys(cube)) {
            throw new IOException(
                    "the master key "
                            + file
                            + " is missing, and the keys of this store and its users are sealed"
                            + " with it:"
                            + " put it back, or name it with provenance.master-key");
        }
        Files.createDirectories(file.toAbsolutePath().getParent());
        return MasterKey.createFile(file, random);
    }
}
