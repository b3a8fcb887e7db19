package io.volute.storage;

import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * A complete blob that waits for the transaction that refers to it. Blobs up to the inline limit
 * are still in memory; longer ones are already durable in a stream segment. The bytes of a blob
 * that is not committed before a crash are dead space afterwards. Close it when it will not be
 * committed.
 */
public interface PendingBlob extends AutoCloseable {
    /** Returns the id of the blob. */
    BlobId id();

    /** Returns the length of the content in bytes. */
    long bytes();

    /**
     * Returns the content of a blob that is still in memory. A caller that takes it must not commit
     * the blob as well.
     */
    Optional<ByteBuffer> inMemory();

    /** Gives the space back if the blob was not committed; has no effect after a commit. */
    @Override
    void close();
}
