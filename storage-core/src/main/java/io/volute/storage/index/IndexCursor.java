package io.volute.storage.index;

/**
 * A cursor over a range of one table in bytewise key order, over a fixed snapshot. It is positioned
 * before the first row when opened. Used by one thread; must be closed.
 */
public interface IndexCursor extends AutoCloseable {

    /** Steps to the next row; returns false at the end of the range. */
    boolean next();

    /**
     * Steps to the first row with a key at or after this one; returns false at the end of the
     * range.
     */
    boolean seek(byte[] key);

    /**
     * Steps like {@link #seek} to a key that is probably near and ahead. This is cheaper when few
     * rows lie between.
     */
    default boolean skipTo(byte[] key) {
        return seek(key);
    }

    byte[] key();

    byte[] value();

    @Override
    void close();
}
