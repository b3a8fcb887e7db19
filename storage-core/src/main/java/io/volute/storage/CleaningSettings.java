package io.volute.storage;

/**
 * The settings that control when and how a cube reclaims space. Source of the thresholds:
 * Log-structured Memory for DRAM-based Storage, section 4.
 *
 * @param threads number of cleaning threads; 0: the cube is cleaned on request only
 * @param capacityBytes bytes that segments may take; 0: the size of the file system
 * @param freeShare free fraction of the capacity at which cleaning begins; half of the fraction
 *     that is not live, if that is less
 * @param tombstoneShare fraction of the capacity that is not live; when tombstones exceed it,
 *     combined cleaning is preferred
 * @param expansionFactor greatest number of log bytes for each live byte
 * @param expansionShare fraction of the expansion factor above which cleaning runs
 * @param reserveSegments segments reserved for the cleaner; half as many, at least one, are
 *     reserved for deletes in addition
 * @param compaction whether dead ranges are punched in place; otherwise only combined cleaning
 *     reclaims them
 * @param holeBytesMin smallest number of dead bytes of one blob in a head or survivor segment that
 *     is punched: each hole costs a call, and a transaction of the file system
 * @param age the age by which segments are chosen
 */
public record CleaningSettings(
        int threads,
        long capacityBytes,
        double freeShare,
        double tombstoneShare,
        double expansionFactor,
        double expansionShare,
        int reserveSegments,
        boolean compaction,
        int holeBytesMin,
        Age age) {
    private static final int HOLE_BYTES_MIN = 16 << 10;

    /** The age that makes a segment worth cleaning. */
    public enum Age {
        /** The age of the segment itself. */
        SEGMENT,
        /**
         * The mean age of the bytes in the segment. For comparison only; see section 5 of the
         * source.
         */
        OBJECT
    }

    public CleaningSettings {
        if (threads < 0 || capacityBytes < 0 || reserveSegments < 0 || holeBytesMin < 0) {
            throw new IllegalArgumentException("negative: threads, capacity, reserve or hole");
        }
        if (expansionFactor <= 1) {
            throw new IllegalArgumentException("the expansion factor must be greater than 1");
        }
    }

    /** Creates settings with both levels of cleaning, and the age of segments. */
    public CleaningSettings(
            int threads,
            long capacityBytes,
            double freeShare,
            double tombstoneShare,
            double expansionFactor,
            double expansionShare,
            int reserveSegments) {
        this(
                threads,
                capacityBytes,
                freeShare,
                tombstoneShare,
                expansionFactor,
                expansionShare,
                reserveSegments,
                true,
                HOLE_BYTES_MIN,
                Age.SEGMENT);
    }

    /** Returns the defaults of a server. */
    public static CleaningSettings defaults() {
        return new CleaningSettings(1, 0, 0.1, 0.4, 2.0, 0.9, 8);
    }

    /** Returns settings that clean on request only, and punch every dead page then. */
    public static CleaningSettings onlyWhenAsked() {
        return new CleaningSettings(0, 0, 0.1, 0.4, 2.0, 0.9, 0).withHoles(0);
    }

    /** Returns a copy with another {@code holeBytesMin}. */
    public CleaningSettings withHoles(int bytesMin) {
        return new CleaningSettings(
                threads,
                capacityBytes,
                freeShare,
                tombstoneShare,
                expansionFactor,
                expansionShare,
                reserveSegments,
                compaction,
                bytesMin,
                age);
    }

    /** Returns a copy with another number of threads. */
    public CleaningSettings withThreads(int count) {
        return new CleaningSettings(
                count,
                capacityBytes,
                freeShare,
                tombstoneShare,
                expansionFactor,
                expansionShare,
                reserveSegments,
                compaction,
                holeBytesMin,
                age);
    }

    /** Returns the number of segments reserved for deletes and the cleaner. */
    public int deleteReserveSegments() {
        return reserveSegments == 0 ? 0 : Math.max(1, reserveSegments / 2);
    }
}
