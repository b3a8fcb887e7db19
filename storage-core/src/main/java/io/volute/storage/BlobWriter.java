package io.volute.storage;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Takes the bytes of one blob in order. Used by one thread at a time; may block on the disk. */
public interface BlobWriter extends AutoCloseable {

    /** Takes all remaining bytes. Memory held stays below one chunk (or the inline limit). */
    void write(ByteBuffer source) throws IOException;

    /** Ends the blob. For bodies above the inline limit all bytes are durable on return. */
    PendingBlob finish() throws IOException;

    /** Abandons the blob unless it was finished. */
    @Override
    void close();
}
