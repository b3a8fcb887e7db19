package io.volute.server.backup;

import io.volute.provenance.format.Bytes;
import io.volute.server.deposit.BackupTarget;
import io.volute.storage.Cube;
import io.volute.storage.directory.MarkFile;
import io.volute.storage.io.FileSystem;
import io.volute.versioning.Provenance;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** Makes backups of a running store. Used by one thread. */
public final class StoreBackup {
    private static final DateTimeFormatter NAME =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'", Locale.ROOT)
                    .withZone(ZoneOffset.UTC);
    private static final int SUFFIX_BYTES = 3;

    /** The mark of the system cube, whose id identifies the store. */
    private static final String SYSTEM_MARK = "cubes/default/cube.mark";

    /**
     * The store.
     *
     * @param directory data directory
     * @param others the cubes that other nodes have
     * @param keyring of encrypted objects
     */
    public record Store(
            Path directory,
            FileSystem files,
            Cubes cubes,
            OtherCubes others,
            SealedKeyring keyring,
            Optional<Provenance> provenance) {}

    /** Returns the cubes of a store. */
    @FunctionalInterface
    public interface Cubes {
        /**
         * @throws IOException when a cube is open nowhere
         */
        AllCubes all() throws IOException;
    }

    /**
     * The cubes of a store.
     *
     * @param here those of this node, by name
     * @param elsewhere names of those of other nodes
     */
    public record AllCubes(Map<String, Cube> here, List<String> elsewhere) {}

    /** Returns the sealed keyring, which need not be in the data directory. */
    @FunctionalInterface
    public interface SealedKeyring {
        /** Returns the present one; empty when there is none. */
        Optional<Bytes> stored() throws IOException;
    }

    /** Follows a backup. */
    public interface Watch {
        /**
         * Called often.
         *
         * @param readBytes bytes read since the last call
         * @throws IOException to end the backup
         */
        void passed(long files, long filesTotal, long readBytes, long sentBytes) throws IOException;
    }

    private final Store store;
    private final InstantSource clock;
    private final SecureRandom random;

    public StoreBackup(Store store, InstantSource clock, SecureRandom random) {
        this.store = store;
        this.clock = clock;
        this.random = random;
    }

    /** Returns a name for a snapshot of now; names sort by time. */
    public String newName(Instant now) {
        byte[] suffix = new byte[SUFFIX_BYTES];
        random.nextBytes(suffix);
        return NAME.format(now) + "-" + HexFormat.of().formatHex(suffix);
    }

    /** Returns the time that the name of a snapshot has; empty for other names. */
    public static Optional<Instant> time(String name) {
        try {
            return Optional.of(NAME.parse(name.split("-")[0], Instant::from));
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }

    /**
     * Makes a snapshot. A store that signs gets a checkpoint first, which is in the snapshot.
     *
     * @param name result of {@link #newName}
     * @param passphrase encrypts the backups of this target; empty when they are not encrypted
     * @param goesOn called while the checkpoint is made
     * @throws IOException when it fails; the next one goes on with what was sent
     */
    public Manifest run(
            BackupTarget target,
            String name,
            Optional<char[]> passphrase,
            BooleanSupplier goesOn,
            Watch watch)
            throws IOException {
        Instant started = clock.instant();
        String id = id();
        Repository repository = Repository.openOrCreate(target, id, passphrase, started, random);
        BackupJob job =
                new BackupJob(
                        repository,
                        new BackupJob.Terms(name, started, software()),
                        (figures, read) ->
                                watch.passed(
                                        figures.files(),
                                        figures.filesTotal(),
                                        read,
                                        figures.sentBytes()));
        job.begin(id);
        Optional<String> checkpoint = checkpoint(goesOn);
        try (StoreFiles source = StoreFiles.take(store, id, repository.isEncrypted(), checkpoint)) {
            return job.run(source, clock.instant());
        }
    }

    private String id() throws IOException {
        Path mark = store.directory().resolve(SYSTEM_MARK);
        return new MarkFile(store.files(), mark)
                .read()
                .map(lines -> lines.get("id"))
                .orElseThrow(() -> new IOException(mark + " has no id"));
    }

    private Optional<String> checkpoint(BooleanSupplier goesOn) throws IOException {
        if (store.provenance().isEmpty()) {
            return Optional.empty();
        }
        byte[] signed = store.provenance().get().checkpoint(goesOn).encode().toArray();
        return Optional.of(Base64.getEncoder().encodeToString(signed));
    }

    private static String software() {
        return String.valueOf(StoreBackup.class.getPackage().getImplementationVersion());
    }
}
