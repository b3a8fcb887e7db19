package io.volute.distribution.backup;

import io.volute.server.config.ConfigException;
import io.volute.server.config.ConfigSource;
import io.volute.server.config.ServerConfig;
import io.volute.server.encryption.DataKey;
import io.volute.server.encryption.DataKeys;
import io.volute.server.encryption.KeyGoneException;
import io.volute.server.encryption.Keyring;
import io.volute.server.encryption.ObjectName;
import io.volute.server.s3.encryption.StoredEncryption;
import io.volute.server.startup.MasterKeys;
import io.volute.storage.BlobReader;
import io.volute.storage.directory.StoreDirectory;
import io.volute.storage.io.FileSystem;
import io.volute.versioning.Contents;
import io.volute.versioning.value.ObjectAttributes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The keys of the encrypted objects in a restored snapshot, as far as they are at hand. They are
 * opened on first use. Used by one thread.
 */
final class SnapshotKeys implements Contents.Decryption {
    private static final String MASTER = "keys/provenance.key";

    private final FileSystem files;
    private final InstantSource clock;
    private final Map<String, String> environment;
    private final Path directory;
    private final Optional<Path> copies;
    private final boolean isLeftOut;
    private Optional<DataKeys> opened = Optional.empty();
    private Optional<String> refusal = Optional.empty();

    /**
     * @param directory of the restored snapshot
     * @param copies directory with copies of private files
     * @param leftOut paths of the private files that the snapshot does not have
     */
    SnapshotKeys(
            FileSystem files,
            InstantSource clock,
            Map<String, String> environment,
            Path directory,
            Optional<Path> copies,
            List<String> leftOut) {
        this.files = files;
        this.clock = clock;
        this.environment = environment;
        this.directory = directory;
        this.copies = copies;
        this.isLeftOut = leftOut.contains(MASTER);
    }

    @Override
    public Optional<BlobReader> open(
            String bucket,
            long bucketId,
            String key,
            ObjectAttributes attributes,
            BlobReader stored,
            List<Long> sizes)
            throws IOException {
        StoredEncryption encryption =
                StoredEncryption.of(attributes)
                        .orElseThrow(() -> new Contents.ClosedException("its encoding is unknown"));
        if (encryption.mode() == StoredEncryption.Mode.CUSTOMER) {
            throw new Contents.ClosedException("only the customer's key opens it (SSE-C)");
        }
        try {
            DataKey opening =
                    keys().open(
                                    encryption.key(),
                                    new ObjectName(bucket, bucketId, key),
                                    Optional.empty());
            return Optional.of(opening.over(stored, sizes));
        } catch (KeyGoneException e) {
            if (e.reason() == KeyGoneException.Reason.SHREDDED) {
                return Optional.empty();
            }
            throw new Contents.ClosedException(e.getMessage());
        }
    }

    private DataKeys keys() throws Contents.ClosedException {
        if (opened.isEmpty() && refusal.isEmpty()) {
            try {
                opened = Optional.of(new DataKeys(keyring(), Optional.empty()));
            } catch (IOException | ConfigException e) {
                refusal = Optional.of(String.valueOf(e.getMessage()));
            }
        }
        if (refusal.isPresent()) {
            throw new Contents.ClosedException(refusal.get());
        }
        return opened.get();
    }

    private Keyring keyring() throws IOException, ConfigException {
        Path master = directory.resolve(MASTER);
        Optional<Path> copy =
                copies.map(each -> each.resolve(master.getFileName())).filter(Files::exists);
        if (isLeftOut && copy.isPresent() && !Files.exists(master)) {
            Files.createDirectories(master.getParent());
            Files.copy(copy.get(), master);
        }
        if (isLeftOut && !Files.exists(master)) {
            throw new IOException(
                    MASTER
                            + " is not in the snapshot: name the directory of your copy with"
                            + " --keys");
        }
        ServerConfig config =
                ConfigSource.read(
                        Optional.empty(),
                        environment,
                        Map.of("data.directory", directory.toString()));
        SecureRandom random = new SecureRandom();
        try (StoreDirectory data = StoreDirectory.open(directory, files, clock)) {
            return Keyring.open(
                    MasterKeys.keyring(config, data, files),
                    MasterKeys.find(config, true, files, random),
                    random);
        }
    }
}
