package io.volute.storage;

/**
 * Whether and how space is reclaimed, with what the decision was made from.
 *
 * @param capacity bytes that segments may take
 * @param free bytes of it that no segment takes
 * @param live bytes of live entries and extents
 * @param tombstones bytes of tombstones that are still needed; 0 when space was not short
 * @param used bytes that segments take, holes not counted
 * @param reason in words, with the figures that decided
 */
public record SpaceDecision(
        Action action,
        long capacity,
        long free,
        long live,
        long tombstones,
        long used,
        String reason) {

    /** What to do. */
    public enum Action {
        /** Waiting only makes segments emptier. */
        NOTHING,
        /** Level one: dead ranges go back to the file system. */
        COMPACT,
        /** Level two: what is needed of several segments goes to survivors. */
        COMBINE
    }

    /** L: the share of the capacity that is live. */
    public double liveShare() {
        return share(live);
    }

    /** F: the share of the capacity that is free. */
    public double freeShare() {
        return share(free);
    }

    /** T: the share of the capacity that needed tombstones take. */
    public double tombstoneShare() {
        return share(tombstones);
    }

    /** Bytes of segments for a byte that is live. */
    public double expansion() {
        return live == 0 ? 0 : (double) used / live;
    }

    private double share(long bytes) {
        return capacity == 0 ? 0 : (double) bytes / capacity;
    }
}
