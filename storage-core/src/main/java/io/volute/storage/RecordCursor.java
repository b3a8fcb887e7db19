package io.volute.storage;

/**
 * A cursor over the records of one family in key order, over a fixed snapshot. It is positioned
 * before the first record when opened. Used by one thread; must be closed.
 *
 * <p>{@code while (cursor.next()) { cursor.key(); cursor.record(); }}
 */
public interface RecordCursor extends AutoCloseable {

    /** Steps to the next record; returns false at the end of the range. */
    boolean next();

    /**
     * Steps to the first record with a key at or after this one; returns false at the end of the
     * range.
     */
    boolean seek(byte[] key);

    /**
     * Steps like {@link #seek} to a key that is probably near and ahead. This is cheaper when few
     * records lie between.
     */
    default boolean skipTo(byte[] key) {
        return seek(key);
    }

    /** Returns the key of the current record. */
    byte[] key();

    /** Returns the current record. */
    StoredRecord record();

    @Override
    void close();
}
