package io.volute.server.config;

import io.volute.server.config.key.Key;
import io.volute.server.config.key.KeyValues;
import io.volute.storage.CleaningSettings;
import io.volute.storage.CubeOptions.LogSettings;
import io.volute.storage.CubeOptions.MemorySettings;

/** Settings of the log and of its memory from keys, which must fit each other. */
final class LogConfig {
    /** Bytes of a segment that no chunk can use. */
    private static final int SEGMENT_OVERHEAD_BYTES = 8 << 10;

    /** A head, a stream segment, and as much again to clean them. */
    private static final int CLIENT_SEGMENTS_MIN = 4;

    private final KeyValues from;

    private LogConfig(KeyValues from) {
        this.from = from;
    }

    /** Reads the settings of the log, the index and the cleaner. */
    static LogSettings of(KeyValues from) {
        return new LogConfig(from).log();
    }

    /** Reads the settings of images in memory. */
    static MemorySettings memory(KeyValues from) {
        return new LogConfig(from).memory();
    }

    private LogSettings log() {
        long segment = segmentBytes();
        requireFits(Keys.CHUNK, segment - SEGMENT_OVERHEAD_BYTES, "what a segment holds");
        requireFits(Keys.INLINE, segment / 2, "half a segment");
        return new LogSettings(
                Math.toIntExact(segment),
                Math.toIntExact(from.get(Keys.INLINE)),
                Math.toIntExact(from.get(Keys.CHUNK)),
                from.get(Keys.INDEX_FLUSH),
                BlockCache.bytes(from.get(Keys.BLOCK_CACHE)),
                from.get(Keys.WRITE_BUFFER),
                from.get(Keys.ON_DAMAGE),
                cleaning(segment));
    }

    private long segmentBytes() {
        long piece = Math.max(from.get(Keys.INLINE), from.get(Keys.CHUNK));
        return from.get(Keys.SEGMENT) > 0
                ? from.get(Keys.SEGMENT)
                : SegmentSize.fitting(from.get(Keys.CAPACITY), piece, from.get(Keys.DATA));
    }

    private void requireFits(Key<Long> key, long max, String why) {
        if (from.get(key) > max) {
            from.problem(
                    key.name()
                            + " is "
                            + from.get(key)
                            + " bytes; write at most "
                            + (max >> 10)
                            + " KiB, "
                            + why
                            + ", or a larger "
                            + Keys.SEGMENT.name());
        }
    }

    private CleaningSettings cleaning(long segment) {
        CleaningSettings cleaning =
                new CleaningSettings(
                                Math.toIntExact(from.get(Keys.CLEANERS)),
                                from.get(Keys.CAPACITY),
                                from.get(Keys.FREE_SHARE),
                                from.get(Keys.TOMBSTONE_SHARE),
                                from.get(Keys.EXPANSION_FACTOR),
                                from.get(Keys.EXPANSION_SHARE),
                                Math.toIntExact(from.get(Keys.RESERVE)))
                        .withHoles(Math.toIntExact(from.get(Keys.HOLE_MIN)));
        long least =
                segment
                        * (cleaning.reserveSegments()
                                + cleaning.deleteReserveSegments()
                                + CLIENT_SEGMENTS_MIN);
        if (cleaning.capacityBytes() > 0 && cleaning.capacityBytes() < least) {
            from.problem(
                    Keys.CAPACITY.name()
                            + " is "
                            + cleaning.capacityBytes()
                            + " bytes; write 0 for the size of the file system, or at least "
                            + least
                            + ": "
                            + CLIENT_SEGMENTS_MIN
                            + " segments of "
                            + (segment >> 10)
                            + " KiB ("
                            + Keys.SEGMENT.name()
                            + ") and the reserves");
        }
        return cleaning;
    }

    private MemorySettings memory() {
        long images = from.get(Keys.IMAGES);
        if (images > 0 && images < MemorySettings.IMAGE_BYTES_MIN) {
            from.problem(
                    Keys.IMAGES.name()
                            + " is "
                            + images
                            + " bytes; write 0 for none, or at least 1 MiB");
            images = 0;
        }
        return new MemorySettings(images, Math.toIntExact(from.get(Keys.IMAGE_ENTRY)));
    }
}
