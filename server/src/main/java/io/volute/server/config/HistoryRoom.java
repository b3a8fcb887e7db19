package io.volute.server.config;

/**
 * What room history may take before its retention is over.
 *
 * @param share of the capacity
 * @param underPressure what gives way
 */
public record HistoryRoom(double share, UnderPressure underPressure) {

    /** When history takes more than its share, or space runs low. */
    public enum UnderPressure {
        /** The oldest history goes. */
        TRIM,
        /** None goes; once the store is full, writes are refused. */
        REFUSE
    }
}
