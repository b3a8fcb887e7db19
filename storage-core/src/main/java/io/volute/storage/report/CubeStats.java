package io.volute.storage.report;

import io.volute.storage.io.WriteCause;
import java.util.Map;

/**
 * Counters of a cube since it was opened.
 *
 * @param commits transactions made durable
 * @param batches group commits, one force each
 * @param streamForces forces of stream segments
 * @param bytesWritten through the file layer, by cause
 * @param damages checksum or identity mismatches met while reading
 * @param images counters of the memory images
 * @param work further figures
 */
public record CubeStats(
        long commits,
        long batches,
        long streamForces,
        Map<WriteCause, Long> bytesWritten,
        long damages,
        ImageStats images,
        WorkStats work) {
    public CubeStats {
        bytesWritten = Map.copyOf(bytesWritten);
    }

    /** Creates counters of a cube without memory images and without further figures. */
    public CubeStats(
            long commits,
            long batches,
            long streamForces,
            Map<WriteCause, Long> bytesWritten,
            long damages) {
        this(commits, batches, streamForces, bytesWritten, damages, ImageStats.OFF, WorkStats.NONE);
    }
}
