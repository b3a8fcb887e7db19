package io.volute.storage.log.file;

import io.volute.storage.Place;
import io.volute.storage.format.ChunkHeader;
import io.volute.storage.format.PlaceChecksum;
import io.volute.storage.format.SegmentFormat;
import io.volute.storage.io.WriteCause;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.log.segment.BufferPool;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Writes the chunks of one upload. The buffer holds one chunk entry at a fixed index. In front of
 * it is the rest of the page before it, so that whole pages are written and none has to be read
 * first.
 *
 * <pre>
 *   0            page - carried     page                         page + entry
 *   |  unused    | carried bytes    | header | content ...       | room for padding |
 * </pre>
 */
final class ChunkAppender implements SegmentLog.StreamAppender {
    private static final int PAGE = SegmentFormat.PAGE_BYTES;
    private static final int CONTENT_AT = PAGE + ChunkHeader.BYTES;
    private static final long RESERVE_BYTES_MAX = 8 << 20;

    private final LogFiles logFiles;
    private final StreamSegments streams;
    private final BufferPool buffers;
    private final PlaceChecksum checksum;
    private final long blobId;
    private final int chunkBytes;
    private final long expectedBytes;

    private final List<StreamSegments.Extent> extents = new ArrayList<>();
    private final Set<StreamSegments.OpenStream> touched = new LinkedHashSet<>();
    private Optional<ByteBuffer> held = Optional.empty();
    private int content;
    private int carried;
    private int chunks;
    private long bytes;
    private long growth;
    private State state = State.OPEN;

    private enum State {
        OPEN,
        FINISHED,
        BROKEN,
        CLOSED
    }

    ChunkAppender(
            LogFiles logFiles,
            StreamSegments streams,
            BufferPool buffers,
            long blobId,
            OptionalLong expectedBytes) {
        this.logFiles = logFiles;
        this.streams = streams;
        this.buffers = buffers;
        this.checksum = new PlaceChecksum(logFiles.options().cubeId());
        this.blobId = blobId;
        this.chunkBytes = logFiles.options().settings().chunkBytes();
        this.expectedBytes = expectedBytes.orElse(-1);
    }

    /** Returns the buffer capacity of an appender. */
    static int bufferBytes(int chunkBytes) {
        return PAGE + ChunkHeader.BYTES + chunkBytes + PAGE;
    }

    @Override
    public void write(ByteBuffer source) throws IOException {
        requireOpen();
        while (source.hasRemaining()) {
            ByteBuffer buffer = buffer();
            int count = Math.min(source.remaining(), chunkBytes - content);
            buffer.put(CONTENT_AT + content, source, source.position(), count);
            source.position(source.position() + count);
            content += count;
            bytes += count;
            if (content == chunkBytes) {
                endChunk(buffer);
            }
        }
    }

    private void requireOpen() throws IOException {
        logFiles.health().requireWritable();
        if (state != State.OPEN) {
            throw new IllegalStateException("the upload of blob " + blobId + " has ended");
        }
    }

    private ByteBuffer buffer() {
        if (held.isEmpty()) {
            held = Optional.of(buffers.take());
        }
        return held.get();
    }

    private void endChunk(ByteBuffer buffer) throws IOException {
        state = State.BROKEN; // unless all of it succeeds
        int entry = ChunkHeader.BYTES + content;
        StreamSegments.Extent extent = room(buffer, entry);
        long segmentId = extent.stream().segment().id();
        new ChunkHeader(blobId, chunks, content)
                .encode(buffer, PAGE, checksum, segmentId, extent.used());
        int from = PAGE - carried;
        int whole = (carried + entry) / PAGE * PAGE;
        writeOut(buffer, from, whole, extent, 0);
        extent.use(entry);
        carried = carried + entry - whole;
        buffer.put(PAGE - carried, buffer, from + whole, carried);
        chunks++;
        content = 0;
        state = State.OPEN;
    }

    /** Writes a range of the buffer that ends, without padding, at the extent's next byte. */
    private void writeOut(
            ByteBuffer buffer, int from, int count, StreamSegments.Extent extent, int padding)
            throws IOException {
        if (count == 0) {
            return;
        }
        ByteBuffer range = buffer.duplicate();
        range.limit(from + count).position(from);
        try {
            extent.stream()
                    .file()
                    .writePadded(range, extent.used() - carried, WriteCause.CLIENT_DATA, padding);
        } catch (IOException e) {
            throw logFiles.writeFailed(extent.stream().segment(), e);
        }
    }

    private StreamSegments.Extent room(ByteBuffer buffer, int entry) throws IOException {
        Optional<StreamSegments.Extent> last =
                extents.isEmpty() ? Optional.empty() : Optional.of(extents.get(extents.size() - 1));
        if (last.isPresent() && last.get().end() - last.get().used() >= entry) {
            return last.get();
        }
        StreamSegments.Wish wish =
                new StreamSegments.Wish(ChunkHeader.BYTES + chunkBytes, entry, wanted(entry));
        StreamSegments.Extent extent = streams.reserve(last, wish, touched);
        if (last.isEmpty() || last.get() != extent) {
            if (last.isPresent()) {
                // The page behind belongs to this extent, but the current chunk stands there.
                writeOut(buffer, PAGE - carried, carried, last.get(), 0);
                carried = 0;
            }
            extents.add(extent);
        }
        return extent;
    }

    /**
     * Returns the bytes of the current chunk and of those that are expected, or guessed, to follow.
     */
    private long wanted(int entry) {
        long whole = ChunkHeader.BYTES + (long) chunkBytes;
        long most = Math.max(1, RESERVE_BYTES_MAX / whole);
        long left = expectedBytes - bytes;
        if (expectedBytes < 0 || left < 0) {
            growth = Math.min(most, Math.max(1, 2 * growth));
            return content == chunkBytes ? growth * whole : entry;
        }
        long follow = left / chunkBytes;
        if (follow >= most) {
            return most * whole;
        }
        long rest = left % chunkBytes;
        return entry + follow * whole + (rest == 0 ? 0 : ChunkHeader.BYTES + rest);
    }

    @Override
    public List<Place> finish() throws IOException {
        requireOpen();
        if (content > 0) {
            endChunk(buffer());
        }
        state = State.BROKEN;
        if (carried > 0) {
            ByteBuffer buffer = buffer();
            for (int i = PAGE; i < 2 * PAGE - carried; i++) {
                buffer.put(i, (byte) 0);
            }
            StreamSegments.Extent extent = extents.get(extents.size() - 1);
            writeOut(buffer, PAGE - carried, PAGE, extent, PAGE - carried);
            carried = 0;
        }
        giveBuffer();
        trimLast();
        for (StreamSegments.OpenStream stream : touched) {
            streams.force(stream);
        }
        state = State.FINISHED;
        List<Place> places = new ArrayList<>(extents.size());
        for (StreamSegments.Extent extent : extents) {
            places.add(place(extent, extent.used()));
        }
        return places;
    }

    private static Place place(StreamSegments.Extent extent, long end) {
        return new Place(extent.stream().segment().id(), extent.begin(), end - extent.begin());
    }

    private void trimLast() {
        if (!extents.isEmpty()) {
            streams.trim(extents.get(extents.size() - 1));
        }
    }

    private void giveBuffer() {
        held.ifPresent(buffers::give);
        held = Optional.empty();
    }

    @Override
    public long bytes() {
        return bytes;
    }

    @Override
    public int chunkBytes() {
        return chunkBytes;
    }

    @Override
    public void close() {
        if (state == State.CLOSED) {
            return;
        }
        state = State.CLOSED;
        giveBuffer();
        trimLast();
        touched.forEach(streams::leave);
    }

    @Override
    public List<Place> abandoned() {
        List<Place> places = new ArrayList<>(extents.size());
        for (StreamSegments.Extent extent : extents) {
            if (extent.end() > extent.begin()) {
                places.add(place(extent, extent.end()));
            }
        }
        return places;
    }
}
