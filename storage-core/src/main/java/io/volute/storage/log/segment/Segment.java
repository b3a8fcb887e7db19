package io.volute.storage.log.segment;

import io.volute.storage.format.SegmentFormat;
import io.volute.storage.io.FileSystem.Access;
import io.volute.storage.io.StoredFile;
import io.volute.storage.log.PhasedCount;
import io.volute.storage.log.SegmentFileName;
import io.volute.storage.log.SegmentGoneException;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.log.space.SegmentFiles;
import io.volute.storage.report.SpaceReport;
import java.io.IOException;
import java.util.OptionalInt;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One segment of the log: its file for reading, its users, and its written part. The file is
 * recycled once the segment has left the log, no pin holds it and no read is under way.
 */
public final class Segment {
    private static final Logger LOG = LoggerFactory.getLogger(Segment.class);

    /** Smallest tail that is worth a hole. */
    private static final int TAIL_BYTES_MIN = 16 << 10;

    /** Takes the file of a segment that is not needed any more. */
    public interface Heir {
        void take(Segment segment);
    }

    private final SegmentFiles files;
    private final OpenFiles openFiles;
    private final SegmentFileName name;
    private final long segmentBytes;
    private final Heir heir;

    /** The pins by phase. It detects when all pins of before a given moment are released. */
    private final PhasedCount readers = new PhasedCount();

    private final ReentrantLock lock = new ReentrantLock();
    private StoredFile file;
    private int users;
    private int pins;
    private boolean inLog = true;
    private boolean gone;
    private volatile long writtenBytes;
    private volatile long settledBytes;
    private volatile long holeBytes;
    private volatile long takenBytes;
    private volatile boolean sealed;

    public Segment(
            SegmentFiles files,
            OpenFiles openFiles,
            SegmentFileName name,
            long segmentBytes,
            Heir heir) {
        this.files = files;
        this.openFiles = openFiles;
        this.name = name;
        this.segmentBytes = segmentBytes;
        this.takenBytes = segmentBytes;
        this.heir = heir;
    }

    public long id() {
        return name.number();
    }

    public SegmentFileName name() {
        return name;
    }

    public SpaceReport.Kind kind() {
        return name.state().kind().orElseThrow();
    }

    public long segmentBytes() {
        return segmentBytes;
    }

    /**
     * Returns the end of the last batch of a head; for a stream segment, the end of the space given
     * out.
     */
    public long writtenBytes() {
        return writtenBytes;
    }

    public void writtenBytes(long bytes) {
        writtenBytes = bytes;
    }

    /** Notes that no writer has space before the end of the written part. */
    public void settle() {
        settledBytes = writtenBytes;
    }

    /** Returns the bytes from the beginning on that no writer will change. */
    long finalBytes() {
        return sealed || kind() == SpaceReport.Kind.HEAD ? writtenBytes : settledBytes;
    }

    /** Returns the bytes of the file that take space, as last measured; all bytes before that. */
    long takenBytes() {
        return takenBytes;
    }

    /**
     * Returns the bytes of the written part that take no space, as last measured; 0 before that.
     */
    public long holeBytes() {
        return holeBytes;
    }

    /**
     * Measures which bytes take no space, in the written part and behind it. Due when the segment
     * is found or sealed, and after each punch. A head that rolls needs no measurement: its file
     * was written over its whole length.
     */
    public synchronized void measureHoles(StoredFile opened) throws IOException {
        long written = SegmentFormat.pageUp(writtenBytes);
        long inside = holes(opened, 0, written);
        takenBytes = segmentBytes - inside - holes(opened, written, segmentBytes);
        holeBytes = inside;
    }

    /** Puts damaged content back; see {@link SegmentFiles#restore}. */
    boolean restore() throws IOException {
        return files.restore(name);
    }

    /** Returns whether the space behind the end, as last measured, is worth a hole. */
    public boolean hasTail() {
        return takenBytes - (SegmentFormat.pageUp(writtenBytes) - holeBytes) >= TAIL_BYTES_MIN;
    }

    /** Gives the space behind the end of a sealed segment back to the file system, and measures. */
    public void giveBackTail() {
        long end = SegmentFormat.pageUp(writtenBytes);
        try (StoredFile opened = files.open(name, Access.READ_WRITE)) {
            measureHoles(opened);
            if (hasTail()) {
                opened.punch(end, segmentBytes - end);
                measureHoles(opened);
            }
        } catch (IOException e) {
            LOG.warn("{} keeps the space after its end: {}", name, e.getMessage());
        }
    }

    private static long holes(StoredFile opened, long begin, long end) throws IOException {
        return end <= begin
                ? 0
                : Math.max(0, end - begin - opened.allocatedBytes(begin, end - begin));
    }

    public boolean isSealed() {
        return sealed;
    }

    public SegmentLog.SegmentState state() {
        return new SegmentLog.SegmentState(id(), kind(), sealed, writtenBytes, takenBytes);
    }

    public void seal(long bytes) {
        writtenBytes = bytes;
        sealed = true;
    }

    /** Returns the file, open for reading. Every use ends with {@link #release}. */
    public StoredFile acquire() throws IOException {
        boolean opened = false;
        lock.lock();
        try {
            if (gone) {
                throw new SegmentGoneException(id());
            }
            if (file == null) {
                file = files.open(name, Access.READ);
                opened = true;
            }
            users++;
            return file;
        } finally {
            lock.unlock();
            if (opened) {
                openFiles.opened(this);
            }
        }
    }

    public void release() {
        lock.lock();
        try {
            users--;
        } finally {
            lock.unlock();
        }
        giveAwayIfUnused();
    }

    /**
     * Pins the segment; returns the phase for {@link #unpin}, or empty when the segment has left
     * the log.
     */
    public OptionalInt pin() {
        lock.lock();
        try {
            if (!inLog) {
                return OptionalInt.empty();
            }
            pins++;
            return OptionalInt.of(readers.enter());
        } finally {
            lock.unlock();
        }
    }

    public void unpin(int phase) {
        readers.leave(phase);
        lock.lock();
        try {
            pins--;
        } finally {
            lock.unlock();
        }
        giveAwayIfUnused();
    }

    public PhasedCount readers() {
        return readers;
    }

    public boolean isInLog() {
        lock.lock();
        try {
            return inLog;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Marks the segment as out of the log. Call it only after a digest without this segment is
     * durable.
     */
    public void leaveLog() {
        lock.lock();
        try {
            inLog = false;
        } finally {
            lock.unlock();
        }
        giveAwayIfUnused();
    }

    private void giveAwayIfUnused() {
        lock.lock();
        try {
            if (inLog || gone || users > 0 || pins > 0) {
                return;
            }
            gone = true;
            closeFile();
        } finally {
            lock.unlock();
        }
        heir.take(this);
    }

    public void closeIfIdle() {
        if (lock.tryLock()) {
            try {
                if (users == 0) {
                    closeFile();
                }
            } finally {
                lock.unlock();
            }
        }
    }

    /** Closes the file at the end of the log's life. */
    public void close() {
        lock.lock();
        try {
            gone = true;
            closeFile();
        } finally {
            lock.unlock();
        }
    }

    private void closeFile() {
        if (file == null) {
            return;
        }
        try {
            file.close();
        } catch (IOException e) {
            LOG.warn("closing {} failed; nothing is lost by it", name, e);
        }
        file = null;
        openFiles.closed(this);
    }
}
