package io.volute.storage;

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
 */
public record CubeStats(
        long commits,
        long batches,
        long streamForces,
        Map<WriteCause, Long> bytesWritten,
        long damages) {
    public CubeStats {
        bytesWritten = Map.copyOf(bytesWritten);
    }
}
