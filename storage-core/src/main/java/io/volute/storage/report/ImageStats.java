package io.volute.storage.report;

import java.util.Optional;

/** Counters of the memory images since they were opened, and what they hold now. */
public record ImageStats(Reads reads, Writes writes, Upkeep upkeep, Space space) {

    /** Of a cube without memory images. */
    public static final ImageStats OFF =
            new ImageStats(
                    new Reads(0, 0, 0),
                    new Writes(0, 0, 0, 0, 0),
                    new Upkeep(0, 0, 0, 0, 0, Optional.empty()),
                    new Space(0, 0, 0, 0, 0, 0));

    /**
     * @param hits served from memory
     * @param misses not there
     * @param mismatches entries whose checksum or identity did not fit; dropped and not served
     */
    public record Reads(long hits, long misses, long mismatches) {}

    /**
     * @param written entries taken after a commit
     * @param admitted entries taken after a second read from the disk
     * @param refused for lack of memory
     * @param busy not taken after a read because another thread was appending
     * @param died entries whose blob was deleted
     */
    public record Writes(long written, long admitted, long refused, long busy, long died) {}

    /**
     * @param compactions decisions to compact
     * @param evictions decisions to evict
     * @param relocatedBytes copied by both
     * @param evictedEntries dropped though alive
     * @param evictedBytes of them
     * @param last newest decision that was not to rest
     */
    public record Upkeep(
            long compactions,
            long evictions,
            long relocatedBytes,
            long evictedEntries,
            long evictedBytes,
            Optional<ImageDecision> last) {}

    /**
     * @param budgetBytes that may be allocated
     * @param allocatedBytes slabs, index and what is fixed; at most the budget
     * @param liveBytes of entries
     * @param deadBytes in images
     * @param entries alive
     * @param images open and sealed
     */
    public record Space(
            long budgetBytes,
            long allocatedBytes,
            long liveBytes,
            long deadBytes,
            int entries,
            int images) {}
}
