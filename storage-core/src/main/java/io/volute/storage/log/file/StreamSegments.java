package io.volute.storage.log.file;

import io.volute.storage.format.SegmentFormat;
import io.volute.storage.io.StoredFile;
import io.volute.storage.log.SegmentFileName;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.log.segment.Segment;
import io.volute.storage.log.segment.SegmentTable;
import io.volute.storage.log.space.SegmentStore;
import io.volute.storage.report.SpaceReport;
import java.io.IOException;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives out space in stream segments to concurrent uploads. That takes a short time under a lock;
 * the writes go on outside it. Lock order: this one, then {@link SegmentTable#changes()}.
 */
final class StreamSegments {
    private static final Logger LOG = LoggerFactory.getLogger(StreamSegments.class);

    private final LogFiles logFiles;
    private final LongAdder forces = new LongAdder();
    private final ReentrantLock lock = new ReentrantLock();
    private final Set<OpenStream> open = new HashSet<>();
    private Optional<OpenStream> current = Optional.empty();

    StreamSegments(LogFiles logFiles) {
        this.logFiles = logFiles;
    }

    /** A stream segment that uploads write to. */
    static final class OpenStream {
        private final Segment segment;
        private final StoredFile file;
        private final SharedForce force = new SharedForce();
        private int writers;

        private OpenStream(Segment segment, StoredFile file) {
            this.segment = segment;
            this.file = file;
        }

        Segment segment() {
            return segment;
        }

        StoredFile file() {
            return file;
        }
    }

    /** Space for one upload: from {@code begin} to {@code end} in a stream segment. */
    static final class Extent {
        private final OpenStream stream;
        private final long begin;
        private long used;
        private long end;

        private Extent(OpenStream stream, long begin, long end) {
            this.stream = stream;
            this.begin = begin;
            this.used = begin;
            this.end = end;
        }

        OpenStream stream() {
            return stream;
        }

        long begin() {
            return begin;
        }

        /** Returns the offset of the next chunk. */
        long used() {
            return used;
        }

        void use(int bytes) {
            used += bytes;
        }

        long end() {
            return end;
        }
    }

    /**
     * The space that an upload requests.
     *
     * @param entryBytes length of a whole chunk entry; less than all is given in multiples of it
     * @param leastBytes length of the current chunk entry
     * @param wantedBytes length of this entry and those to come
     */
    record Wish(int entryBytes, int leastBytes, long wantedBytes) {}

    /**
     * Reserves space for at least one chunk: behind the last extent when that is free, otherwise in
     * a new extent. Returns the last extent, grown, or another one. A segment that is new to the
     * upload is added to those it holds, and is not sealed until {@link #leave}.
     */
    Extent reserve(Optional<Extent> last, Wish wish, Set<OpenStream> held) throws IOException {
        lock.lock();
        try {
            if (last.isPresent() && grow(last.get(), wish)) {
                return last.get();
            }
            if (logFiles.store().sharesStreams()) {
                return reserveShared(wish, held);
            }
        } finally {
            lock.unlock();
        }
        return reserveAlone(wish, held);
    }

    private Extent reserveShared(Wish wish, Set<OpenStream> held) throws IOException {
        while (true) {
            if (current.isEmpty()) {
                current = Optional.of(openSegment());
                open.add(current.get());
            }
            OpenStream stream = current.get();
            Optional<Extent> extent = begin(stream, wish, held);
            if (extent.isPresent()) {
                return extent.get();
            }
            current = Optional.empty();
            sealIfDone(stream);
        }
    }

    /** Opens a segment for one upload. That can take a while, so no other upload waits for it. */
    private Extent reserveAlone(Wish wish, Set<OpenStream> held) throws IOException {
        OpenStream stream = openSegment();
        lock.lock();
        try {
            open.add(stream);
            return begin(stream, wish, held).orElseThrow();
        } finally {
            lock.unlock();
        }
    }

    /** Begins an extent behind the space given out; empty when the segment is full. */
    private static Optional<Extent> begin(OpenStream stream, Wish wish, Set<OpenStream> held) {
        long begin = stream.segment.writtenBytes();
        long bytes = grant(stream.segment.segmentBytes() - begin, wish);
        if (bytes == 0) {
            return Optional.empty();
        }
        stream.segment.writtenBytes(SegmentFormat.pageUp(begin + bytes));
        if (held.add(stream)) {
            stream.writers++;
        }
        return Optional.of(new Extent(stream, begin, begin + bytes));
    }

    private boolean grow(Extent extent, Wish wish) {
        Segment segment = extent.stream.segment;
        if (segment.isSealed() || segment.writtenBytes() != SegmentFormat.pageUp(extent.end)) {
            return false;
        }
        long bytes = grant(segment.segmentBytes() - extent.used, wish);
        if (bytes == 0) {
            return false;
        }
        extent.end = Math.max(extent.end, extent.used + bytes);
        segment.writtenBytes(SegmentFormat.pageUp(extent.end));
        return true;
    }

    private static long grant(long free, Wish wish) {
        if (free < wish.leastBytes) {
            return 0;
        }
        if (free >= wish.wantedBytes) {
            return wish.wantedBytes;
        }
        return Math.max(wish.leastBytes, free / wish.entryBytes * wish.entryBytes);
    }

    /** Takes unused space of an upload back, when it is the newest space given out. */
    void trim(Extent extent) {
        lock.lock();
        try {
            Segment segment = extent.stream.segment;
            if (!segment.isSealed() && segment.writtenBytes() == SegmentFormat.pageUp(extent.end)) {
                extent.end = extent.used;
                segment.writtenBytes(SegmentFormat.pageUp(extent.end));
            }
        } finally {
            lock.unlock();
        }
    }

    /** Releases a segment that an upload held. */
    void leave(OpenStream stream) {
        lock.lock();
        try {
            stream.writers--;
            if (stream.writers == 0) {
                stream.segment.settle();
            }
            sealIfDone(stream);
        } finally {
            lock.unlock();
        }
    }

    /** Seals a segment when it is full and no upload holds it. */
    private void sealIfDone(OpenStream stream) {
        boolean isCurrent = current.isPresent() && current.get() == stream;
        if (isCurrent || stream.writers > 0 || !open.remove(stream)) {
            return;
        }
        // Measured first: a thread that sees it sealed counts on the space that was never written.
        try (stream.file) {
            stream.segment.measureHoles(stream.file);
        } catch (IOException e) {
            LOG.warn("closing {} failed; its entries were forced before", stream.segment.name(), e);
        }
        stream.segment.seal(stream.segment.writtenBytes());
    }

    /** Forces the caller's writes to this segment, together with those of others. */
    void force(OpenStream stream) throws IOException {
        try {
            if (stream.force.force(stream.file)) {
                forces.increment();
            }
        } catch (IOException e) {
            throw logFiles.health().fail("forcing " + stream.segment.name(), e);
        }
    }

    long forces() {
        return forces.sum();
    }

    /** Opens a segment in the same steps as a head: header, force, name, directory. */
    private OpenStream openSegment() throws IOException {
        logFiles.health().requireWritable();
        SegmentStore.Draft draft =
                logFiles.store()
                        .create(
                                new SegmentStore.Claim(
                                        SpaceReport.Kind.STREAM,
                                        SegmentLog.SpacePriority.CLIENT,
                                        logFiles.segmentBytes()));
        logFiles.table().changes().lock();
        try {
            SegmentFileName name =
                    SegmentFileName.of(logFiles.table().nextSegmentId(), SpaceReport.Kind.STREAM);
            writeHeader(draft, name);
            LogFiles.NewSegment added = logFiles.addSegment(draft, name, SegmentFormat.PAGE_BYTES);
            return new OpenStream(added.segment(), added.file());
        } finally {
            logFiles.table().changes().unlock();
        }
    }

    private void writeHeader(SegmentStore.Draft draft, SegmentFileName name) throws IOException {
        try (StoredFile file = draft.open()) {
            logFiles.writeHeader(file, name.number(), SpaceReport.Kind.STREAM);
            file.force();
        } catch (IOException e) {
            throw logFiles.prepareFailed(name, draft, e);
        }
    }

    void close() throws IOException {
        lock.lock();
        try {
            current = Optional.empty();
            for (OpenStream stream : open) {
                stream.file.close();
            }
            open.clear();
        } finally {
            lock.unlock();
        }
    }
}
