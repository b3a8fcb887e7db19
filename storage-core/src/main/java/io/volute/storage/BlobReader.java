package io.volute.storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Reads one blob. Pins the blob: its bytes stay readable until {@link #close}, even when it is
 * deleted meanwhile. Used by one thread at a time.
 */
public interface BlobReader extends AutoCloseable {

    /** Returns the length of the content in bytes. */
    long bytes();

    /**
     * Returns the parts of a composed blob in order; an empty list for a plain blob. The list is
     * read by each call and can be long, so do not keep it while you wait for somebody.
     */
    List<Transaction.Part> parts() throws IOException;

    /** Returns the capacity in bytes that the target of {@link #read} needs at this offset. */
    int bufferBytes(long offset);

    /**
     * Reads the entry or chunk that holds {@code offset} into the target (from its index 0), and
     * verifies checksum and identity. Sets the target's position and limit to the content bytes
     * from {@code offset} on. They end at the end of that chunk or at {@code endOffset}, whichever
     * comes first. At least one byte is delivered when {@code offset < endOffset <= bytes()}.
     *
     * @param target a buffer with at least {@link #bufferBytes} of capacity; direct buffers avoid a
     *     copy
     * @throws DamagedException when the stored bytes are not the written ones; nothing is delivered
     */
    void read(long offset, long endOffset, ByteBuffer target) throws IOException;

    @Override
    void close();
}
