package io.volute.server.upkeep;

import io.volute.adminapi.BackupApi.Backup;
import io.volute.adminapi.DamageApi.Damages;
import io.volute.server.Upkeep;
import io.volute.server.backup.BackupControl;
import io.volute.server.backup.Manifest;
import io.volute.server.backup.OtherCubes;
import io.volute.server.backup.Prune;
import io.volute.server.backup.Prune.Pruned;
import io.volute.server.backup.Repository;
import io.volute.server.backup.SegmentCopies;
import io.volute.server.backup.StoreBackup;
import io.volute.server.backup.StoreBackup.AllCubes;
import io.volute.server.backup.StoreBackup.SealedKeyring;
import io.volute.server.config.BackupConfig;
import io.volute.server.config.ServerConfig;
import io.volute.server.damage.DamageList;
import io.volute.server.deposit.BackupPlaces;
import io.volute.server.deposit.BackupTarget;
import io.volute.server.metrics.UpkeepFigures.Backups;
import io.volute.server.outbound.S3Access;
import io.volute.storage.Cube;
import io.volute.storage.io.FileSystem;
import io.volute.storage.report.CheckReport;
import io.volute.versioning.StoreCubes;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a backup when one is requested, and by schedule, at a bounded rate of reads. An ended
 * server ends it; the next one goes on with what was sent.
 */
public final class BackupUpkeep implements BackupControl, Upkeep.Task, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BackupUpkeep.class);
    private static final Upkeep.Pauses PAUSES = Upkeep.Pauses.of(Duration.ofMinutes(1));

    private final StoreBackup backup;
    private final BackupPlaces places;
    private final Verifier verifier;
    private final Path directory;
    private final BackupConfig config;
    private final InstantSource clock;
    private final BackupState state = new BackupState();
    private final CountDownLatch closing = new CountDownLatch(1);
    private Optional<Upkeep> upkeep = Optional.empty();
    private BooleanSupplier isOfStore = () -> true;

    /** Begin of the newest snapshot in the configured target; empty until it was read. */
    private Optional<Instant> lastGood = Optional.empty();

    /**
     * @param directory data directory, in which no backup may be
     */
    BackupUpkeep(
            StoreBackup backup,
            BackupPlaces places,
            Verifier verifier,
            Path directory,
            BackupConfig config,
            InstantSource clock) {
        this.backup = backup;
        this.places = places;
        this.verifier = verifier;
        this.directory = directory.toAbsolutePath().normalize();
        this.config = config;
        this.clock = clock;
    }

    /**
     * The sources of a backup beside the files of the data directory.
     *
     * @param others the cubes that other nodes have
     * @param damages receives what the verification of the sent bytes finds
     * @param isOfStore returns whether this node has the store, and makes backups by schedule
     */
    public record Sources(
            StoreCubes cubes,
            OtherCubes others,
            SealedKeyring keyring,
            BooleanSupplier isOfStore,
            DamageList damages) {}

    /** Verifies the bytes of a snapshot in the store that it was made of. */
    @FunctionalInterface
    interface Verifier {
        /** Returns all known damages of the store. */
        Damages verify(Manifest made, BooleanSupplier goesOn) throws IOException;
    }

    /** Waits for requests, and for the times of the schedule, from here on. */
    public static BackupUpkeep start(
            ServerConfig config,
            Sources sources,
            FileSystem files,
            InstantSource clock,
            SecureRandom random) {
        BackupConfig settings = config.backup();
        Optional<S3Access> access =
                settings.credentials()
                        .map(
                                file ->
                                        S3Access.ofFile(
                                                "backup.credentials",
                                                file,
                                                settings.region(),
                                                settings.authorities()));
        StoreBackup.Store store =
                new StoreBackup.Store(
                        config.dataDirectory(),
                        files,
                        () -> all(sources.cubes()),
                        sources.others(),
                        sources.keyring(),
                        sources.cubes().store().provenance());
        BackupUpkeep started =
                new BackupUpkeep(
                        new StoreBackup(store, clock, random),
                        new BackupPlaces(files, clock, access),
                        (made, goesOn) -> verify(sources, made, settings.bytesPerSecond(), goesOn),
                        config.dataDirectory(),
                        settings,
                        clock);
        started.isOfStore = sources.isOfStore();
        started.upkeep = Optional.of(Upkeep.start("backup", PAUSES, started));
        return started;
    }

    /** Returns all cubes; a backup without one of them would not be whole. */
    private static AllCubes all(StoreCubes cubes) throws IOException {
        Map<String, Cube> here = new TreeMap<>();
        cubes.opened().forEach(each -> here.put(each.name(), each.cube()));
        List<String> elsewhere = new ArrayList<>();
        for (StoreCubes.CubeInfo each : cubes.list()) {
            if (each.phase() == StoreCubes.Phase.ELSEWHERE) {
                here.remove(each.name());
                elsewhere.add(each.name());
            } else if (!here.containsKey(each.name())) {
                throw new IOException(
                        "cube "
                                + each.name()
                                + " is not open, and a backup needs all cubes: volute cube list"
                                + " shows the reason");
            }
        }
        return new AllCubes(here, elsewhere);
    }

    /** Returns the figures of backups since start. */
    public Backups figures() {
        return state.figures();
    }

    @Override
    public Backup status() {
        return state.latest();
    }

    @Override
    public boolean begin(Optional<String> target) throws IOException {
        String to =
                target.or(config::target)
                        .orElseThrow(
                                () -> new IOException("name a target, or configure backup.target"));
        requireUsable(to);
        Instant now = clock.instant();
        if (!state.begin(to, backup.newName(now), now)) {
            return false;
        }
        upkeep.ifPresent(Upkeep::wake);
        return true;
    }

    @Override
    public SegmentCopies copies(Optional<String> target) throws IOException {
        String from =
                target.or(config::target)
                        .orElseThrow(
                                () -> new IOException("name a target, or configure backup.target"));
        return SegmentCopies.open(places.open(from), passphrase());
    }

    private void requireUsable(String target) throws IOException {
        if (BackupPlaces.isServer(target)) {
            places.open(target).close();
            return;
        }
        Path to;
        try {
            to = Path.of(target);
        } catch (InvalidPathException e) {
            throw new IOException("a target is the absolute path of a directory", e);
        }
        if (!to.isAbsolute()) {
            throw new IOException("a target is the absolute path of a directory, not " + target);
        }
        Path normal = to.normalize();
        if (normal.startsWith(directory) || directory.startsWith(normal)) {
            throw new IOException(
                    "the target " + normal + " and the data directory are one inside the other");
        }
    }

    /** Makes a backup when one was requested or is due. */
    @Override
    public void look() throws IOException {
        if (!isOfStore.getAsBoolean()) {
            if (state.latest().isRunning()) {
                state.fail("another node has the store: begin again", clock.instant());
            }
            // The next owner of the store makes some, too.
            lastGood = Optional.empty();
            return;
        }
        if (state.latest().isRunning()) {
            run();
            return;
        }
        if (config.target().isEmpty() || config.interval().isZero()) {
            return;
        }
        if (lastGood.isEmpty()) {
            lastGood = Optional.of(newest());
        }
        boolean isDue = !clock.instant().isBefore(lastGood.get().plus(config.interval()));
        if (isDue && begin(Optional.empty())) {
            run();
        }
    }

    /** Returns the begin of the newest snapshot in the configured target; 1970 without one. */
    private Instant newest() throws IOException {
        try (BackupTarget target = places.open(config.target().orElseThrow())) {
            List<String> names = Repository.snapshots(target);
            Optional<Instant> newest =
                    names.isEmpty() ? Optional.empty() : StoreBackup.time(names.getLast());
            newest.ifPresent(state::found);
            return newest.orElse(Instant.EPOCH);
        }
    }

    private void run() throws IOException {
        String to = state.latest().target().orElseThrow();
        String name = state.latest().snapshot().orElseThrow();
        boolean isConfigured = config.target().equals(Optional.of(to));
        LOG.info("backup {} to {}: at most {} bytes/s are read", name, to, rate());
        try (BackupTarget target = places.open(to)) {
            Optional<char[]> passphrase = passphrase();
            Manifest made = backup.run(target, name, passphrase, () -> !isClosing(), this::passed);
            Damages damages = verifier.verify(made, () -> !isClosing());
            state.finish(made, damages, clock.instant());
            LOG.info(
                    "backup {} finished: {} bytes in {} files, {} bytes sent",
                    name,
                    made.bytes(),
                    made.files().size(),
                    made.sentBytes());
            if (isConfigured) {
                lastGood = Optional.of(made.started());
                prune(target, passphrase);
            }
        } catch (IOException | RuntimeException e) {
            if (state.latest().isRunning()) {
                state.fail(reason(e), clock.instant());
            }
            throw e;
        }
    }

    /**
     * Verifies the live bytes of all segments of which this backup sent some. Those of earlier
     * backups were verified then, and by scrubs since.
     *
     * @return all known damages of the store
     */
    private static Damages verify(
            Sources sources, Manifest made, long bytesPerSecond, BooleanSupplier goesOn)
            throws IOException {
        for (StoreCubes.Opened each : sources.cubes().opened()) {
            Set<Long> sent = made.sentSegments(each.name());
            if (!sent.isEmpty()) {
                long check = sources.damages().beginCheck();
                CheckReport report =
                        each.cube()
                                .check(
                                        bytesPerSecond,
                                        progress -> goesOn.getAsBoolean(),
                                        Optional.of(sent));
                sources.damages().found(each, report, check);
            }
        }
        Damages known = sources.damages().list();
        if (known.damaged().size() + known.more() > 0) {
            LOG.error(
                    "backup {} has {} damaged states: volute damage list names them; repair them,"
                            + " then make another backup",
                    made.name(),
                    known.damaged().size() + known.more());
        }
        return known;
    }

    /** Returns the reason of a failure. The JDK's message for a denied file is only its name. */
    static String reason(Exception failure) {
        return failure instanceof AccessDeniedException denied
                ? "permission denied: " + denied.getFile() + ": let the server's user write there"
                : String.valueOf(failure.getMessage());
    }

    private Optional<char[]> passphrase() throws IOException {
        return config.passphrase().isEmpty()
                ? Optional.empty()
                : Optional.of(Repository.passphrase(config.passphrase().get()));
    }

    private void prune(BackupTarget target, Optional<char[]> passphrase) throws IOException {
        if (config.keep() > 0) {
            Pruned pruned = new Prune(Repository.open(target, passphrase)).run(config.keep());
            LOG.info("{} snapshots and {} packs pruned", pruned.snapshots().size(), pruned.packs());
        }
    }

    private long rate() {
        return config.bytesPerSecond();
    }

    private void passed(long files, long filesTotal, long readBytes, long sentBytes)
            throws IOException {
        state.passed(files, filesTotal, readBytes, sentBytes);
        long nanos = (long) (1e9 * readBytes / rate());
        try {
            if (closing.await(nanos, TimeUnit.NANOSECONDS)) {
                throw new IOException("the server stops; the next backup goes on from here");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("the backup was interrupted", e);
        }
    }

    private boolean isClosing() {
        return closing.getCount() == 0;
    }

    @Override
    public void stop() {
        closing.countDown();
    }

    @Override
    public void close() {
        stop();
        upkeep.ifPresent(Upkeep::close);
    }
}
