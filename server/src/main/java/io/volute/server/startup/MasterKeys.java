package io.volute.server.startup;

import io.volute.provenance.keys.MasterKey;
import io.volute.provenance.keys.PrivateFile;
import io.volute.server.config.ServerConfig;
import io.volute.server.encryption.DataKeys;
import io.volute.server.encryption.KeyService;
import io.volute.server.encryption.Keyring;
import io.volute.server.s3.encryption.Encryption;
import io.volute.storage.Cube;
import io.volute.storage.io.DurableDirectories;
import io.volute.storage.io.DurableFile;
import io.volute.storage.io.FileSystem;
import io.volute.versioning.ObjectStores;
import io.volute.versioning.StoreOptions.ProvenanceSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.Set;

/** Finds the key that seals the keys of the store and its users, or makes one. */
public final class MasterKeys {
    private MasterKeys() {}

    /** Settings without an algorithm too: a store that signed before records that it stops. */
    public static ProvenanceSettings settings(
            ServerConfig config, MasterKey master, SecureRandom random) {
        return new ProvenanceSettings(
                master,
                config.provenance().algorithms(),
                config.provenance().shape(),
                random,
                config.provenance().confidentiality(),
                config.provenance().retention());
    }

    /** The key of a store, made for a new one. */
    public static MasterKey find(
            ServerConfig config, Cube cube, FileSystem files, SecureRandom random)
            throws IOException {
        Path keys = config.dataDirectory().resolve("keys");
        boolean isSealed = ObjectStores.hasSealedKeys(cube);
        Optional<Path> passphrase = config.provenance().passphrase();
        if (passphrase.isPresent()) {
            return new PassphraseKey(files, passphrase.get(), keys.resolve("provenance.passphrase"))
                    .derive(isSealed, random);
        }
        Path file = config.provenance().masterKey().orElse(keys.resolve("provenance.key"));
        if (Files.exists(file)) {
            if (!isSealed && Files.isWritable(file.toAbsolutePath().getParent())) {
                keep(files, file);
            }
            return MasterKey.ofFile(file);
        }
        if (isSealed) {
            throw new IOException(
                    "the master key "
                            + file
                            + " is missing, and the keys of this store and its users are sealed"
                            + " with it:"
                            + " put it back, or name it with provenance.master-key");
        }
        create(files, file, random);
        // Read back, so that a key is used only when the next start can read it.
        return MasterKey.ofFile(file);
    }

    /**
     * Opens the keyring of a store, {@code keys/encryption.keyring} in its data directory, with the
     * named keys of the settings.
     *
     * @param service has the named keys; empty if the keyring has them
     * @throws IOException if it cannot be opened with the master key
     */
    public static Encryption encryption(
            ServerConfig config,
            MasterKey master,
            Optional<KeyService> service,
            FileSystem files,
            SecureRandom random)
            throws IOException {
        Path file = config.dataDirectory().resolve("keys").resolve("encryption.keyring");
        Keyring keyring = Keyring.open(new KeyringFile(files, file), master, random);
        ServerConfig.Protocol protocol = config.protocol();
        if (service.isEmpty()) {
            keyring.require(protocol.encryptionKeys());
            keyring.require(protocol.restrictedKeys());
        }
        return new Encryption(
                Optional.of(new DataKeys(keyring, service)),
                Set.copyOf(protocol.restrictedKeys()),
                protocol.customerKeysOverHttp());
    }

    /** Makes a key and its file. Nothing is sealed with it before both survive a crash. */
    static void create(FileSystem files, Path file, SecureRandom random) throws IOException {
        PrivateFile place = new PrivateFile("the master key file", file);
        DurableDirectories.create(files, file.toAbsolutePath().getParent());
        place.checkPlace();
        MasterKey.create(
                random,
                text -> {
                    try {
                        DurableFile.create(
                                files,
                                file,
                                DurableFile.Readers.OWNER,
                                out -> out.write(text.getBytes(StandardCharsets.US_ASCII)),
                                random);
                    } catch (FileAlreadyExistsException e) {
                        throw place.existing(e);
                    }
                });
    }

    /**
     * Makes the name of a file durable. An earlier start that was killed may have left it in the
     * page cache only, and data sealed from now on needs the file.
     */
    static void keep(FileSystem files, Path file) throws IOException {
        Path directory = file.toAbsolutePath().getParent();
        DurableDirectories.create(files, directory);
        files.forceDirectory(directory);
    }
}
