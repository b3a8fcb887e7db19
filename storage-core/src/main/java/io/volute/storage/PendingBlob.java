package io.volute.storage;

import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * A blob whose bytes are all there, waiting for the transaction that refers to it. Bodies up to the
 * inline limit are still in memory; longer ones are already durable in a stream segment. What is
 * not committed before a crash is dead space afterwards. Close it when it will not be committed.
 */
public interface PendingBlob extends AutoCloseable {
    BlobId id();

    /** Length of the content in bytes. */
    long bytes();

    /**
     * The content, of a body that is still in memory; who asks must not commit the blob as well.
     */
    Optional<ByteBuffer> inMemory();

    /** Gives the space back if the blob was not committed; harmless after a commit. */
    @Override
    void close();
}
