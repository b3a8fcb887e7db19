package io.volute.storage.index;

import io.volute.storage.report.IndexStats;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * Sorted tables that are written together. Thread-safe for readers; {@link #write} has one caller
 * at a time.
 *
 * <p>Durability: a flush makes every batch written before it durable, in all tables together. A
 * crash leaves a prefix of the batches that contains the last completed flush, never part of a
 * batch. The store may flush by itself at any time.
 *
 * <p>Reads throw {@link java.io.UncheckedIOException} when the index cannot be read, and {@link
 * IllegalStateException} when it is closed.
 */
public interface KeyValueIndex extends AutoCloseable {

    /** Returns the value of a row; the caller owns the array. */
    Optional<byte[]> get(IndexTable table, byte[] key);

    /** The key of a row in a table. */
    record RowKey(IndexTable table, byte[] key) {}

    /** Returns the values of many rows, in the order of the keys. */
    default List<Optional<byte[]>> getAll(List<RowKey> rows) {
        return rows.stream().map(row -> get(row.table(), row.key())).toList();
    }

    /**
     * Opens a cursor over {@code [from, to)}.
     *
     * @param to exclusive end; an empty array means the end of the table
     */
    IndexCursor cursor(IndexTable table, byte[] from, byte[] to);

    /**
     * Returns all tables as they are now. The snapshot is for reading only, and must be closed
     * before this index. It keeps overwritten rows on the disk, so it should not stay open for
     * long.
     */
    KeyValueIndex snapshot();

    /** Makes the changes visible to every read that begins afterwards. */
    void write(IndexBatch batch) throws IOException;

    /** Makes everything written so far durable. May run beside readers and the writer. */
    void flush() throws IOException;

    /** Returns whether the disk certainly has space for a flush now. */
    default boolean hasRoomToFlush() throws IOException {
        return true;
    }

    /**
     * The free space that the index needs on the file system now.
     *
     * @param flushBytes about the bytes of a flush
     * @param mergeBytes bytes for a merge of everything that was flushed
     */
    record Room(long flushBytes, long mergeBytes) {
        static final Room NONE = new Room(0, 0);
    }

    /** Returns the space that the index needs; 0 for an index in memory. */
    default Room room() {
        return Room.NONE;
    }

    /** Returns the merger of sorted runs, for a caller that finds the time for it. */
    default RunMerger merging() {
        return RunMerger.NONE;
    }

    /** Returns the figures of the index; zeros when it measures nothing. */
    default IndexStats stats() {
        return IndexStats.NONE;
    }

    /** Closes open cursors and everything else, without a flush. */
    @Override
    void close();
}
