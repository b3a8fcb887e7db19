package io.volute.storage;

import io.volute.storage.io.FileSystem;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Everything a cube needs to open.
 *
 * @param directory of the cube; made when missing
 * @param families known to the layer above
 * @param random source of the cube's identity when it is new
 */
public record CubeOptions(
        Path directory,
        FileSystem fileSystem,
        InstantSource clock,
        RandomGenerator random,
        List<Family> families,
        LogSettings log) {
    public CubeOptions {
        families = List.copyOf(families);
    }

    /**
     * The settings of a cube's log and index.
     *
     * @param segmentBytes size of a segment file, a multiple of 4096, at least 64 KiB
     * @param inlineLimitBytes bodies up to this length go through the head
     * @param chunkBytes content bytes of a chunk in a stream segment
     * @param indexFlushLogBytes log bytes after which the index is flushed: bounds recovery
     * @param blockCacheBytes memory for index blocks
     * @param writeBufferBytes memory for unflushed index changes
     * @param damage what to do about damage inside the durable range at start
     * @param cleaning when and how space is reclaimed
     */
    public record LogSettings(
            int segmentBytes,
            int inlineLimitBytes,
            int chunkBytes,
            long indexFlushLogBytes,
            long blockCacheBytes,
            long writeBufferBytes,
            OnDamage damage,
            CleaningSettings cleaning) {

        /** Settings of a log that is cleaned only when asked. */
        public LogSettings(
                int segmentBytes,
                int inlineLimitBytes,
                int chunkBytes,
                long indexFlushLogBytes,
                long blockCacheBytes,
                long writeBufferBytes,
                OnDamage damage) {
            this(
                    segmentBytes,
                    inlineLimitBytes,
                    chunkBytes,
                    indexFlushLogBytes,
                    blockCacheBytes,
                    writeBufferBytes,
                    damage,
                    CleaningSettings.onlyWhenAsked());
        }

        /** These settings with other cleaning. */
        public LogSettings with(CleaningSettings other) {
            return new LogSettings(
                    segmentBytes,
                    inlineLimitBytes,
                    chunkBytes,
                    indexFlushLogBytes,
                    blockCacheBytes,
                    writeBufferBytes,
                    damage,
                    other);
        }

        /** The defaults of a server. */
        public static LogSettings defaults() {
            return new LogSettings(
                    64 << 20,
                    128 << 10,
                    128 << 10,
                    256L << 20,
                    64L << 20,
                    64L << 20,
                    OnDamage.REFUSE,
                    CleaningSettings.defaults());
        }
    }

    /** What a start does when it meets damage inside the durable range. */
    public enum OnDamage {
        /** Do not start; say what is hit. */
        REFUSE,
        /** Start read-only with everything that is intact. */
        ACCEPT_READ_ONLY
    }
}
