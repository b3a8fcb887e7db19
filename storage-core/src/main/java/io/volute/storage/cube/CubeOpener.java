package io.volute.storage.cube;

import io.volute.storage.Cube;
import io.volute.storage.CubeOptions.LogSettings;
import io.volute.storage.CubeOptions.MemorySettings;
import io.volute.storage.Family;
import io.volute.storage.commit.CommitOrder;
import io.volute.storage.health.CubeThreads;
import io.volute.storage.index.IndexFactory;
import io.volute.storage.index.IndexSettings;
import io.volute.storage.io.WriteCause;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.recovery.LogRecovery;
import io.volute.storage.report.Distribution;
import io.volute.storage.report.RecoveryReport;
import io.volute.storage.rows.CubeIndex;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Opens a cube over a log that is open already.
 *
 * @param log log, which the cube owns once it is open; closed when opening fails
 * @param indexDirectory directory of the index alone
 * @param metering measurements of writes and of time
 * @param order of the commits of all cubes of the store
 * @param clock clock of commits
 */
public record CubeOpener(
        SegmentLog log,
        IndexFactory indexes,
        Path indexDirectory,
        UUID cube,
        List<Family> families,
        LogSettings settings,
        Metering metering,
        CubeThreads threads,
        MemorySettings memory,
        CommitOrder order,
        InstantSource clock) {

    /**
     * The measurements of the layers below the cube, and the clock for its own.
     *
     * @param written bytes written so far, by cause
     * @param forces nanoseconds that forces took, by cause
     * @param nanos a clock that only goes forward
     */
    public record Metering(
            Supplier<Map<WriteCause, Long>> written,
            Supplier<Map<WriteCause, Distribution.Counts>> forces,
            LongSupplier nanos) {}

    /** The cube, and the report of its recovery. */
    public record Opened(Cube cube, RecoveryReport report) {}

    /** Recovers the index and starts the threads of the cube. */
    public Opened open() throws IOException {
        LogCube cube = openCube();
        return new Opened(cube, cube.report());
    }

    LogCube openCube() throws IOException {
        boolean opened = false;
        try {
            LogRecovery.Recovered recovered = new LogRecovery(source()).run();
            LogCube cube =
                    new LogCube(
                            log,
                            recovered,
                            new LogCube.Environment(
                                    settings, memory, metering, threads, order, clock));
            cube.start();
            opened = true;
            return cube;
        } finally {
            if (!opened) {
                log.close();
            }
        }
    }

    private LogRecovery.Source source() {
        return new LogRecovery.Source(
                log,
                indexes,
                new IndexSettings(
                        indexDirectory,
                        CubeIndex.tables(families),
                        settings.blockCacheBytes(),
                        settings.writeBufferBytes()),
                families,
                cube,
                settings.damage(),
                settings.cleaning().holeBytesMin());
    }
}
