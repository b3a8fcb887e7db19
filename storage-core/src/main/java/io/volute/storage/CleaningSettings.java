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
 * @param compaction whether dead ranges are given back as they are, or only by combined cleaning
 * @param holeBytesMin dead bytes of one blob in a head or survivor segment, from which on they are
 *     given back as they are: each hole costs a call, and a transaction of the file system
 * @param age by which segments are chosen
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

    /** Whose age makes a segment worth cleaning. */
    public enum Age {
        /** The segment's own. */
        SEGMENT,
        /** That of the bytes in it: to compare with only, see section 5 of the source. */
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

    /** Settings with both levels, and the age of segments. */
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

    /** The defaults of a server. */
    public static CleaningSettings defaults() {
        return new CleaningSettings(1, 0, 0.1, 0.4, 2.0, 0.9, 8);
    }

    /** Cleans only when asked, and gives every dead page back then. */
    public static CleaningSettings onlyWhenAsked() {
        return new CleaningSettings(0, 0, 0.1, 0.4, 2.0, 0.9, 0).withHoles(0);
    }

    /** With holes from this many bytes on. */
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

    /** Segments that only deletes and the cleaner may take. */
    public int deleteReserveSegments() {
        return reserveSegments == 0 ? 0 : Math.max(1, reserveSegments / 2);
    }
}
