package io.volute.storage.report;

/**
 * The progress of the standby index of a cube.
 *
 * @param behindBytes confirmed bytes of the log that it does not have
 * @param builds number of times that it was built
 */
public record StandbyReport(State state, long behindBytes, long builds) {

    /** The states of a standby. */
    public enum State {
        /** There is no log, or the last owner was this machine. */
        IDLE,
        /** The index is not built, or was discarded. */
        BUILDING,
        /** The index follows the log. */
        FOLLOWING
    }
}
