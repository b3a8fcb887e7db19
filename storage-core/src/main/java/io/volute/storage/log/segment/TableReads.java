package io.volute.storage.log.segment;

import io.volute.storage.Place;
import io.volute.storage.format.ChunkHeader;
import io.volute.storage.format.LogEntry;
import io.volute.storage.log.SegmentGoneException;
import io.volute.storage.log.SegmentReads;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;

/** Reads of the segments in a table. Thread-safe. */
public final class TableReads implements SegmentReads {
    private final SegmentTable table;
    private final EntryReader reading;

    /** Creates reads with a reader of the same table. */
    public TableReads(SegmentTable table, EntryReader reading) {
        this.table = table;
        this.reading = reading;
    }

    @Override
    public Pin pin(Collection<Long> segmentIds) throws SegmentGoneException {
        return table.pin(segmentIds);
    }

    @Override
    public LogEntry readEntry(Place place) throws IOException {
        return reading.entry(place);
    }

    @Override
    public int inlineBufferBytes(Place place) {
        return Math.toIntExact(place.bytes());
    }

    @Override
    public void readInline(Place place, long blobId, ByteBuffer target) throws IOException {
        reading.inline(place, blobId, target);
    }

    @Override
    public int chunkBufferBytes(int chunkBytes) {
        return ChunkHeader.BYTES + chunkBytes;
    }

    @Override
    public void readChunk(
            long blobId,
            List<Place> extents,
            long bytes,
            int chunkBytes,
            long chunkIndex,
            ByteBuffer target)
            throws IOException {
        long left = bytes - chunkIndex * chunkBytes;
        if (chunkIndex < 0 || left <= 0) {
            throw new IllegalArgumentException(
                    "no chunk " + chunkIndex + " in blob " + blobId + " of " + bytes + " bytes");
        }
        ChunkHeader expected =
                new ChunkHeader(
                        blobId, Math.toIntExact(chunkIndex), (int) Math.min(left, chunkBytes));
        reading.chunk(expected, extents, chunkBytes, target);
    }
}
