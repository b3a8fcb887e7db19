package io.volute.storage.report;

/**
 * What the index holds, and what it did since it was opened.
 *
 * @param memory that it takes, in bytes
 * @param files that it has
 * @param compaction what is merged and waits for it
 * @param io what was asked of it, and what it wrote
 */
public record IndexStats(Memory memory, Files files, Compaction compaction, Io io) {

    /** Of an index that counts nothing. */
    public static final IndexStats NONE =
            new IndexStats(
                    new Memory(0, 0, 0, 0),
                    new Files(0, 0),
                    new Compaction(0, 0, 0, false),
                    new Io(0, 0, 0, 0));

    /**
     * @param blockCache blocks in the cache
     * @param pinned of it, those in use
     * @param memtables changes that are not flushed
     * @param tableReaders what else open files take
     */
    public record Memory(long blockCache, long pinned, long memtables, long tableReaders) {}

    /**
     * @param bytes of all files
     * @param rows in them, estimated
     */
    public record Files(long bytes, long rows) {}

    /**
     * @param pendingBytes that wait to be merged, estimated
     * @param running merges
     * @param flushing flushes
     * @param holdsWrites writes wait until merging has caught up
     */
    public record Compaction(long pendingBytes, long running, long flushing, boolean holdsWrites) {}

    /**
     * @param cacheHits blocks found in the cache
     * @param cacheMisses blocks read from files
     * @param flushedBytes written by flushes
     * @param compactedBytes written by merges
     */
    public record Io(long cacheHits, long cacheMisses, long flushedBytes, long compactedBytes) {}
}
