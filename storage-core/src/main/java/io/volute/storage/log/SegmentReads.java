package io.volute.storage.log;

import io.volute.storage.Place;
import io.volute.storage.format.LogEntry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;

/** Reads of the entries and chunks of a log by their places. Thread-safe. */
public interface SegmentReads {

    /** Keeps the files of segments readable until it is closed. */
    interface Pin extends AutoCloseable {
        @Override
        void close();
    }

    /**
     * Pins segments for reading.
     *
     * @throws SegmentGoneException when one of them has left the log: look the place up again
     */
    Pin pin(Collection<Long> segmentIds) throws SegmentGoneException;

    /** Reads and verifies the entry at a place; the caller checks its identity. */
    LogEntry readEntry(Place place) throws IOException;

    /** Returns the buffer capacity that {@link #readInline} needs for this place. */
    int inlineBufferBytes(Place place);

    /**
     * Reads the inline blob at a place into the target from index 0, verifies checksum and blob id,
     * and sets position and limit to its content.
     */
    void readInline(Place place, long blobId, ByteBuffer target) throws IOException;

    /** Returns the buffer capacity that {@link #readChunk} needs. */
    int chunkBufferBytes(int chunkBytes);

    /**
     * Reads one chunk into the target from index 0, verifies checksum, blob id and chunk index, and
     * sets position and limit to its content.
     *
     * @param extents extents of the blob, in order
     * @param bytes content length of the blob
     */
    void readChunk(
            long blobId,
            List<Place> extents,
            long bytes,
            int chunkBytes,
            long chunkIndex,
            ByteBuffer target)
            throws IOException;
}
