package io.volute.versioning;

import io.volute.storage.CleaningSettings;
import io.volute.storage.Cube;
import io.volute.storage.CubeOptions;
import io.volute.storage.CubeOptions.LogSettings;
import io.volute.storage.CubeOptions.OnDamage;
import io.volute.storage.Cubes;
import io.volute.storage.io.OsFileSystem;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.SplittableRandom;

/** Opens real cubes for the tests that run on disk. */
public final class DiskCubes {
    private static final LogSettings SMALL = settings(1 << 20);

    private DiskCubes() {}

    private static LogSettings settings(int segmentBytes) {
        return new LogSettings(segmentBytes, 512, 512, 4 << 20, 4 << 20, 4 << 20, OnDamage.REFUSE);
    }

    /**
     * Opens a cube with small segments and a small inline limit, so that little data takes all
     * routes.
     */
    public static Cube open(Path directory) throws IOException {
        return open(directory, SMALL);
    }

    /** Opens a cube whose commits have the time of a clock. */
    public static Cube open(Path directory, InstantSource clock) throws IOException {
        return open(directory, SMALL, clock);
    }

    /** Opens a cube with smaller segments and this capacity, with one cleaning thread. */
    public static Cube open(Path directory, long capacityBytes) throws IOException {
        return open(
                directory,
                settings(256 << 10)
                        .with(new CleaningSettings(1, capacityBytes, 0.1, 0.4, 2.0, 0.9, 3)));
    }

    /** Opens a cube with the smallest segments, so that a commit has little room. */
    public static Cube openSmallest(Path directory, InstantSource clock) throws IOException {
        return open(directory, settings(64 << 10), clock);
    }

    private static Cube open(Path directory, LogSettings settings) throws IOException {
        return open(directory, settings, () -> Instant.ofEpochSecond(1_700_000_000L));
    }

    private static Cube open(Path directory, LogSettings settings, InstantSource clock)
            throws IOException {
        return Cubes.open(
                        new CubeOptions(
                                directory,
                                new OsFileSystem(),
                                clock,
                                new SplittableRandom(7),
                                ObjectStores.families(),
                                settings))
                .cube();
    }
}
