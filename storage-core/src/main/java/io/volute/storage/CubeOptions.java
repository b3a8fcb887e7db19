package io.volute.storage;

import io.volute.storage.io.FileSystem;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * The options with which a cube is opened.
 *
 * @param directory directory of the cube; created when missing
 * @param random source of the identity of a new cube
 * @param families record families known to the layer above
 * @param nanos a clock that only goes forward, for measurements
 */
public record CubeOptions(
        Path directory,
        FileSystem fileSystem,
        InstantSource clock,
        RandomGenerator random,
        List<Family> families,
        LogSettings log,
        MemorySettings memory,
        LongSupplier nanos) {
    public CubeOptions {
        families = List.copyOf(families);
    }

    /** Creates options without memory images, which take measurements by {@code clock}. */
    public CubeOptions(
            Path directory,
            FileSystem fileSystem,
            InstantSource clock,
            RandomGenerator random,
            List<Family> families,
            LogSettings log) {
        this(
                directory,
                fileSystem,
                clock,
                random,
                families,
                log,
                MemorySettings.OFF,
                () -> TimeUnit.MILLISECONDS.toNanos(clock.millis()));
    }

    /**
     * Memory outside the heap for blobs that were written lately or are read often.
     *
     * @param imageBytes memory budget in bytes, all overhead included; 0 for none, else 1 MiB to 16
     *     GiB
     * @param entryBytesMax longest blob in bytes that is kept there, at most 1 MiB; a budget below
     *     128 MiB may keep only shorter ones, but always those up to 16 KiB
     */
    public record MemorySettings(long imageBytes, int entryBytesMax) {
        public static final long IMAGE_BYTES_MIN = 1L << 20;
        public static final long IMAGE_BYTES_MAX = 16L << 30;
        public static final int ENTRY_BYTES_MAX = 1 << 20;

        /** No memory images. */
        public static final MemorySettings OFF = new MemorySettings(0, 0);

        public MemorySettings {
            if (imageBytes != 0 && (imageBytes < IMAGE_BYTES_MIN || imageBytes > IMAGE_BYTES_MAX)) {
                throw new IllegalArgumentException(
                        "memory images take 0, or 1 MiB to 16 GiB, not " + imageBytes + " bytes");
            }
            if (entryBytesMax < 0 || entryBytesMax > ENTRY_BYTES_MAX) {
                throw new IllegalArgumentException(
                        "memory images keep blobs of at most 1 MiB, not " + entryBytesMax);
            }
        }

        /** Returns the defaults of a server. */
        public static MemorySettings defaults() {
            return new MemorySettings(64L << 20, 16 << 10);
        }
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

        /** Creates settings of a log that is cleaned on request only. */
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

        /** Returns a copy with other cleaning settings. */
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

        /** Returns the defaults of a server. */
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

    /** The reaction of a start to damage inside the durable range. */
    public enum OnDamage {
        /** The start fails with a list of the damaged places. */
        REFUSE,
        /** The cube starts read-only, with everything that is intact. */
        ACCEPT_READ_ONLY
    }
}
