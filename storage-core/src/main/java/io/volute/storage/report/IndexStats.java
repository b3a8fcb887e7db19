package io.volute.storage.report;

/**
 * The content of the index, and its work since it was opened.
 *
 * @param memory memory that the index takes, in bytes
 * @param files files of the index
 * @param compaction merges under way and pending
 * @param io lookups, and bytes written
 */
public record IndexStats(Memory memory, Files files, Compaction compaction, Io io) {

    /** The figures of an index that measures nothing. */
    public static final IndexStats NONE =
            new IndexStats(
                    new Memory(0, 0, 0, 0),
                    new Files(0, 0),
                    new Compaction(0, 0, 0, false),
                    new Io(0, 0, 0, 0));

    /**
     * The memory of the index, in bytes.
     *
     * @param pinned blocks in the cache that are in use
     * @param memtables changes that are not flushed
     * @param tableReaders other memory of open files
     */
    public record Memory(long blockCache, long pinned, long memtables, long tableReaders) {}

    /**
     * The files of the index.
     *
     * @param bytes bytes of all files
     * @param rows estimated number of rows in them
     */
    public record Files(long bytes, long rows) {}

    /**
     * The merges and flushes of the index.
     *
     * @param pendingBytes estimated bytes that wait to be merged
     * @param running number of running merges
     * @param flushing number of running flushes
     * @param holdsWrites whether writes wait until merging has caught up
     */
    public record Compaction(long pendingBytes, long running, long flushing, boolean holdsWrites) {}

    /**
     * The reads and writes of the index.
     *
     * @param cacheMisses blocks read from files
     * @param flushedBytes bytes written by flushes
     * @param compactedBytes bytes written by merges
     */
    public record Io(long cacheHits, long cacheMisses, long flushedBytes, long compactedBytes) {}
}
