package io.volute.versioning.state;

/** Several cursors that are opened and closed together. */
public interface CursorSet extends AutoCloseable {
    /** Opens the cursors one after the other. */
    interface Opening<C extends CursorSet> {
        C open();
    }

    @Override
    void close();
}
