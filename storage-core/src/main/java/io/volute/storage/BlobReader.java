package io.volute.storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Reads one blob. Pins the blob: its bytes stay readable until {@link #close}, even when it is
 * deleted meanwhile. Used by one thread at a time.
 */
public interface BlobReader extends AutoCloseable {

    /** Length of the content in bytes. */
    long bytes();

    /** The parts of a composed blob in order; empty for a plain one. */
    List<Transaction.Part> parts();

    /** Capacity that the target of {@link #read} must have to read at this offset. */
    int bufferBytes(long offset);

    /**
     * Reads the entry or chunk that holds {@code offset} into the target (from its index 0),
     * verifies checksum and identity, and sets the target's position and limit to the content bytes
     * from {@code offset} on, ending at the end of that chunk or at {@code endOffset}, whichever
     * comes first. At least one byte is delivered when {@code offset < endOffset <= bytes()}.
     *
     * @param target at least {@link #bufferBytes} of capacity; direct buffers avoid a copy
     * @throws DamagedException when what lies there is not what was written; nothing is delivered
     */
    void read(long offset, long endOffset, ByteBuffer target) throws IOException;

    @Override
    void close();
}
