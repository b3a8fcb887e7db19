package io.volute.storage.index;

import java.io.IOException;
import java.nio.file.Path;

/** The source of indexes: RocksDB, or memory in tests that simulate crashes. */
public interface IndexFactory {

    /** Returns whether the directory holds an index. */
    boolean exists(Path directory) throws IOException;

    /**
     * Opens the index, or creates an empty one.
     *
     * @throws IndexUnusableException when the index there cannot be opened and has to be rebuilt
     */
    KeyValueIndex open(IndexSettings settings) throws IOException;

    /** Moves the index aside, then deletes it, so that a half-deleted one is never opened. */
    void discard(Path directory) throws IOException;
}
