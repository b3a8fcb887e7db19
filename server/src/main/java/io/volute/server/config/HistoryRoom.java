package io.volute.server.config;

/**
 * The space that history may use before its retention is over.
 *
 * @param share of the capacity
 * @param underPressure the action when space runs low
 */
public record HistoryRoom(double share, UnderPressure underPressure) {

    /** The action when history uses more than its share, or space runs low. */
    public enum UnderPressure {
        /** The oldest history goes. */
        TRIM,
        /** None goes; once the store is full, writes are refused. */
        REFUSE
    }
}
