package io.volute.storage.index;

import java.io.IOException;
import java.nio.file.Path;

/** Where indexes come from: RocksDB, or memory in tests that simulate crashes. */
public interface IndexFactory {

    /** Whether something lies in the directory. */
    boolean exists(Path directory) throws IOException;

    /**
     * Opens the index, making an empty one where there is none.
     *
     * @throws IndexUnusableException when what lies there cannot be opened: it has to be made anew
     */
    KeyValueIndex open(IndexSettings settings) throws IOException;

    /**
     * Moves the index out of the way, then deletes it, so that a half-deleted one is never opened.
     */
    void discard(Path directory) throws IOException;
}
