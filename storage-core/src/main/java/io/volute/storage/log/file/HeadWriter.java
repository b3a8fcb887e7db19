package io.volute.storage.log.file;

import io.volute.storage.CubeUnavailableException;
import io.volute.storage.Place;
import io.volute.storage.format.BatchCodec;
import io.volute.storage.format.BatchHeader;
import io.volute.storage.format.EntryCodec;
import io.volute.storage.format.LogEntry;
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
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
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

    private final LogFiles logFiles;
    private final BatchBuffer batch;
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
        this.batch = new BatchBuffer(logFiles.options().cubeId(), logFiles.segmentBytes());
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
            requireUnchanged(e);
            resumed = true;
        } finally {
            if (!resumed) {
                writer.file.close();
            }
        }
        return writer;
    }

    private static void requireUnchanged(CubeUnavailableException e)
            throws CubeUnavailableException {
        if (!e.leavesLogAsItWas()) {
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
        writer.rollOnceThereIsPlace(Set.of());
        return writer;
    }

    /** Begins the first head of a new log. */
    static HeadWriter begin(LogFiles logFiles, long lastSequence) throws IOException {
        long first = logFiles.table().nextSegmentId();
        Segment none = logFiles.newSegment(SegmentFileName.of(first, SpaceReport.Kind.HEAD));
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
        } else if (logFiles.store().hasSaferPlace(head.name())) {
            rollIfPossible();
        }
        idHighWater = Math.max(idHighWater, newIdHighWater);
        List<Place> places = write(entries, sum, WriteCause.CLIENT_DATA);
        for (LogEntry entry : entries) {
            lastSequence = Math.max(lastSequence, entry.sequence());
        }
        return new SegmentLog.Appended(places, new LogPosition(head.id(), head.writtenBytes()));
    }

    private void rollIfPossible() throws IOException {
        try {
            roll(Set.of(), SegmentLog.SpacePriority.CLEANER);
        } catch (CubeUnavailableException e) {
            requireUnchanged(e);
        }
    }

    private boolean fits(long entryBytes, long reserve) {
        long end = head.writtenBytes() + BatchHeader.batchBytes(entryBytes);
        return ofThisVersion && end + reserve <= head.segmentBytes();
    }

    /**
     * Writes one batch behind the last and forces it. If that fails, the store may recover the
     * head: then the batch is in it, or goes into a new head with the same sequences.
     */
    private List<Place> write(List<LogEntry> entries, long entryBytes, WriteCause cause)
            throws IOException {
        long offset = head.writtenBytes();
        List<Place> places = encode(entries, entryBytes, head.id(), offset);
        Optional<IOException> failure = batch.tryWrite(file, offset, entryBytes, cause);
        boolean isThere = failure.isEmpty() || recover(failure.get(), offset, entryBytes);
        if (isThere) {
            head.writtenBytes(offset + BatchHeader.batchBytes(entryBytes));
        }
        if (failure.isPresent()) {
            rollAfterFailure(Set.of());
        }
        return isThere ? places : write(entries, entryBytes, cause);
    }

    /**
     * Recovers the head after a failed write.
     *
     * @return whether the batch in the buffer is in it, as a whole
     */
    private boolean recover(IOException failure, long offset, long entryBytes) throws IOException {
        OptionalLong end = logFiles.store().recoverHead(head.name(), failure);
        if (end.isEmpty()) {
            throw failed(offset, failure);
        }
        try (StoredFile recovered = logFiles.store().open(head.name(), Access.READ)) {
            return batch.isIn(recovered, offset, entryBytes, end.getAsLong());
        }
    }

    /** Opens a head behind a recovered one as soon as the store has a place for it. */
    private void rollAfterFailure(Set<Long> omitted) throws IOException {
        try {
            rollOnceThereIsPlace(omitted);
        } catch (CubeUnavailableException e) {
            requireUnchanged(e);
            throw logFiles.health().fail("opening a head behind " + head.name(), e);
        }
    }

    /** Opens a head as soon as the store has a place for it. A store on a disk does not wait. */
    private void rollOnceThereIsPlace(Set<Long> omitted) throws IOException {
        boolean isOpen = false;
        for (int attempts = 1; !isOpen; attempts++) {
            try {
                roll(omitted, SegmentLog.SpacePriority.CLEANER);
                isOpen = true;
            } catch (CubeUnavailableException e) {
                requireUnchanged(e);
                if (!logFiles.store().awaitReturn(attempts)) {
                    throw e;
                }
            }
        }
    }

    private CubeUnavailableException failed(long offset, IOException failure) {
        return logFiles.health().fail("a write to " + head.name() + " at " + offset, failure);
    }

    private List<Place> encode(List<LogEntry> entries, long entryBytes, long id, long offset) {
        BatchCodec.Stamp stamp =
                new BatchCodec.Stamp(id, offset, idHighWater, logFiles.options().clock().millis());
        return batch.encode(entries, entryBytes, stamp);
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
            writeDigest(digest, bytes, omitted);
        } else {
            // A write that frees space may take the last of it.
            roll(omitted, SegmentLog.SpacePriority.CLEANER);
        }
    }

    private void writeDigest(LogEntry.Digest digest, long bytes, Set<Long> omitted)
            throws IOException {
        long offset = head.writtenBytes();
        List<Place> unused = encode(List.of(digest), bytes, head.id(), offset);
        Optional<IOException> failure = batch.tryWrite(file, offset, bytes, WriteCause.DIGEST);
        if (failure.isEmpty()) {
            head.writtenBytes(offset + BatchHeader.batchBytes(bytes));
            digestWritten(bytes);
        } else {
            // The digest of the next head lists that head too.
            boolean isThere = recover(failure.get(), offset, bytes);
            head.writtenBytes(offset + (isThere ? BatchHeader.batchBytes(bytes) : 0));
            rollAfterFailure(omitted);
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
                long offset = head.writtenBytes();
                List<Place> unused = encode(List.of(), 0, head.id(), offset);
                Optional<IOException> failure = batch.tryWrite(file, offset, 0, WriteCause.DIGEST);
                if (failure.isPresent()) {
                    throw failed(offset, failure.get());
                }
                head.writtenBytes(offset + BatchHeader.batchBytes(0));
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
            prepare(draft, next, digest);
        } catch (IOException e) {
            if (logFiles.store().concernsOneSegment(e)) {
                throw LogFiles.refused(name, draft.discard(e));
            }
            throw logFiles.health().fail("opening the head segment " + name, e);
        }
        try {
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

    /** Writes and forces the header and the digest of a new head. */
    private void prepare(SegmentStore.Draft draft, Segment next, LogEntry.Digest digest)
            throws IOException {
        long bytes = EntryCodec.encodedBytes(digest);
        try (StoredFile prepared = draft.open()) {
            logFiles.writeHeader(prepared, next.id(), SpaceReport.Kind.HEAD);
            encode(List.of(digest), bytes, next.id(), SegmentFormat.PAGE_BYTES);
            next.writtenBytes(SegmentFormat.PAGE_BYTES + BatchHeader.batchBytes(bytes));
            batch.write(prepared, SegmentFormat.PAGE_BYTES, bytes, WriteCause.DIGEST);
        }
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
