package io.volute.storage.report;

import io.volute.storage.io.WriteCause;
import java.util.Map;

/**
 * Counters since start.
 *
 * @param commits transactions made durable
 * @param batches group commits, one force each
 * @param streamForces forces of stream segments
 * @param bytesWritten through the file layer, by cause
 * @param damages checksum or identity mismatches met while reading
 * @param images of the memory images
 * @param work what else there is to watch
 */
public record CubeStats(
        long commits,
        long batches,
        long streamForces,
        Map<WriteCause, Long> bytesWritten,
        long damages,
        ImageStats images,
        CubeWork work) {
    public CubeStats {
        bytesWritten = Map.copyOf(bytesWritten);
    }

    /** Of a cube without memory images, of which nothing else is counted. */
    public CubeStats(
            long commits,
            long batches,
            long streamForces,
            Map<WriteCause, Long> bytesWritten,
            long damages) {
        this(commits, batches, streamForces, bytesWritten, damages, ImageStats.OFF, CubeWork.NONE);
    }
}
