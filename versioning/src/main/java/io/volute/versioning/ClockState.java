package io.volute.versioning;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The clock beside the commits of a cube.
 *
 * @param behind by how much the clock is behind the last commit; 0 when it is not
 * @param unknown the stretches of time whose past is refused, the oldest first
 */
public record ClockState(Duration behind, List<Unknown> unknown) {
    public ClockState {
        unknown = List.copyOf(unknown);
    }

    /**
     * A stretch of time.
     *
     * @param from the first millisecond
     * @param until the last millisecond; empty until the clock has caught up
     */
    public record Unknown(Instant from, Optional<Instant> until) {}
}
