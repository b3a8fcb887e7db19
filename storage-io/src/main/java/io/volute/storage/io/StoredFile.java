package io.volute.storage.io;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * An open file with positional access. Thread-safe: several readers and writers of disjoint ranges
 * may use it at once.
 */
public interface StoredFile extends AutoCloseable {

    /** Writes all remaining bytes of the source at the offset, however many calls that takes. */
    void write(ByteBuffer source, long offset, WriteCause cause) throws IOException;

    /**
     * Writes a source whose last bytes are padding: one call to the disk, two causes in the totals.
     *
     * @param padding trailing bytes of the source that count as {@link WriteCause#PADDING}
     */
    default void writePadded(ByteBuffer source, long offset, WriteCause cause, int padding)
            throws IOException {
        write(source, offset, cause);
    }

    /**
     * Reads until the target is full or the file ends.
     *
     * @return the number of bytes read; less than {@code target.remaining()} only at the end
     */
    int read(ByteBuffer target, long offset) throws IOException;

    /**
     * Makes everything written so far durable (fdatasync). A failure is final for this file: every
     * later call fails too, because the kernel marks failed pages clean and a retry would lie.
     */
    void force() throws IOException;

    /**
     * Gives a dead range back to the file system: it reads as zeros afterwards, and the length of
     * the file stays. A crash may leave any part of a range that was not forced.
     *
     * @return false where the file system or the platform cannot punch; then nothing has changed
     */
    boolean punch(long offset, long bytes) throws IOException;

    /**
     * Returns the bytes of a range that take space on the file system; bytes behind the end of the
     * file do not. Where the file system cannot report it, returns all bytes that lie in the file.
     */
    default long allocatedBytes(long offset, long bytes) throws IOException {
        return Math.max(0, Math.min(size(), offset + bytes) - offset);
    }

    /** Returns the size of the file in bytes. */
    long size() throws IOException;

    @Override
    void close() throws IOException;
}
