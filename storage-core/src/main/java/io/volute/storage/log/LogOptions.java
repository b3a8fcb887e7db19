package io.volute.storage.log;

import io.volute.storage.CubeOptions.LogSettings;
import io.volute.storage.io.FileSystem;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Executor;

/**
 * The options with which a log is opened.
 *
 * @param directory directory of the segment files; created when missing; files with other names are
 *     left alone
 * @param cubeId id of the cube, which is part of every checksum
 * @param spareMaker runs the making of spare segment files; empty for a thread of the log's own.
 *     {@code Runnable::run} makes everything happen on the calling threads.
 */
public record LogOptions(
        Path directory,
        FileSystem fileSystem,
        UUID cubeId,
        InstantSource clock,
        LogSettings settings,
        Optional<Executor> spareMaker) {

    public LogOptions(
            Path directory,
            FileSystem fileSystem,
            UUID cubeId,
            InstantSource clock,
            LogSettings settings) {
        this(directory, fileSystem, cubeId, clock, settings, Optional.empty());
    }

    public Path path(SegmentFileName name) {
        return directory.resolve(name.toString());
    }

    /** Returns a copy with another maker of spares. */
    public LogOptions withSpareMaker(Executor executor) {
        return new LogOptions(
                directory, fileSystem, cubeId, clock, settings, Optional.of(executor));
    }
}
