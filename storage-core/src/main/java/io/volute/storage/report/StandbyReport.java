package io.volute.storage.report;

import java.util.OptionalLong;

/**
 * The progress of the standby index of a cube.
 *
 * @param position the end of the log that it has
 * @param behindBytes confirmed bytes of the log that it does not have
 * @param completeAt a time, by the clock of the cube that only goes forward: the index has every
 *     commit that was acknowledged before. Empty while no such time is known
 * @param builds number of times that it was built
 */
public record StandbyReport(
        State state, Position position, long behindBytes, OptionalLong completeAt, long builds) {

    /** An offset in a segment. */
    public record Position(long segmentId, long offset) {
        private static final Position START = new Position(0, 0);
    }

    /** The states of a standby. */
    public enum State {
        /** There is no log, or the last owner was this machine. */
        IDLE,
        /** The index is not built, or was discarded. */
        BUILDING,
        /** The index follows the log. */
        FOLLOWING
    }

    /** The report of a standby that has no index. */
    public static StandbyReport without(State state, long builds) {
        return new StandbyReport(state, Position.START, 0, OptionalLong.empty(), builds);
    }
}
