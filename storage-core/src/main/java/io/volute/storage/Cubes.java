package io.volute.storage;

import io.volute.storage.commit.CommitOrder;
import io.volute.storage.cube.CubeLog;
import io.volute.storage.cube.CubeOpener;
import io.volute.storage.cube.MeteredFileSystem;
import io.volute.storage.directory.CubeMark;
import io.volute.storage.directory.LogPlace;
import io.volute.storage.directory.LogPlacement;
import io.volute.storage.directory.StoreDirectory;
import io.volute.storage.health.CubeThreads;
import io.volute.storage.index.IndexFactory;
import io.volute.storage.index.IndexSettings;
import io.volute.storage.index.RocksIndexFactory;
import io.volute.storage.index.SharedIndexMemory;
import io.volute.storage.io.FileSystem;
import io.volute.storage.log.LogOptions;
import io.volute.storage.log.ledger.LedgerFollower;
import io.volute.storage.log.space.SegmentStores;
import io.volute.storage.recovery.StandbyIndex;
import io.volute.storage.report.RecoveryReport;
import io.volute.storage.report.StandbyReport;
import io.volute.storage.rows.CubeIndex;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Opens cubes. A cube's directory holds {@code cube.mark} (its identity), {@code segments} (the
 * log, which is all the data) and {@code index} (a cache of the log, rebuilt when missing).
 *
 * <p>No other process may have the cube open; the lock of {@link StoreDirectory} ensures it.
 */
public final class Cubes {
    private static final String INDEX = "index";

    private Cubes() {}

    /** A cube that has just been opened, the report of its recovery, and what moves its log. */
    public record Opened(Cube cube, RecoveryReport report, LogPlacement placement) {}

    /** A connection to the servers that have the ledgers of a cube. */
    public interface Ledgers {
        /** Connects, if that was not done before. */
        LedgersOfCube connect() throws IOException;
    }

    /** The ledgers of a cube, of which callers know nothing. */
    public interface LedgersOfCube {
        /** Returns the place of segments. */
        SegmentStores stores();
    }

    /**
     * The standby of a cube that is open elsewhere. Its index follows the log of the owner. Used by
     * one thread, except for {@link #report} and {@link #stop}.
     */
    public interface Standby extends AutoCloseable {
        /** Returns the identity of the cube. */
        UUID cubeId();

        /**
         * Follows the log as far as it is confirmed.
         *
         * @throws IOException when the log could not be read now; the next step tries it again
         */
        void step() throws IOException;

        /** Returns the progress of the last step. Thread-safe. */
        StandbyReport report();

        /**
         * Returns the cube as the last step left it, for reading only; empty while there is no
         * index. Later steps do not change it. Its commits fail. The caller closes it, before this.
         * The cube is thread-safe.
         *
         * @param complete an instant: the index has every commit that belongs to it or to an
         *     earlier one, as far as the caller knows
         */
        Optional<Cube> view(Instant complete);

        /** Ends the step under way soon, with an exception. Thread-safe. */
        void stop();

        /** Flushes the index, so that an open continues it. */
        @Override
        void close() throws IOException;
    }

    /**
     * The resources that the cubes of one store share: the order of their commits, and the memory
     * of their indexes. Close it after the cubes. Thread-safe.
     */
    public static final class Shared implements AutoCloseable {
        private final CommitOrder order = new CommitOrder();
        private final IndexFactory indexes;
        private final Runnable freeMemory;

        /** Allocates the block cache and the write buffer of these settings once for all cubes. */
        public Shared(CubeOptions.LogSettings settings) {
            SharedIndexMemory memory =
                    new SharedIndexMemory(settings.blockCacheBytes(), settings.writeBufferBytes());
            indexes = new RocksIndexFactory(Optional.of(memory));
            freeMemory = memory::close;
        }

        /** Takes indexes of another kind, which have memory of their own. */
        public Shared(IndexFactory indexes) {
            this.indexes = indexes;
            freeMemory = () -> {};
        }

        /**
         * Returns a sequence that no visible commit of these cubes exceeds, nor any that was
         * passed.
         */
        public long lastSequence() {
            return order.last();
        }

        /**
         * Records a sequence of cubes of the same store that another process has open: later
         * commits of these cubes are greater.
         */
        public void passed(long sequence) {
            order.passed(sequence);
        }

        @Override
        public void close() {
            freeMemory.run();
        }
    }

    /**
     * Opens or creates a cube of a store with several, in files; see {@link #open(CubeOptions)}.
     */
    public static Opened open(CubeOptions options, Shared shared) throws IOException {
        return open(options, shared, CubeLog.Places.LOCAL);
    }

    /**
     * Opens or creates a cube of a store with several; see {@link #open(CubeOptions)}. A migration
     * of its log that has not ended goes on.
     *
     * @param set place of its log, unless the log has migrated
     * @param ledgers used when the log is on ledgers, or moves to them
     * @param copyRate bytes a second of a migration
     */
    public static Opened open(
            CubeOptions options, Shared shared, LogPlace.Kind set, Ledgers ledgers, long copyRate)
            throws IOException {
        return open(
                options,
                shared,
                new CubeLog.Places(
                        set,
                        ledgers,
                        bytes -> (long) (1.0 * TimeUnit.SECONDS.toNanos(bytes) / copyRate)));
    }

    private static Opened open(CubeOptions options, Shared shared, CubeLog.Places places)
            throws IOException {
        return open(options, shared.indexes, shared.order, places);
    }

    /**
     * Opens or creates a cube, with its index in RocksDB. Returns when everything acknowledged
     * before is visible.
     *
     * @throws DamagedException when the log is damaged and the settings do not accept that
     */
    public static Opened open(CubeOptions options) throws IOException {
        return open(options, new RocksIndexFactory());
    }

    /** Opens or creates a cube with an index of another kind; see {@link #open(CubeOptions)}. */
    public static Opened open(CubeOptions options, IndexFactory indexes) throws IOException {
        return open(options, indexes, new CommitOrder(), CubeLog.Places.LOCAL);
    }

    private static Opened open(
            CubeOptions options, IndexFactory indexes, CommitOrder order, CubeLog.Places places)
            throws IOException {
        MeteredFileSystem files = new MeteredFileSystem(options.fileSystem(), options.nanos());
        Path directory = options.directory();
        CubeLog.Opened log =
                new CubeLog(files, directory, options.clock(), options.log(), places)
                        .open(options.random());
        CubeOpener.Opened opened =
                new CubeOpener(
                                log.log(),
                                indexes,
                                directory.resolve(INDEX),
                                log.cube(),
                                options.families(),
                                options.log(),
                                new CubeOpener.Metering(
                                        files::bytesWritten, files::forces, options.nanos()),
                                CubeThreads.platform(),
                                options.memory(),
                                order,
                                options.clock())
                        .open();
        log.migration().resume();
        return new Opened(opened.cube(), opened.report(), log.migration());
    }

    /**
     * Returns a standby of a cube that is open elsewhere. The next {@link #open} on this machine
     * continues its index.
     *
     * @param stores place of the segments, which has the cube already
     * @param follower opens the log for reading
     */
    public static Standby follow(
            CubeOptions options,
            Shared shared,
            SegmentStores stores,
            Function<LogOptions, LedgerFollower> follower)
            throws IOException {
        if (stores.identity().isEmpty()) {
            throw new IOException("no server has opened the cube of " + options.directory());
        }
        FileSystem files = options.fileSystem();
        Path directory = options.directory();
        CubeMark mark = new CubeMark(files, directory, options.clock());
        mark.adopt(stores.identity());
        UUID cube = mark.readOrCreate(options.random(), CubeLog.mirrors(directory));
        LogOptions log =
                new LogOptions(
                        CubeLog.mirrors(directory), files, cube, options.clock(), options.log());
        return new StandbyIndex(
                new StandbyIndex.Source(
                        follower.apply(log),
                        shared.indexes,
                        indexSettings(options),
                        options.families(),
                        options.log().cleaning().holeBytesMin(),
                        options.nanos()));
    }

    private static IndexSettings indexSettings(CubeOptions options) {
        return new IndexSettings(
                options.directory().resolve(INDEX),
                CubeIndex.tables(options.families()),
                options.log().blockCacheBytes(),
                options.log().writeBufferBytes());
    }

    /**
     * Deletes the index of a cube that is not open. The next {@link #open} rebuilds it from the
     * log. No data is lost.
     *
     * @param directory directory of the cube
     */
    public static void rebuildIndex(Path directory, IndexFactory indexes) throws IOException {
        indexes.discard(directory.resolve(INDEX));
    }

    /** Deletes an index in RocksDB; see {@link #rebuildIndex(Path, IndexFactory)}. */
    public static void rebuildIndex(Path directory) throws IOException {
        rebuildIndex(directory, new RocksIndexFactory());
    }
}
