package io.volute.storage.report;

import java.util.Optional;

/** The counters of the memory images since they were opened, and their present content. */
public record ImageStats(Reads reads, Writes writes, Upkeep upkeep, Space space) {

    /** The counters of a cube without memory images. */
    public static final ImageStats OFF =
            new ImageStats(
                    new Reads(0, 0, 0),
                    new Writes(0, 0, 0, 0, 0),
                    new Upkeep(0, 0, 0, 0, 0, Optional.empty()),
                    new Space(0, 0, 0, 0, 0, 0));

    /**
     * The reads.
     *
     * @param hits reads served from memory
     * @param misses reads of blobs that are not in memory
     * @param mismatches entries whose checksum or identity did not fit; dropped and not served
     */
    public record Reads(long hits, long misses, long mismatches) {}

    /**
     * The writes.
     *
     * @param admitted entries taken after a second read from the disk
     * @param refused entries refused for lack of memory
     * @param busy entries not taken after a read because another thread was appending
     * @param died entries whose blob was deleted
     */
    public record Writes(long written, long admitted, long refused, long busy, long died) {}

    /**
     * The work of the upkeep.
     *
     * @param evictions decisions to evict
     * @param relocatedBytes bytes copied by both
     * @param evictedEntries live entries that were dropped
     * @param evictedBytes bytes of those entries
     * @param last newest decision to act
     */
    public record Upkeep(
            long compactions,
            long evictions,
            long relocatedBytes,
            long evictedEntries,
            long evictedBytes,
            Optional<ImageDecision> last) {}

    /**
     * The memory.
     *
     * @param budgetBytes bytes that may be allocated
     * @param allocatedBytes bytes of slabs, index and fixed parts; at most the budget
     * @param liveBytes bytes of live entries
     * @param deadBytes dead bytes in images
     * @param entries number of live entries
     * @param images number of open and sealed images
     */
    public record Space(
            long budgetBytes,
            long allocatedBytes,
            long liveBytes,
            long deadBytes,
            int entries,
            int images) {}
}
