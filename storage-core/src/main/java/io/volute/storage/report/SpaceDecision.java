package io.volute.storage.report;

/**
 * A decision of the balancer: whether and how to reclaim space, with the figures behind it.
 *
 * @param reason the reason of the decision
 * @param capacity bytes that segments may take
 * @param free bytes of the capacity that no segment takes
 * @param live bytes of live entries and extents
 * @param tombstones bytes of tombstones that are still needed; 0 when space was not short
 * @param used bytes that segments take, holes excluded
 * @param words the reason in words, with the figures
 */
public record SpaceDecision(
        Reason reason,
        long capacity,
        long free,
        long live,
        long tombstones,
        long used,
        String words) {

    /** Returns a decision to do nothing, made without figures. */
    public static SpaceDecision none(String words) {
        return new SpaceDecision(Reason.NOT_ASKED, 0, 0, 0, 0, 0, words);
    }

    /** Returns the action that was decided. */
    public Action action() {
        return reason.action;
    }

    /** The reason of a decision: the shortage, and the choice of the level. */
    public enum Reason {
        NOT_ASKED(Action.NOTHING),
        /** Enough space is free. */
        ENOUGH_FREE(Action.NOTHING),
        /** Little space is free, and tombstones take much. */
        LOW_TOMBSTONES(Action.COMBINE),
        /** Little space is free, and dead ranges can be punched in place. */
        LOW_HOLES(Action.COMPACT),
        /** Little space is free, and dead ranges are too small to punch. */
        LOW_NO_HOLES(Action.COMBINE),
        /** The log is too large for its live bytes, and tombstones take much. */
        EXPANDED_TOMBSTONES(Action.COMBINE),
        /** The log is too large for its live bytes, and dead ranges can be punched in place. */
        EXPANDED_HOLES(Action.COMPACT),
        /** The log is too large for its live bytes, and dead ranges are too small to punch. */
        EXPANDED_NO_HOLES(Action.COMBINE);

        private final Action action;

        Reason(Action action) {
            this.action = action;
        }

        /** Returns the action for this reason. */
        public Action action() {
            return action;
        }
    }

    /** The action of a decision. */
    public enum Action {
        /** Does nothing: waiting makes segments emptier. */
        NOTHING,
        /** Level one: gives dead ranges back to the file system. */
        COMPACT,
        /** Level two: copies the needed entries of several segments to survivors. */
        COMBINE
    }

    /** Returns L, the live fraction of the capacity. */
    public double liveShare() {
        return share(live);
    }

    /** Returns F, the free fraction of the capacity. */
    public double freeShare() {
        return share(free);
    }

    /** Returns T, the fraction of the capacity that needed tombstones take. */
    public double tombstoneShare() {
        return share(tombstones);
    }

    /** Returns the bytes of segments for each live byte. */
    public double expansion() {
        return live == 0 ? 0 : (double) used / live;
    }

    private double share(long bytes) {
        return capacity == 0 ? 0 : (double) bytes / capacity;
    }
}
