package io.volute.storage.report;

/**
 * Whether and how space is reclaimed, with what the decision was made from.
 *
 * @param capacity bytes that segments may take
 * @param free bytes of it that no segment takes
 * @param live bytes of live entries and extents
 * @param tombstones bytes of tombstones that are still needed; 0 when space was not short
 * @param used bytes that segments take, holes not counted
 * @param reason that decided
 * @param words the same in words, with the figures
 */
public record SpaceDecision(
        Reason reason,
        long capacity,
        long free,
        long live,
        long tombstones,
        long used,
        String words) {

    /** The decision of a balancer that was not asked yet, or of none. */
    public static SpaceDecision none(String words) {
        return new SpaceDecision(Reason.NOT_ASKED, 0, 0, 0, 0, 0, words);
    }

    /** What was decided. */
    public Action action() {
        return reason.action;
    }

    /** Why: what made it necessary, and what made it this level. */
    public enum Reason {
        NOT_ASKED(Action.NOTHING),
        /** Enough is free. */
        ENOUGH_FREE(Action.NOTHING),
        /** Little is free, and much of it is tombstones. */
        LOW_TOMBSTONES(Action.COMBINE),
        /** Little is free, and dead ranges can be given back as they are. */
        LOW_HOLES(Action.COMPACT),
        /** Little is free, and dead ranges are too small. */
        LOW_NO_HOLES(Action.COMBINE),
        /** The log is too large for what is live, and much of it is tombstones. */
        EXPANDED_TOMBSTONES(Action.COMBINE),
        /** The log is too large for what is live, and dead ranges can be given back. */
        EXPANDED_HOLES(Action.COMPACT),
        /** The log is too large for what is live, and dead ranges are too small. */
        EXPANDED_NO_HOLES(Action.COMBINE);

        private final Action action;

        Reason(Action action) {
            this.action = action;
        }

        /** What is decided for this reason. */
        public Action action() {
            return action;
        }
    }

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
