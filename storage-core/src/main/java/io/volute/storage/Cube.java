package io.volute.storage;

import java.io.IOException;

/**
 * A physically isolated fault domain (IceFS) with its own log, index and recovery: a store of
 * records and blobs, with its maintenance. Code that reads or writes takes a {@link RecordStore},
 * code that operates the cube a {@link CubeMaintenance}; only the owner needs both. Thread-safe.
 */
public interface Cube extends RecordStore, CubeMaintenance, AutoCloseable {

    @Override
    CubeState state();

    /** Flushes the index so that the next start has nothing to replay, and closes everything. */
    @Override
    void close() throws IOException;
}
