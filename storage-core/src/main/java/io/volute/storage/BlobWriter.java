package io.volute.storage;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The writer of one blob, which takes its bytes in order. Used by one thread at a time. Calls may
 * block on the disk.
 */
public interface BlobWriter extends AutoCloseable {

    /**
     * Writes all remaining bytes of the source. The writer holds less than one chunk in memory, or
     * up to the inline limit.
     */
    void write(ByteBuffer source) throws IOException;

    /** Ends the blob. All bytes of a blob above the inline limit are durable on return. */
    PendingBlob finish() throws IOException;

    /** Abandons the blob unless it was finished. */
    @Override
    void close();
}
