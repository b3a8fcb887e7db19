package io.volute.storage.log.file;

import io.volute.storage.Place;
import io.volute.storage.format.BatchCodec;
import io.volute.storage.format.BatchHeader;
import io.volute.storage.format.LogEntry;
import io.volute.storage.format.PlaceChecksum;
import io.volute.storage.format.SegmentFormat;
import io.volute.storage.io.StoredFile;
import io.volute.storage.io.WriteCause;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** The buffer of the batch that is being written to a head. Used by one thread. */
final class BatchBuffer {
    private static final int BYTES_MIN = 256 << 10;

    private final BatchCodec codec;
    private ByteBuffer buffer;

    BatchBuffer(UUID cubeId, int segmentBytes) {
        this.codec = new BatchCodec(new PlaceChecksum(cubeId));
        this.buffer = ByteBuffer.allocateDirect(Math.min(BYTES_MIN, segmentBytes));
    }

    /**
     * Fills the buffer with a batch and zeros up to a page: the kernel would have to read the rest
     * of a page that it does not hold.
     */
    List<Place> encode(List<LogEntry> entries, long entryBytes, BatchCodec.Stamp stamp) {
        long offset = stamp.offset();
        int bytes =
                (int) (SegmentFormat.pageUp(offset + BatchHeader.batchBytes(entryBytes)) - offset);
        if (buffer.capacity() < bytes) {
            buffer = ByteBuffer.allocateDirect(Math.max(bytes, 2 * buffer.capacity()));
        }
        List<Place> places = codec.encode(entries, stamp, buffer);
        BatchCodec.pad(buffer.position(buffer.limit()), bytes);
        return places;
    }

    /** Writes and forces the batch. */
    void write(StoredFile file, long offset, long entryBytes, WriteCause cause) throws IOException {
        int padding = (int) (buffer.remaining() - BatchHeader.BYTES - entryBytes);
        file.writePadded(buffer, offset, cause, padding);
        file.force();
    }

    /** Writes and forces the batch; returns the failure, if any. */
    Optional<IOException> tryWrite(
            StoredFile file, long offset, long entryBytes, WriteCause cause) {
        try {
            write(file, offset, entryBytes, cause);
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of(e);
        }
    }

    /** Returns whether the batch is in a file as a whole, before the end of the file's content. */
    boolean isIn(StoredFile file, long offset, long entryBytes, long end) throws IOException {
        int bytes = (int) (BatchHeader.BYTES + entryBytes);
        if (end < offset + bytes) {
            return false;
        }
        ByteBuffer found = ByteBuffer.allocate(bytes);
        int read = file.read(found, offset);
        return read == bytes && found.flip().equals(buffer.duplicate().position(0).limit(bytes));
    }
}
