package io.volute.storage;

/**
 * Walks the records of one family in key order over a fixed snapshot. Used by one thread; must be
 * closed. Positioned before the first record when opened.
 *
 * <p>{@code while (cursor.next()) { cursor.key(); cursor.record(); }}
 */
public interface RecordCursor extends AutoCloseable {

    /** Steps to the next record; false at the end of the range. */
    boolean next();

    /** Steps to the first record with a key at or after this one; false at the end of the range. */
    boolean seek(byte[] key);

    /**
     * As {@link #seek}, to a key ahead that may be near: cheaper when a few records lie between.
     */
    default boolean skipTo(byte[] key) {
        return seek(key);
    }

    byte[] key();

    StoredRecord record();

    @Override
    void close();
}
