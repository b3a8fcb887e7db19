package io.volute.storage.log.file;

import io.volute.storage.CubeUnavailableException;
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
import io.volute.storage.log.LogPosition;
import io.volute.storage.log.SegmentFileName;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.log.segment.Segment;
import io.volute.storage.log.space.SegmentStore;
import io.volute.storage.report.SpaceReport;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;

/**
 * Appends batches and digests to the head and rolls to the next. Used by the committing thread.
 *
 * <p>Rolling, with what a crash leaves at each step:
 *
 * <ol>
 *   <li>A draft gets the segment header and the digest, and is forced. After a crash here: no new
 *       segment; the old head goes on.
 *   <li>It is published as the new head. After a crash here: either still no segment, or a head
 *       that holds only a digest, with the old head sealed where it truly ended.
 *   <li>The publication is durable. Only now does anything else go into the new head.
 * </ol>
 */
final class HeadWriter {
    private static final int BATCH_BYTES_MAX = 4 << 20;
    private static final int BUFFER_BYTES_MIN = 256 << 10;

    private final LogFiles logFiles;
    private final BatchCodec codec;
    private ByteBuffer buffer;
    private Segment head;
    private StoredFile file;
    private long lastSequence;
    private long idHighWater;
    private long digestReserve = SegmentFormat.PAGE_BYTES;

    private boolean hasDigest;

    /**
     * Whether the head is of today's version. A head of an earlier version gets no more batches:
     * its release could not read them.
     */
    private boolean ofThisVersion = true;

    private HeadWriter(LogFiles logFiles, Segment head, long lastSequence, long idHighWater) {
        this.logFiles = logFiles;
        this.codec = new BatchCodec(new PlaceChecksum(logFiles.options().cubeId()));
        this.buffer =
                ByteBuffer.allocateDirect(Math.min(BUFFER_BYTES_MIN, logFiles.segmentBytes()));
        this.head = head;
        this.lastSequence = lastSequence;
        this.idHighWater = idHighWater;
    }

    /**
     * Resumes a head behind its last whole batch, beginning with a digest. When there is no space
     * for that and none for a new head, it does without: deletes and reads must work then.
     */
    static HeadWriter resume(LogFiles logFiles, Segment head, long lastSequence, long idHighWater)
            throws IOException {
        HeadWriter writer = new HeadWriter(logFiles, head, lastSequence, idHighWater);
        writer.file = logFiles.store().open(head.name(), Access.READ_WRITE);
        boolean resumed = false;
        try {
            writer.ofThisVersion =
                    LogFiles.readHeader(writer.file).version() == SegmentFormat.VERSION;
            writer.appendDigest(Set.of());
            resumed = true;
        } catch (CubeUnavailableException e) {
            requireFull(e);
            resumed = true;
        } finally {
            if (!resumed) {
                writer.file.close();
            }
        }
        return writer;
    }

    private static void requireFull(CubeUnavailableException e) throws CubeUnavailableException {
        if (e.reason() != CubeUnavailableException.Reason.FULL) {
            throw e;
        }
    }

    /**
     * Opens a new head behind one that takes no more batches. Its digest seals the old one where
     * the replay ended.
     */
    static HeadWriter after(LogFiles logFiles, Segment head, long lastSequence, long idHighWater)
            throws IOException {
        HeadWriter writer = new HeadWriter(logFiles, head, lastSequence, idHighWater);
        // The digest of a start frees nothing by itself, but the cleaner can do nothing before it.
        writer.roll(Set.of(), SegmentLog.SpacePriority.CLEANER);
        return writer;
    }

    /** Begins the first head of a new log. */
    static HeadWriter begin(LogFiles logFiles, long lastSequence) throws IOException {
        Segment none =
                logFiles.newSegment(
                        SegmentFileName.of(
                                logFiles.table().nextSegmentId(), SpaceReport.Kind.HEAD));
        HeadWriter writer = new HeadWriter(logFiles, none, lastSequence, 0);
        writer.roll(Set.of(), SegmentLog.SpacePriority.DELETE);
        return writer;
    }

    /**
     * Returns the largest batch. 1/8 of a segment is reserved for the digest at its begin, and
     * another 1/8 for a digest at its end. That digest must find space when the disk is full,
     * because it frees segments.
     */
    static int batchBytesMax(int segmentBytes) {
        int room = segmentBytes - SegmentFormat.PAGE_BYTES - 2 * digestBytesMax(segmentBytes);
        return Math.min(room, BATCH_BYTES_MAX) - BatchHeader.BYTES;
    }

    private static int digestBytesMax(int segmentBytes) {
        return segmentBytes / 8 / SegmentFormat.PAGE_BYTES * SegmentFormat.PAGE_BYTES;
    }

    SegmentLog.Appended append(
            List<LogEntry> entries, long newIdHighWater, SegmentLog.SpacePriority priority)
            throws IOException {
        logFiles.health().requireWritable();
        long sum = 0;
        for (LogEntry entry : entries) {
            sum += EntryCodec.encodedBytes(entry);
        }
        int max = batchBytesMax(logFiles.segmentBytes());
        if (entries.isEmpty() || sum > max) {
            throw new IllegalArgumentException(
                    entries.size() + " entries of " + sum + " bytes; a batch holds 1 to " + max);
        }
        if (!fits(sum, digestReserve)) {
            roll(Set.of(), priority);
        }
        idHighWater = Math.max(idHighWater, newIdHighWater);
        List<Place> places = write(entries, sum, WriteCause.CLIENT_DATA);
        for (LogEntry entry : entries) {
            lastSequence = Math.max(lastSequence, entry.sequence());
        }
        return new SegmentLog.Appended(places, new LogPosition(head.id(), head.writtenBytes()));
    }

    private boolean fits(long entryBytes, long reserve) {
        long end = head.writtenBytes() + BatchHeader.batchBytes(entryBytes);
        return ofThisVersion && end + reserve <= head.segmentBytes();
    }

    /** Writes one batch behind the last and forces it. */
    private List<Place> write(List<LogEntry> entries, long entryBytes, WriteCause cause)
            throws IOException {
        long offset = head.writtenBytes();
        List<Place> places = encode(entries, entryBytes, head.id(), offset);
        try {
            int padding = (int) (buffer.remaining() - BatchHeader.BYTES - entryBytes);
            file.writePadded(buffer, offset, cause, padding);
            file.force();
        } catch (IOException e) {
            throw logFiles.health().fail("a write to " + head.name() + " at " + offset, e);
        }
        head.writtenBytes(offset + BatchHeader.batchBytes(entryBytes));
        return places;
    }

    /**
     * Fills the buffer with a batch and zeros up to a page: the kernel would have to read the rest
     * of a page that it does not hold.
     */
    private List<Place> encode(List<LogEntry> entries, long entryBytes, long id, long offset) {
        int bytes =
                (int) (SegmentFormat.pageUp(offset + BatchHeader.batchBytes(entryBytes)) - offset);
        if (buffer.capacity() < bytes) {
            buffer = ByteBuffer.allocateDirect(Math.max(bytes, 2 * buffer.capacity()));
        }
        BatchCodec.Stamp stamp =
                new BatchCodec.Stamp(id, offset, idHighWater, logFiles.options().clock().millis());
        List<Place> places = codec.encode(entries, stamp, buffer);
        BatchCodec.pad(buffer.position(buffer.limit()), bytes);
        return places;
    }

    /** Writes and forces a digest that omits these segments. */
    void appendDigest(Set<Long> omitted) throws IOException {
        logFiles.health().requireWritable();
        LogEntry.Digest digest;
        logFiles.table().changes().lock();
        try {
            digest = digest(omitted, logFiles.table().nextSegmentId());
        } finally {
            logFiles.table().changes().unlock();
        }
        long bytes = EntryCodec.encodedBytes(digest);
        if (fits(bytes, 0)) {
            requireListable(bytes);
            write(List.of(digest), bytes, WriteCause.DIGEST);
            digestWritten(bytes);
        } else {
            // A write that frees space may take the last of it.
            roll(omitted, SegmentLog.SpacePriority.CLEANER);
        }
    }

    /** Returns whether a digest has been forced since the start. */
    boolean hasDigest() {
        return hasDigest;
    }

    private void digestWritten(long bytes) {
        hasDigest = true;
        long pages = SegmentFormat.pageUp(BatchHeader.BYTES + bytes) + SegmentFormat.PAGE_BYTES;
        digestReserve = Math.min(digestBytesMax(logFiles.segmentBytes()), pages);
    }

    /**
     * Writes an end mark, which is a batch without entries. It proves that everything before was
     * durable, so that damage to the last batch is not mistaken for a torn tail. The digest of the
     * next start overwrites it.
     */
    void close() throws IOException {
        try {
            if (logFiles.health().isSound() && fits(0, 0)) {
                write(List.of(), 0, WriteCause.DIGEST);
            }
        } finally {
            file.close();
        }
    }

    private LogEntry.Digest digest(Set<Long> omitted, long nextSegmentId) {
        return new LogEntry.Digest(
                lastSequence, nextSegmentId, logFiles.table().listWithout(omitted));
    }

    private void requireListable(long digestBytes) throws CubeUnavailableException {
        if (BatchHeader.BYTES + digestBytes > digestBytesMax(logFiles.segmentBytes())) {
            throw new CubeUnavailableException(
                    CubeUnavailableException.Reason.FULL,
                    "the log in "
                            + logFiles.options().directory()
                            + " has more segments than a digest can list; choose larger segments");
        }
    }

    private void roll(Set<Long> omitted, SegmentLog.SpacePriority priority) throws IOException {
        SegmentStore.Draft draft =
                logFiles.store()
                        .create(
                                new SegmentStore.Claim(
                                        SpaceReport.Kind.HEAD, priority, logFiles.segmentBytes()));
        logFiles.table().changes().lock();
        try {
            openHead(draft, omitted);
        } finally {
            logFiles.table().changes().unlock();
        }
        logFiles.store().prepareSoon();
    }

    private void openHead(SegmentStore.Draft draft, Set<Long> omitted) throws IOException {
        Segment old = head;
        long id = logFiles.table().nextSegmentId();
        SegmentFileName name = SegmentFileName.of(id, SpaceReport.Kind.HEAD);
        LogEntry.Digest digest = digestSealing(old, id, omitted);
        long bytes = EntryCodec.encodedBytes(digest);
        try {
            requireListable(bytes);
        } catch (CubeUnavailableException e) {
            draft.putBack();
            throw e;
        }
        Segment next = logFiles.newSegment(name);
        StoredFile opened;
        try {
            try (StoredFile prepared = draft.open()) {
                logFiles.writeHeader(prepared, id, SpaceReport.Kind.HEAD);
                encode(List.of(digest), bytes, id, SegmentFormat.PAGE_BYTES);
                next.writtenBytes(SegmentFormat.PAGE_BYTES + BatchHeader.batchBytes(bytes));
                int padding = (int) (buffer.remaining() - BatchHeader.BYTES - bytes);
                prepared.writePadded(buffer, SegmentFormat.PAGE_BYTES, WriteCause.DIGEST, padding);
                prepared.force();
            }
            opened = draft.publish(name);
            if (file != null) {
                file.close();
            }
        } catch (IOException e) {
            throw logFiles.health().fail("opening the head segment " + name, e);
        }
        old.seal(old.writtenBytes());
        logFiles.table().add(next);
        head = next;
        ofThisVersion = true;
        file = opened;
        digestWritten(bytes);
    }

    /** Returns a digest with the old head sealed and the new one open. */
    private LogEntry.Digest digestSealing(Segment old, long newId, Set<Long> omitted) {
        List<LogEntry.DigestSegment> list = logFiles.table().listWithout(omitted);
        list.replaceAll(
                segment ->
                        segment.segmentId() == old.id()
                                ? new LogEntry.DigestSegment(
                                        old.id(), old.kind(), old.writtenBytes())
                                : segment);
        list.add(new LogEntry.DigestSegment(newId, SpaceReport.Kind.HEAD, -1));
        return new LogEntry.Digest(lastSequence, newId + 1, list);
    }
}
