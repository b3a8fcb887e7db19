package io.volute.storage.cleaning;

import io.volute.storage.CubeUnavailableException;
import java.util.function.LongSupplier;

/** The load that clients put on the cube, as the pace of cleaning sees it. Thread-safe. */
interface ClientLoad {
    /** Returns the bytes that clients have written since the cube was opened. */
    long writtenBytes();

    /**
     * Returns the fraction of the cushion that is still free. The cushion is the space between the
     * level at which cleaning begins and the level at which clients wait; the result is above 1
     * when more is free, and below 0 when clients already wait.
     */
    double cushionLeft();

    /** Returns the size of a commit in bytes, averaged over the last few. */
    long commitBytes();

    /**
     * Waits until clients have written a number of bytes, space is short, or 20 ms have passed.
     *
     * @param due computes that number from the present free space; compared with {@link
     *     #writtenBytes}
     * @throws CubeUnavailableException CLOSED when the cube is closing
     */
    void awaitWritten(LongSupplier due) throws CubeUnavailableException;
}
