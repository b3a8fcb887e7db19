package io.volute.storage.log.file;

import io.volute.storage.Place;
import io.volute.storage.format.BatchCodec;
import io.volute.storage.format.BatchHeader;
import io.volute.storage.format.EntryCodec;
import io.volute.storage.format.LogEntry;
import io.volute.storage.format.PlaceChecksum;
import io.volute.storage.format.SegmentFormat;
import io.volute.storage.io.StoredFile;
import io.volute.storage.io.WriteCause;
import io.volute.storage.log.SegmentFileName;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.log.segment.BufferPool;
import io.volute.storage.log.segment.EntryReader;
import io.volute.storage.log.segment.Segment;
import io.volute.storage.log.space.SegmentStore;
import io.volute.storage.report.SpaceReport;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The writer of one survivor: batches of entries copied from other segments, forced before they are
 * published. The first batch names the origins, and is durable before the file has a segment's
 * name.
 */
final class SurvivorWriter implements SegmentLog.Survivor {
    private static final int BATCH_BYTES_MAX = 1 << 20;

    private final LogFiles logFiles;
    private final EntryReader reading;
    private final PlaceChecksum checksum;
    private final BatchCodec codec;
    private final Segment segment;
    private final StoredFile file;
    private final BufferPool buffers;
    private ByteBuffer buffer;
    private BatchCodec.Stamp stamp;
    private final List<Place> places = new ArrayList<>();
    private long firstSequence;
    private boolean closed;

    private SurvivorWriter(
            LogFiles logFiles, EntryReader reading, BufferPool buffers, LogFiles.NewSegment added) {
        this.logFiles = logFiles;
        this.reading = reading;
        this.checksum = new PlaceChecksum(logFiles.options().cubeId());
        this.codec = new BatchCodec(checksum);
        this.segment = added.segment();
        this.file = added.file();
        this.buffers = buffers;
        this.buffer = buffers.take();
        begin();
    }

    static int batchBytesMax(int segmentBytes) {
        return Math.min(BATCH_BYTES_MAX, segmentBytes / 2);
    }

    /**
     * Opens a survivor in the same steps as a head: header and first batch, force, name, directory.
     */
    static SurvivorWriter open(
            LogFiles logFiles,
            EntryReader reading,
            BufferPool buffers,
            List<Long> origins,
            long expectedBytes)
            throws IOException {
        logFiles.health().requireWritable();
        LogEntry.Origins first = new LogEntry.Origins(0, List.copyOf(origins));
        if (BatchHeader.BYTES + EntryCodec.encodedBytes(first)
                > batchBytesMax(logFiles.segmentBytes())) {
            throw new IllegalArgumentException(origins.size() + " origins are too many for one");
        }
        SegmentStore.Draft draft =
                logFiles.store()
                        .create(
                                new SegmentStore.Claim(
                                        SpaceReport.Kind.SURVIVOR,
                                        SegmentLog.SpacePriority.CLEANER,
                                        expectedBytes));
        logFiles.table().changes().lock();
        try {
            SegmentFileName name =
                    SegmentFileName.of(logFiles.table().nextSegmentId(), SpaceReport.Kind.SURVIVOR);
            long end = prepare(logFiles, draft, name, first);
            LogFiles.NewSegment added = logFiles.addSegment(draft, name, end);
            logFiles.store().reserve().lend();
            return new SurvivorWriter(logFiles, reading, buffers, added);
        } finally {
            logFiles.table().changes().unlock();
        }
    }

    private static long prepare(
            LogFiles logFiles,
            SegmentStore.Draft draft,
            SegmentFileName name,
            LogEntry.Origins first)
            throws IOException {
        long id = name.number();
        try (StoredFile file = draft.open()) {
            logFiles.writeHeader(file, id, SpaceReport.Kind.SURVIVOR);
            long bytes = BatchHeader.batchBytes(EntryCodec.encodedBytes(first));
            ByteBuffer batch = ByteBuffer.allocateDirect((int) bytes);
            new BatchCodec(new PlaceChecksum(logFiles.options().cubeId()))
                    .encode(List.of(first), stamp(logFiles, id, SegmentFormat.PAGE_BYTES), batch);
            long end = (long) SegmentFormat.PAGE_BYTES + batch.remaining();
            file.write(batch, SegmentFormat.PAGE_BYTES, WriteCause.CLEANING);
            file.force();
            return end;
        } catch (IOException e) {
            throw logFiles.prepareFailed(name, draft, e);
        }
    }

    private static BatchCodec.Stamp stamp(LogFiles logFiles, long id, long offset) {
        return new BatchCodec.Stamp(id, offset, 0, logFiles.options().clock().millis());
    }

    private void begin() {
        stamp = stamp(logFiles, segment.id(), segment.writtenBytes());
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
            buffers.give(buffer);
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
        logFiles.health().requireWritable();
        int bytes = buffer.position();
        codec.end(places.size(), firstSequence, stamp, buffer);
        int written = buffer.remaining();
        try {
            file.writePadded(buffer, stamp.offset(), WriteCause.CLEANING, written - bytes);
        } catch (IOException e) {
            throw logFiles.writeFailed(segment, e);
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
            throw logFiles.writeFailed(segment, e);
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
            if (buffer.capacity() == batchBytesMax(logFiles.segmentBytes())) {
                buffers.give(buffer);
            }
            file.close();
        }
    }
}
