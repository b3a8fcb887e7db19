package io.volute.storage.log.file;

import io.volute.storage.CubeOptions.LogSettings;
import io.volute.storage.format.ChunkHeader;
import io.volute.storage.format.SegmentFormat;
import io.volute.storage.log.LogOptions;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.log.space.LocalSegmentStore;
import io.volute.storage.log.space.SegmentStore;
import java.io.IOException;

/** Opens logs. */
public final class SegmentLogs {
    private static final int SEGMENT_BYTES_MIN = 64 << 10;

    private SegmentLogs() {}

    /**
     * Opens the log in a directory, or a new one when there are no segment files. It changes
     * nothing on disk but forces what is there. The replay reports damage.
     *
     * @throws io.volute.storage.format.UnknownVersionException when a later release wrote it
     */
    public static SegmentLog open(LogOptions options) throws IOException {
        return open(options, new LocalSegmentStore(options));
    }

    /**
     * Opens the log in a store of segments.
     *
     * @param store store, which the log closes at its own end, or when opening fails
     */
    public static SegmentLog open(LogOptions options, SegmentStore store) throws IOException {
        boolean opened = false;
        try {
            check(options.settings());
            store.open();
            FileSegmentLog log =
                    new FileSegmentLog(options, store, new LogDiscovery(options, store).discover());
            log.measureHoles();
            opened = true;
            return log;
        } finally {
            if (!opened) {
                store.close();
            }
        }
    }

    private static void check(LogSettings settings) {
        int segment = settings.segmentBytes();
        if (segment < SEGMENT_BYTES_MIN || segment % SegmentFormat.PAGE_BYTES != 0) {
            throw new IllegalArgumentException(
                    "segment size "
                            + segment
                            + ": choose a multiple of "
                            + SegmentFormat.PAGE_BYTES
                            + " from "
                            + SEGMENT_BYTES_MIN
                            + " on");
        }
        int chunk = settings.chunkBytes();
        int chunkMax = segment - SegmentFormat.PAGE_BYTES - ChunkHeader.BYTES;
        if (chunk < 1 || chunk > chunkMax) {
            throw new IllegalArgumentException(
                    "chunk size "
                            + chunk
                            + ": choose 1 to "
                            + chunkMax
                            + ", the capacity of a segment");
        }
    }
}
