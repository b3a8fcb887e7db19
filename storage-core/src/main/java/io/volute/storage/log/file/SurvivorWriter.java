package io.volute.storage.log.file;

import io.volute.storage.Place;
import io.volute.storage.format.BatchCodec;
import io.volute.storage.format.BatchHeader;
import io.volute.storage.format.EntryCodec;
import io.volute.storage.format.LogEntry;
import io.volute.storage.format.PlaceChecksum;
import io.volute.storage.format.SegmentFormat;
import io.volute.storage.io.FileSystem.Access;
import io.volute.storage.io.StoredFile;
import io.volute.storage.io.WriteCause;
import io.volute.storage.log.SegmentFileName;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.log.segment.BufferShelf;
import io.volute.storage.log.segment.EntryReading;
import io.volute.storage.log.segment.Segment;
import io.volute.storage.report.SpaceReport;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * One survivor while it is written: batches of entries that other segments held, forced before
 * anybody is told where they are. The first batch names the origins, and is durable before the file
 * has a segment's name.
 */
final class SurvivorWriter implements SegmentLog.Survivor {
    private static final int BATCH_BYTES_MAX = 1 << 20;

    private final LogParts parts;
    private final EntryReading reading;
    private final PlaceChecksum checksum;
    private final BatchCodec codec;
    private final Segment segment;
    private final StoredFile file;
    private final BufferShelf shelf;
    private ByteBuffer buffer;
    private BatchCodec.Stamp stamp;
    private final List<Place> places = new ArrayList<>();
    private long firstSequence;
    private boolean closed;

    private SurvivorWriter(
            LogParts parts, EntryReading reading, BufferShelf shelf, LogParts.NewSegment added) {
        this.parts = parts;
        this.reading = reading;
        this.checksum = new PlaceChecksum(parts.options().cubeId());
        this.codec = new BatchCodec(checksum);
        this.segment = added.segment();
        this.file = added.file();
        this.shelf = shelf;
        this.buffer = shelf.take();
        begin();
    }

    static int batchBytesMax(int segmentBytes) {
        return Math.min(BATCH_BYTES_MAX, segmentBytes / 2);
    }

    /** The same steps as for a head: header and first batch, force, name, directory. */
    static SurvivorWriter open(
            LogParts parts,
            EntryReading reading,
            BufferShelf shelf,
            List<Long> origins,
            long expectedBytes)
            throws IOException {
        parts.health().requireWritable();
        LogEntry.Origins first = new LogEntry.Origins(0, List.copyOf(origins));
        if (BatchHeader.BYTES + EntryCodec.encodedBytes(first)
                > batchBytesMax(parts.segmentBytes())) {
            throw new IllegalArgumentException(origins.size() + " origins are too many for one");
        }
        Path prepared = parts.spares().takeSparse(SegmentLog.Claim.CLEANER, expectedBytes);
        parts.table().changes().lock();
        try {
            SegmentFileName name =
                    SegmentFileName.of(parts.table().nextSegmentId(), SpaceReport.Kind.SURVIVOR);
            long end = prepare(parts, prepared, name, first);
            LogParts.NewSegment added = parts.addSegment(prepared, name, end);
            parts.spares().reserve().lend();
            return new SurvivorWriter(parts, reading, shelf, added);
        } finally {
            parts.table().changes().unlock();
        }
    }

    private static long prepare(
            LogParts parts, Path prepared, SegmentFileName name, LogEntry.Origins first)
            throws IOException {
        long id = name.number();
        try (StoredFile file = parts.files().open(prepared, Access.READ_WRITE)) {
            parts.writeHeader(file, id, SpaceReport.Kind.SURVIVOR);
            long bytes = BatchHeader.batchBytes(EntryCodec.encodedBytes(first));
            ByteBuffer batch = ByteBuffer.allocateDirect((int) bytes);
            new BatchCodec(new PlaceChecksum(parts.options().cubeId()))
                    .encode(List.of(first), stamp(parts, id, SegmentFormat.PAGE_BYTES), batch);
            long end = (long) SegmentFormat.PAGE_BYTES + batch.remaining();
            file.write(batch, SegmentFormat.PAGE_BYTES, WriteCause.CLEANING);
            file.force();
            return end;
        } catch (IOException e) {
            throw parts.prepareFailed(name, prepared, e);
        }
    }

    private static BatchCodec.Stamp stamp(LogParts parts, long id, long offset) {
        return new BatchCodec.Stamp(id, offset, 0, parts.options().clock().millis());
    }

    private void begin() {
        stamp = stamp(parts, segment.id(), segment.writtenBytes());
        places.clear();
        codec.begin(buffer);
    }

    @Override
    public long segmentId() {
        return segment.id();
    }

    @Override
    public long end() {
        return segment.writtenBytes();
    }

    @Override
    public boolean hasRoom(long entryBytes) {
        long padded = SegmentFormat.sectorUp(buffer.position() + entryBytes);
        boolean fitsSegment = segment.writtenBytes() + padded <= segment.segmentBytes();
        // One entry may be larger than the buffer, which grows for it.
        return fitsSegment && (padded <= buffer.capacity() || places.isEmpty());
    }

    private void require(long entryBytes) {
        if (!hasRoom(entryBytes)) {
            throw new IllegalStateException("no room for " + entryBytes + " bytes");
        }
        long padded = SegmentFormat.sectorUp(buffer.position() + entryBytes);
        if (padded > buffer.capacity()) {
            shelf.give(buffer);
            buffer = ByteBuffer.allocateDirect((int) padded);
            codec.begin(buffer);
        }
    }

    @Override
    public LogEntry copy(Place from) throws IOException {
        require(from.bytes());
        int begin = buffer.position();
        LogEntry entry = reading.move(from, checksum, segment.id(), stamp.offset() + begin, buffer);
        added(entry, new Place(segment.id(), stamp.offset() + begin, from.bytes()));
        return entry;
    }

    @Override
    public void add(LogEntry entry) {
        require(EntryCodec.encodedBytes(entry));
        added(entry, codec.add(entry, stamp, buffer));
    }

    private void added(LogEntry entry, Place place) {
        if (places.isEmpty()) {
            firstSequence = entry.sequence();
        }
        places.add(place);
    }

    @Override
    public List<Place> write() throws IOException {
        if (places.isEmpty()) {
            throw new IllegalStateException("an empty batch would be an end mark");
        }
        parts.health().requireWritable();
        int bytes = buffer.position();
        codec.end(places.size(), firstSequence, stamp, buffer);
        int written = buffer.remaining();
        try {
            file.writePadded(buffer, stamp.offset(), WriteCause.CLEANING, written - bytes);
        } catch (IOException e) {
            throw parts.writeFailed(segment, e);
        }
        List<Place> batch = List.copyOf(places);
        segment.writtenBytes(stamp.offset() + written);
        begin();
        return batch;
    }

    @Override
    public void force() throws IOException {
        try {
            file.force();
        } catch (IOException e) {
            throw parts.writeFailed(segment, e);
        }
    }

    @Override
    public void seal(long end) throws IOException {
        if (closed) {
            return;
        }
        segment.seal(end);
        segment.giveBackTail();
        close();
    }

    @Override
    public void close() throws IOException {
        if (!closed) {
            closed = true;
            if (buffer.capacity() == batchBytesMax(parts.segmentBytes())) {
                shelf.give(buffer);
            }
            file.close();
        }
    }
}
