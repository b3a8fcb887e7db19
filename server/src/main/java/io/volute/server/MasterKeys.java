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

/** Finds the key that seals the signing keys of the store, or makes one for a new store. */
final class MasterKeys {
    private MasterKeys() {}

    /** Empty when there is to be no provenance. */
    static Optional<ProvenanceSettings> settings(
            ServerConfig config, Cube cube, SecureRandom random) throws IOException {
        if (!config.provenance().isOn()) {
            return Optional.empty();
        }
        return Optional.of(
                new ProvenanceSettings(
                        masterKey(config, cube, random),
                        config.provenance().algorithms(),
                        config.provenance().shape(),
                        random));
    }

    private static MasterKey masterKey(ServerConfig config, Cube cube, SecureRandom random)
            throws IOException {
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
                            + " is missing, and the signing keys of this store are sealed with it:"
                            + " put it back, or name it with provenance.master-key");
        }
        Files.createDirectories(file.toAbsolutePath().getParent());
        return MasterKey.createFile(file, random);
    }
}
