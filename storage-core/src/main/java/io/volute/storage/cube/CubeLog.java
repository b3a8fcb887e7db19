package io.volute.storage.cube;

import io.volute.storage.CubeOptions.LogSettings;
import io.volute.storage.Cubes;
import io.volute.storage.directory.CubeMark;
import io.volute.storage.directory.LogPlace;
import io.volute.storage.directory.LogPlace.Kind;
import io.volute.storage.directory.LogPlace.State;
import io.volute.storage.io.FileSystem;
import io.volute.storage.log.LogOptions;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.log.file.SegmentLogs;
import io.volute.storage.log.migration.LogMigration;
import io.volute.storage.log.migration.LogSite;
import io.volute.storage.log.migration.SwitchedSegmentStore;
import io.volute.storage.log.space.LocalSegmentStores;
import io.volute.storage.log.space.SegmentStores;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;
import java.util.UUID;
import java.util.function.LongUnaryOperator;
import java.util.random.RandomGenerator;

/**
 * Opens the log of a cube in the place that is recorded for it. A cube that never migrated has no
 * record: its log is where the settings say.
 */
public final class CubeLog {
    private static final String SEGMENTS = "segments";
    private static final String MIRRORS = "mirrors";

    private final FileSystem files;
    private final Path directory;
    private final InstantSource clock;
    private final LogSettings settings;
    private final Places places;
    private final LocalSegmentStores local = new LocalSegmentStores();

    /**
     * The places where the log of a cube can be.
     *
     * @param set place of a log without a record
     * @param pauseNanos returns the time to wait after so many bytes of a migration
     */
    public record Places(Kind set, Cubes.Ledgers ledgers, LongUnaryOperator pauseNanos) {
        /** Files of the cube's directory alone. */
        public static final Places LOCAL =
                new Places(
                        Kind.LOCAL,
                        () -> {
                            throw new IOException("this store keeps no log on BookKeeper");
                        },
                        bytes -> 0);

        SegmentStores ofLedgers() throws IOException {
            return ledgers.connect().stores();
        }
    }

    /** An opened log, and what moves it to another place. */
    public record Opened(UUID cube, SegmentLog log, LogMigration migration) {}

    /**
     * Describes the log of a cube.
     *
     * @param directory directory of the cube
     */
    public CubeLog(
            FileSystem files,
            Path directory,
            InstantSource clock,
            LogSettings settings,
            Places places) {
        this.files = files;
        this.directory = directory;
        this.clock = clock;
        this.settings = settings;
        this.places = places;
    }

    /** Returns the directory of the mirrors of a log on ledgers. */
    public static Path mirrors(Path directory) {
        return directory.resolve(MIRRORS);
    }

    /** Opens the log, or a new one. */
    public Opened open(RandomGenerator random) throws IOException {
        CubeMark mark = new CubeMark(files, directory, clock);
        Optional<LogPlace> recorded = LogPlace.read(files, directory);
        if (recorded.isEmpty()) {
            requireNothingElse();
        }
        LogPlace found = recorded.orElse(LogPlace.settled(places.set()));
        if (found.store() == Kind.BOOKKEEPER && recorded.isEmpty()) {
            mark.adopt(places.ofLedgers().identity());
        }
        UUID cube = mark.readOrCreate(random, directory.resolve(SEGMENTS));
        LogPlace place = resolved(found, cube);
        SwitchedSegmentStore store =
                new SwitchedSegmentStore(
                        stores(place.store()).open(site(place.store(), cube).options()));
        SegmentLog log = SegmentLogs.open(site(place.store(), cube).options(), store);
        LogMigration migration =
                new LogMigration(
                        files,
                        directory,
                        store,
                        place,
                        kind -> site(kind, cube),
                        () -> CubeMark.random(random),
                        places.pauseNanos());
        return new Opened(cube, log, migration);
    }

    /** Refuses a cube whose segments are in the other place: it would look empty. */
    private void requireNothingElse() throws IOException {
        String other = places.set() == Kind.BOOKKEEPER ? SEGMENTS : MIRRORS;
        if (!files.list(directory.resolve(other)).isEmpty()) {
            throw new IOException(
                    directory
                            + " is of a cube with log.store = "
                            + places.set().other().word()
                            + ": a cube does not change its store at a start. Set that again, then"
                            + " use volute cube migrate.");
        }
    }

    /**
     * Finds out how a switch to the local disk ended. ZooKeeper has the decision. Otherwise, the
     * log goes on where it was.
     */
    private LogPlace resolved(LogPlace found, UUID cube) throws IOException {
        if (found.store() == Kind.BOOKKEEPER && found.state() == State.SWITCHING) {
            if (places.ofLedgers().hasLeft(cube, found.token())) {
                LogPlace switched = LogPlace.leaving(Kind.LOCAL);
                switched.write(files, directory);
                return switched;
            }
        } else if (found.store() == Kind.BOOKKEEPER && found.state() == State.LEAVING) {
            places.ofLedgers().adoptCopy(cube);
        }
        return found;
    }

    private SegmentStores stores(Kind kind) throws IOException {
        return kind == Kind.LOCAL ? local : places.ofLedgers();
    }

    private LogSite site(Kind kind, UUID cube) {
        LogOptions options =
                new LogOptions(
                        directory.resolve(kind == Kind.LOCAL ? SEGMENTS : MIRRORS),
                        files,
                        cube,
                        clock,
                        settings);
        return new LogSite() {
            @Override
            public SegmentStores stores() throws IOException {
                return CubeLog.this.stores(kind);
            }

            @Override
            public LogOptions options() {
                return options;
            }
        };
    }
}
