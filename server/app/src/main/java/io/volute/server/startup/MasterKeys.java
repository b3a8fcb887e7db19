package io.volute.server.startup;

import io.volute.provenance.keys.KeyRole;
import io.volute.provenance.keys.MasterKey;
import io.volute.provenance.keys.PrivateFile;
import io.volute.server.config.ProvenanceConfig.OnMissingSettings;
import io.volute.server.config.ServerConfig;
import io.volute.server.encryption.DataKeys;
import io.volute.server.encryption.KeyService;
import io.volute.server.encryption.Keyring;
import io.volute.server.encryption.KeyringPlace;
import io.volute.server.s3.encryption.Encryption;
import io.volute.storage.Cube;
import io.volute.storage.directory.StoreDirectory;
import io.volute.storage.io.DurableDirectories;
import io.volute.storage.io.DurableFile;
import io.volute.storage.io.FileSystem;
import io.volute.versioning.ObjectStores;
import io.volute.versioning.Provenance;
import io.volute.versioning.StoreOptions.Confidentiality;
import io.volute.versioning.StoreOptions.ProvenanceSettings;
import io.volute.versioning.VersionedStore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds the key that seals the keys of the store and its users, or makes one. */
public final class MasterKeys {
    private static final Logger LOG = LoggerFactory.getLogger(MasterKeys.class);

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
                config.provenance().retention(),
                config.provenance().onMissingSettings() == OnMissingSettings.BEGIN_ANEW);
    }

    /** The key of a store, made for a new one. */
    public static MasterKey find(
            ServerConfig config, Cube cube, FileSystem files, SecureRandom random)
            throws IOException {
        return find(config, ObjectStores.hasSealedKeys(cube), files, random);
    }

    /**
     * Returns the key of a store.
     *
     * @param isSealed whether the store has secrets that the key has sealed; it is made otherwise
     */
    public static MasterKey find(
            ServerConfig config, boolean isSealed, FileSystem files, SecureRandom random)
            throws IOException {
        Path keys = config.dataDirectory().resolve("keys");
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
     * Returns the place of the keyring of a store that no other server opens: {@code
     * keys/encryption.keyring} in its data directory.
     */
    public static KeyringPlace keyring(
            ServerConfig config, StoreDirectory directory, FileSystem files) {
        return new KeyringFile(files, directory, config.protocol().beginsKeyringAnew());
    }

    /**
     * Returns the encryption of a store, with the named keys of the settings.
     *
     * @param service has the named keys; empty if the keyring has them
     * @throws IOException if the keyring cannot be changed
     */
    public static Encryption encryption(
            ServerConfig config, Keyring keyring, Optional<KeyService> service) throws IOException {
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

    /**
     * Makes a key and its file. Nothing is sealed with it before both survive a crash.
     *
     * @throws IOException when the file exists or cannot be written; the message names the remedy
     */
    public static void create(FileSystem files, Path file, SecureRandom random) throws IOException {
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

    /** Warns if there are too few auditors for what is to be encrypted. */
    public static void warnOfAuditors(Provenance provenance, VersionedStore store) {
        Confidentiality hidden = provenance.confidentiality();
        int auditors = provenance.keys().open(KeyRole.AUDITOR).size();
        boolean isForSomebody =
                !hidden.fields().encrypted().isEmpty()
                        || store.listBuckets(Optional.empty(), "", "", Integer.MAX_VALUE).stream()
                                .flatMap(bucket -> bucket.hidden().stream())
                                .anyMatch(fields -> !fields.encrypted().isEmpty());
        if (isForSomebody && auditors < hidden.needed()) {
            LOG.warn(
                    "there are {} auditors, {} are needed to read together: fields to encrypt for"
                            + " them (provenance.encrypt, volute provenance hidden) are left out of"
                            + " entries until there are enough (volute provenance auditors add)",
                    auditors,
                    hidden.needed());
        }
    }
}
