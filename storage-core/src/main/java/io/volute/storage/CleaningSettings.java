package io.volute.storage;

/**
 * When and how a cube reclaims space. Source of the thresholds: Log-structured Memory for
 * DRAM-based Storage, section 4.
 *
 * @param threads that clean; 0: only when asked
 * @param capacityBytes that segments may take; 0: what the file system has
 * @param freeShare cleaning begins when the free share of the capacity is at most this, or half of
 *     what is not live if that is less
 * @param tombstoneShare of the capacity that is not live, from which on combined cleaning is
 *     preferred
 * @param expansionFactor bytes of log for a byte that is live, at most
 * @param expansionShare of the expansion factor, from which on combined cleaning runs
 * @param reserveSegments kept for the cleaner; half as many again, at least one, are kept for
 *     deletes
 */
public record CleaningSettings(
        int threads,
        long capacityBytes,
        double freeShare,
        double tombstoneShare,
        double expansionFactor,
        double expansionShare,
        int reserveSegments) {

    public CleaningSettings {
        if (threads < 0 || capacityBytes < 0 || reserveSegments < 0) {
            throw new IllegalArgumentException("negative: threads, capacity or reserve");
        }
        if (expansionFactor <= 1) {
            throw new IllegalArgumentException("the expansion factor must be greater than 1");
        }
    }

    /** The defaults of a server. */
    public static CleaningSettings defaults() {
        return new CleaningSettings(1, 0, 0.1, 0.4, 2.0, 0.9, 3);
    }

    /** Cleans only when asked. */
    public static CleaningSettings onlyWhenAsked() {
        return new CleaningSettings(0, 0, 0.1, 0.4, 2.0, 0.9, 0);
    }

    /** Segments that only deletes and the cleaner may take. */
    public int deleteReserveSegments() {
        return reserveSegments == 0 ? 0 : Math.max(1, reserveSegments / 2);
    }
}
