package io.volute.storage.report;

import java.util.List;

/**
 * The result of opening a cube.
 *
 * @param cleanStart whether the last close was clean, so that nothing was replayed
 * @param indexRebuilt whether the index was missing or unusable and was rebuilt from the segments
 * @param replayedBytes log bytes read to bring the index up to date
 * @param replayedEntries entries applied
 * @param tornBytes bytes of an unacknowledged tail that were cut off
 * @param damages one line for each damaged place that was accepted (see {@code
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
