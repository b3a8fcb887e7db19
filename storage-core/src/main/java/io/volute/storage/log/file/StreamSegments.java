package io.volute.storage.log.file;

import io.volute.storage.format.SegmentFormat;
import io.volute.storage.io.FileSystem.Access;
import io.volute.storage.io.StoredFile;
import io.volute.storage.log.SegmentFileName;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.log.segment.Segment;
import io.volute.storage.log.segment.SegmentTable;
import io.volute.storage.report.SpaceReport;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives out room in stream segments to concurrent uploads. Giving out is short and under a lock;
 * the writes go on outside it. Lock order: this one, then {@link SegmentTable#changes()}.
 */
final class StreamSegments {
    private static final Logger LOG = LoggerFactory.getLogger(StreamSegments.class);

    private final LogParts parts;
    private final LongAdder forces = new LongAdder();
    private final ReentrantLock lock = new ReentrantLock();
    private final Set<OpenStream> open = new HashSet<>();
    private Optional<OpenStream> current = Optional.empty();

    StreamSegments(LogParts parts) {
        this.parts = parts;
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

    /** Room for one upload: from {@code begin} to {@code end} in a stream segment. */
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

        /** Where the next chunk goes. */
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
     * How much an upload asks for.
     *
     * @param entryBytes of a whole chunk entry; less than all is given in multiples of it
     * @param leastBytes of the chunk entry at hand
     * @param wantedBytes of this one and those to come
     */
    record Wish(int entryBytes, int leastBytes, long wantedBytes) {}

    /**
     * Room for at least one chunk: behind the last extent when nobody has taken that, otherwise a
     * new extent. Returns the last one, grown, or another one. A segment that is new to the upload
     * is added to those it holds, and is not sealed until {@link #leave}.
     */
    Extent reserve(Optional<Extent> last, Wish wish, Set<OpenStream> held) throws IOException {
        lock.lock();
        try {
            if (last.isPresent() && grow(last.get(), wish)) {
                return last.get();
            }
            while (true) {
                if (current.isEmpty()) {
                    current = Optional.of(openSegment());
                }
                OpenStream stream = current.get();
                long begin = stream.segment.writtenBytes();
                long bytes = grant(stream.segment.segmentBytes() - begin, wish);
                if (bytes > 0) {
                    stream.segment.writtenBytes(SegmentFormat.pageUp(begin + bytes));
                    if (held.add(stream)) {
                        stream.writers++;
                    }
                    return new Extent(stream, begin, begin + bytes);
                }
                current = Optional.empty();
                sealIfDone(stream);
            }
        } finally {
            lock.unlock();
        }
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

    /** Takes back what an upload did not use, when it is the newest room given out. */
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

    /** An upload lets go of a segment. */
    void leave(OpenStream stream) {
        lock.lock();
        try {
            stream.writers--;
            sealIfDone(stream);
        } finally {
            lock.unlock();
        }
    }

    /** Seals a segment that is full and that no upload holds. */
    private void sealIfDone(OpenStream stream) {
        boolean isCurrent = current.isPresent() && current.get() == stream;
        if (isCurrent || stream.writers > 0 || !open.remove(stream)) {
            return;
        }
        // Measured first: whoever sees it sealed counts on what was never written.
        try (stream.file) {
            stream.segment.measureHoles(stream.file);
        } catch (IOException e) {
            LOG.warn("closing {} failed; what counts in it was forced", stream.segment.name(), e);
        }
        stream.segment.seal(stream.segment.writtenBytes());
    }

    /** Makes what the caller wrote to this segment durable, together with others. */
    void force(OpenStream stream) throws IOException {
        try {
            if (stream.force.force(stream.file)) {
                forces.increment();
            }
        } catch (IOException e) {
            throw parts.health().fail("forcing " + stream.segment.name(), e);
        }
    }

    long forces() {
        return forces.sum();
    }

    /** The same steps as for a head: header, force, name, directory. */
    private OpenStream openSegment() throws IOException {
        parts.health().requireWritable();
        Path prepared = parts.spares().takeSparse(SegmentLog.Claim.CLIENT, parts.segmentBytes());
        parts.table().changes().lock();
        try {
            SegmentFileName name =
                    SegmentFileName.of(parts.table().nextSegmentId(), SpaceReport.Kind.STREAM);
            writeHeader(prepared, name);
            LogParts.NewSegment added = parts.addSegment(prepared, name, SegmentFormat.PAGE_BYTES);
            OpenStream stream = new OpenStream(added.segment(), added.file());
            open.add(stream);
            return stream;
        } finally {
            parts.table().changes().unlock();
        }
    }

    private void writeHeader(Path prepared, SegmentFileName name) throws IOException {
        try (StoredFile file = parts.files().open(prepared, Access.READ_WRITE)) {
            parts.writeHeader(file, name.number(), SpaceReport.Kind.STREAM);
            file.force();
        } catch (IOException e) {
            throw parts.prepareFailed(name, prepared, e);
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
