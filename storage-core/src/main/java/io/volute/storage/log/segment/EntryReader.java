package io.volute.storage.log.segment;

import io.volute.storage.DamagedException;
import io.volute.storage.Place;
import io.volute.storage.format.ChunkHeader;
import io.volute.storage.format.EntryCodec;
import io.volute.storage.format.FormatException;
import io.volute.storage.format.LogEntry;
import io.volute.storage.format.PlaceChecksum;
import io.volute.storage.io.StoredFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.LongAdder;

/** Reads entries and chunks by place; verifies checksum and identity on every read. */
public final class EntryReader {
    private final UUID cubeId;
    private final SegmentTable table;
    private final Source source;
    private final LongAdder damages;

    /** The source of the bytes of segments. */
    interface Source {
        /**
         * Fills the target from its position on, as far as the file goes.
         *
         * @return number of bytes read
         */
        int read(long segmentId, StoredFile file, long offset, ByteBuffer target)
                throws IOException;
    }

    public EntryReader(UUID cubeId, SegmentTable table) {
        this(
                cubeId,
                table,
                (id, file, offset, target) -> file.read(target, offset),
                new LongAdder());
    }

    private EntryReader(UUID cubeId, SegmentTable table, Source source, LongAdder damages) {
        this.cubeId = cubeId;
        this.table = table;
        this.source = source;
        this.damages = damages;
    }

    /** Returns a reader with another source of bytes. */
    public EntryReader through(Source other) {
        return new EntryReader(cubeId, table, other, damages);
    }

    public long damages() {
        return damages.sum();
    }

    /** A read of one entry. */
    private interface Read<T> {
        T run() throws IOException;
    }

    /** Reads; reads again if the store could put back what was damaged. */
    private <T> T read(long segmentId, Read<T> read) throws IOException {
        try {
            return read.run();
        } catch (DamagedException e) {
            if (!table.get(segmentId).restore()) {
                throw e;
            }
            return read.run();
        }
    }

    public LogEntry entry(Place place) throws IOException {
        return read(place.segmentId(), () -> readEntry(place));
    }

    private LogEntry readEntry(Place place) throws IOException {
        Segment segment = table.get(place.segmentId());
        ByteBuffer target = ByteBuffer.allocate(checkedBytes(segment, place));
        read(segment, place.offset(), target);
        return decode(segment, place, target);
    }

    private LogEntry decode(Segment segment, Place place, ByteBuffer source)
            throws DamagedException {
        try {
            return EntryCodec.decode(
                    source, new PlaceChecksum(cubeId), place.segmentId(), place.offset());
        } catch (FormatException e) {
            throw damaged(segment, place.offset(), e.getMessage());
        }
    }

    public void inline(Place place, long blobId, ByteBuffer target) throws IOException {
        ByteBuffer unused = read(place.segmentId(), () -> readInline(place, blobId, target));
    }

    private ByteBuffer readInline(Place place, long blobId, ByteBuffer target) throws IOException {
        Segment segment = table.get(place.segmentId());
        target.clear().limit(checkedBytes(segment, place));
        read(segment, place.offset(), target);
        LogEntry entry = decode(segment, place, target);
        if (!(entry instanceof LogEntry.InlineBlob blob) || blob.blobId() != blobId) {
            throw damaged(
                    segment, place.offset(), "expected blob " + blobId + ", found another entry");
        }
        int end = (int) place.bytes();
        return target.limit(end).position(end - blob.content().remaining());
    }

    /**
     * Reads the entry at a place to the target's position and gives it its new place there.
     *
     * @param checksum checksum of the same cube
     */
    public LogEntry move(
            Place from, PlaceChecksum checksum, long toSegment, long toOffset, ByteBuffer target)
            throws IOException {
        int begin = target.position();
        return read(
                from.segmentId(),
                () -> readMoved(from, checksum, toSegment, toOffset, target.position(begin)));
    }

    private LogEntry readMoved(
            Place from, PlaceChecksum checksum, long toSegment, long toOffset, ByteBuffer target)
            throws IOException {
        Segment segment = table.get(from.segmentId());
        int begin = target.position();
        int end = begin + checkedBytes(segment, from);
        int limit = target.limit();
        ByteBuffer entry = target.limit(end).slice();
        target.limit(limit);
        read(segment, from.offset(), entry);
        try {
            LogEntry moved = EntryCodec.move(entry, checksum, from, toSegment, toOffset);
            target.position(end);
            return moved;
        } catch (FormatException e) {
            throw damaged(segment, from.offset(), e.getMessage());
        }
    }

    /** The location of a chunk. */
    private record ChunkAt(long segmentId, long offset) {}

    public void chunk(ChunkHeader expected, List<Place> extents, int chunkBytes, ByteBuffer target)
            throws IOException {
        ChunkAt at = find(expected, extents, chunkBytes);
        ByteBuffer unused = read(at.segmentId(), () -> readChunk(expected, at, target));
    }

    private ByteBuffer readChunk(ChunkHeader expected, ChunkAt at, ByteBuffer target)
            throws IOException {
        Segment segment = table.get(at.segmentId());
        target.clear().limit(ChunkHeader.BYTES + expected.bytes());
        read(segment, at.offset(), target);
        try {
            expected.verify(target, new PlaceChecksum(cubeId), at.segmentId(), at.offset());
        } catch (FormatException e) {
            throw damaged(segment, at.offset(), e.getMessage());
        }
        return target.position(ChunkHeader.BYTES);
    }

    private static ChunkAt find(ChunkHeader expected, List<Place> extents, int chunkBytes)
            throws DamagedException {
        long entry = ChunkHeader.BYTES + (long) chunkBytes;
        long before = expected.chunkIndex();
        for (Place extent : extents) {
            long chunks = (extent.bytes() + entry - 1) / entry;
            if (before < chunks) {
                return new ChunkAt(extent.segmentId(), extent.offset() + before * entry);
            }
            before -= chunks;
        }
        throw new DamagedException(
                "blob " + expected.blobId(),
                expected.chunkIndex() * (long) chunkBytes,
                "its extents hold no chunk " + expected.chunkIndex());
    }

    private int checkedBytes(Segment segment, Place place) throws DamagedException {
        if (place.bytes() > segment.segmentBytes() - place.offset()) {
            throw damaged(
                    segment,
                    place.offset(),
                    "an entry of " + place.bytes() + " bytes does not fit in the segment");
        }
        return (int) place.bytes();
    }

    /** Fills the target and sets its position back to 0. */
    private void read(Segment segment, long offset, ByteBuffer target) throws IOException {
        StoredFile file = segment.acquire();
        try {
            int bytes = target.remaining();
            int count = source.read(segment.id(), file, offset, target);
            if (count < bytes) {
                throw damaged(
                        segment,
                        offset,
                        "expected " + bytes + " bytes, the file ends after " + count);
            }
            target.position(0);
        } finally {
            segment.release();
        }
    }

    private DamagedException damaged(Segment segment, long offset, String found) {
        damages.increment();
        return new DamagedException(segment.name().toString(), offset, found);
    }
}
