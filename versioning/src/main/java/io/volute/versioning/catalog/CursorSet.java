package io.volute.versioning.catalog;

/** Several cursors that are opened and closed together. */
interface CursorSet extends AutoCloseable {
    /** Opens them one after the other. */
    interface Opening<C extends CursorSet> {
        C open();
    }

    @Override
    void close();
}
