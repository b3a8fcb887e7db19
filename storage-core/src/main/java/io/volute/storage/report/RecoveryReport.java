package io.volute.storage.report;

import io.volute.storage.CubeOptions;
import java.util.List;

/**
 * What opening a cube found and did.
 *
 * @param cleanStart the last close was clean: nothing to replay
 * @param indexRebuilt the index was missing or unusable and was made again from the segments
 * @param replayedBytes log bytes read to bring the index up to date
 * @param replayedEntries entries applied
 * @param tornBytes bytes of an unacknowledged tail that were cut off
 * @param damages one line for each damaged place that was accepted (see {@link
 *     CubeOptions.OnDamage})
 */
public record RecoveryReport(
        boolean cleanStart,
        boolean indexRebuilt,
        long replayedBytes,
        long replayedEntries,
        long tornBytes,
        List<String> damages) {
    public RecoveryReport {
        damages = List.copyOf(damages);
    }
}
