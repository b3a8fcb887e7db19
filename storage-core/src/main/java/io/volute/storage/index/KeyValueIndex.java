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

    /** The value of a row; the caller owns the array. */
    Optional<byte[]> get(IndexTable table, byte[] key);

    /** The key of a row in a table. */
    record RowKey(IndexTable table, byte[] key) {}

    /** The values of many rows, in the order in which they are asked for. */
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
     * All tables as they are now, whatever is written later. For reading only, and closed before
     * this is. Keeps what is overwritten meanwhile on the disk: not for long.
     */
    KeyValueIndex snapshot();

    /** Makes the changes visible to every read that begins afterwards. */
    void write(IndexBatch batch) throws IOException;

    /** Makes everything written so far durable; may run beside readers and the writer. */
    void flush() throws IOException;

    /** Whether the disk surely has room for a flush now. */
    default boolean hasRoomToFlush() throws IOException {
        return true;
    }

    /**
     * What it needs of the file system beside what it takes, now.
     *
     * @param flushBytes to flush, roughly
     * @param mergeBytes to merge all that was flushed
     */
    record Room(long flushBytes, long mergeBytes) {
        static final Room NONE = new Room(0, 0);
    }

    /** None, where nothing lies on a file system. */
    default Room room() {
        return Room.NONE;
    }

    /** For who knows when it has time for that. */
    default RunMerging merging() {
        return RunMerging.NONE;
    }

    /** What it holds and did; nothing, where nobody counts. */
    default IndexStats stats() {
        return IndexStats.NONE;
    }

    /** Closes cursors that are still open, and everything else, without flushing. */
    @Override
    void close();
}
