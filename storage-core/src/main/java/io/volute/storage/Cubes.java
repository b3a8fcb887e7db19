package io.volute.storage;

import io.volute.storage.commit.CommitOrder;
import io.volute.storage.cube.CubeOpener;
import io.volute.storage.cube.MeteredFileSystem;
import io.volute.storage.directory.CubeMark;
import io.volute.storage.directory.StoreDirectory;
import io.volute.storage.health.CubeThreads;
import io.volute.storage.index.IndexFactory;
import io.volute.storage.index.IndexSettings;
import io.volute.storage.index.RocksIndexFactory;
import io.volute.storage.index.SharedIndexMemory;
import io.volute.storage.io.FileSystem;
import io.volute.storage.log.LogOptions;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.log.file.SegmentLogs;
import io.volute.storage.log.ledger.LedgerFollower;
import io.volute.storage.log.space.SegmentStores;
import io.volute.storage.recovery.StandbyIndex;
import io.volute.storage.report.RecoveryReport;
import io.volute.storage.report.StandbyReport;
import io.volute.storage.rows.CubeIndex;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;

/**
 * Opens cubes. A cube's directory holds {@code cube.mark} (its identity), {@code segments} (the
 * log, which is all the data) and {@code index} (a cache of the log, rebuilt when missing).
 *
 * <p>No other process may have the cube open; the lock of {@link StoreDirectory} ensures it.
 */
public final class Cubes {
    private static final String SEGMENTS = "segments";
    private static final String MIRRORS = "mirrors";
    private static final String INDEX = "index";

    private Cubes() {}

    /** A cube that has just been opened, and the report of its recovery. */
    public record Opened(Cube cube, RecoveryReport report) {}

    /**
     * The standby of a cube that is open elsewhere. Its index follows the log of the owner. Used by
     * one thread, except for {@link #report} and {@link #stop}.
     */
    public interface Standby extends AutoCloseable {
        /**
         * Follows the log as far as it is confirmed.
         *
         * @throws IOException when the log could not be read now; the next step tries it again
         */
        void step() throws IOException;

        /** Returns the progress of the last step. Thread-safe. */
        StandbyReport report();

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
        private final SharedIndexMemory memory;

        /** Allocates the block cache and the write buffer of these settings once for all cubes. */
        public Shared(CubeOptions.LogSettings settings) {
            memory = new SharedIndexMemory(settings.blockCacheBytes(), settings.writeBufferBytes());
        }

        @Override
        public void close() {
            memory.close();
        }
    }

    /**
     * Opens or creates a cube of a store with several, with its index in RocksDB; see {@link
     * #open(CubeOptions)}.
     */
    public static Opened open(CubeOptions options, Shared shared) throws IOException {
        return open(options, shared, Optional.empty());
    }

    /**
     * Opens or creates a cube whose segments are elsewhere; see {@link #open(CubeOptions)}.
     *
     * @param stores place of the segments; empty for the directory of the cube
     */
    public static Opened open(CubeOptions options, Shared shared, Optional<SegmentStores> stores)
            throws IOException {
        return open(
                options, new RocksIndexFactory(Optional.of(shared.memory)), shared.order, stores);
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
        return open(options, indexes, new CommitOrder(), Optional.empty());
    }

    private static Opened open(
            CubeOptions options,
            IndexFactory indexes,
            CommitOrder order,
            Optional<SegmentStores> stores)
            throws IOException {
        MeteredFileSystem files = new MeteredFileSystem(options.fileSystem(), options.nanos());
        Path directory = options.directory();
        LogOptions log = logOptions(options, files, stores);
        UUID cube = log.cubeId();
        SegmentLog segments = openLog(log, stores, directory);
        CubeOpener.Opened opened =
                new CubeOpener(
                                segments,
                                indexes,
                                directory.resolve(INDEX),
                                cube,
                                options.families(),
                                options.log(),
                                new CubeOpener.Metering(
                                        files::bytesWritten, files::forces, options.nanos()),
                                CubeThreads.platform(),
                                options.memory(),
                                order,
                                options.clock())
                        .open();
        return new Opened(opened.cube(), opened.report());
    }

    /** Reads the identity of the cube, or creates one when it is nowhere. */
    private static LogOptions logOptions(
            CubeOptions options, FileSystem files, Optional<SegmentStores> stores)
            throws IOException {
        Path directory = options.directory();
        CubeMark mark = new CubeMark(files, directory, options.clock());
        if (stores.isPresent()) {
            mark.adopt(stores.get().identity());
        }
        UUID cube = mark.readOrCreate(options.random(), directory.resolve(SEGMENTS));
        return new LogOptions(
                directory.resolve(stores.isPresent() ? MIRRORS : SEGMENTS),
                files,
                cube,
                options.clock(),
                options.log());
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
        LogOptions log = logOptions(options, options.fileSystem(), Optional.of(stores));
        return new StandbyIndex(
                new StandbyIndex.Source(
                        follower.apply(log),
                        new RocksIndexFactory(Optional.of(shared.memory)),
                        indexSettings(options),
                        options.families(),
                        options.log().cleaning().holeBytesMin()));
    }

    private static IndexSettings indexSettings(CubeOptions options) {
        return new IndexSettings(
                options.directory().resolve(INDEX),
                CubeIndex.tables(options.families()),
                options.log().blockCacheBytes(),
                options.log().writeBufferBytes());
    }

    /** Refuses a cube whose segments are in the other place: it would look empty. */
    private static SegmentLog openLog(
            LogOptions options, Optional<SegmentStores> stores, Path directory) throws IOException {
        String other = stores.isPresent() ? SEGMENTS : MIRRORS;
        if (!options.fileSystem().list(directory.resolve(other)).isEmpty()) {
            throw new IOException(
                    directory
                            + " is of a cube with log.store = "
                            + (stores.isPresent() ? "local" : "bookkeeper")
                            + ": a cube does not change its store at a start. Set that again, or"
                            + " choose another data directory.");
        }
        return stores.isPresent()
                ? SegmentLogs.open(options, stores.get().open(options))
                : SegmentLogs.open(options);
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
