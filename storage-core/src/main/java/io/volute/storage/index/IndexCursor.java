package io.volute.storage.index;

/**
 * Walks a range of one table in bytewise key order over a fixed snapshot. Used by one thread; must
 * be closed. Positioned before the first row when opened.
 */
public interface IndexCursor extends AutoCloseable {

    /** Steps to the next row; false at the end of the range. */
    boolean next();

    /** Steps to the first row with a key at or after this one; false at the end of the range. */
    boolean seek(byte[] key);

    /** As {@link #seek}, to a key ahead that may be near: cheaper when a few rows lie between. */
    default boolean skipTo(byte[] key) {
        return seek(key);
    }

    byte[] key();

    byte[] value();

    @Override
    void close();
}
