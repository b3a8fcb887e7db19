package io.volute.benchmarks.cleaning.store;

import io.volute.storage.CubeUnavailableException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * Objects under numbered keys in a store that is measured, whatever is between it and the one who
 * measures. Thread-safe, but for {@link #close}.
 */
public interface MeasuredStore extends AutoCloseable {

    /**
     * Writes a version of an object, durable on return.
     *
     * @param buffer has room for it, and holds what the caller does not need
     * @throws CubeUnavailableException when it is refused; BUSY and FULL may be tried again
     */
    void put(long key, int version, int bytes, ByteBuffer buffer) throws IOException;

    /**
     * @throws CubeUnavailableException as {@link #put}
     */
    void delete(long key) throws IOException;

    /**
     * Reads an object; returns what is wrong with it, or empty.
     *
     * @param buffer has room for more than the object
     */
    Optional<String> check(long key, int version, int bytes, ByteBuffer buffer);

    /** Number of objects that a listing finds. */
    long count() throws IOException;

    /** Returns the current totals of the store's space. */
    Spaces spaces() throws IOException;

    /** Returns the bytes written since the store was opened. */
    WrittenBytes written() throws IOException;

    /** The process that has the store. */
    ProcessHandle process();

    @Override
    void close() throws IOException;
}
