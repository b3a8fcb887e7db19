package io.volute.storage.log;

import io.volute.storage.CubeMaintenance;
import io.volute.storage.Place;
import io.volute.storage.format.ChunkHeader;
import io.volute.storage.format.LogEntry;
import io.volute.storage.report.SpaceReport;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

/**
 * The log of one cube: head segments, stream segments, digests, the pool of zero-filled spares. It
 * handles entries and places, and has no notion of liveness.
 *
 * <p>Life: open; {@link #replay} (or {@link #scanAll} for a rebuild); {@link #startAppending};
 * appends; close. Reads are allowed at any time from any thread; {@link #append}, {@link #free} and
 * {@link #startAppending} are called by the one committing thread.
 */
public interface SegmentLog extends SegmentReads, AutoCloseable {

    /** An entry with its place. */
    record LoggedEntry(LogEntry entry, Place place) {}

    /** A whole batch, as it was committed. {@code end} is the position behind it. */
    record LoggedBatch(List<LoggedEntry> entries, LogPosition end, long idHighWater) {}

    /** A visitor of the batches of a scan. */
    interface BatchVisitor {
        void batch(LoggedBatch batch) throws IOException;
    }

    /** The result of a replay. */
    record ReplayResult(LogPosition end, long bytes, long tornBytes, List<String> damages) {}

    /**
     * A segment of the log.
     *
     * @param writtenBytes end of the written part
     * @param takenBytes bytes of its file that take space, or will before it is sealed
     */
    record SegmentState(
            long segmentId,
            SpaceReport.Kind kind,
            boolean sealed,
            long writtenBytes,
            long takenBytes) {}

    List<SegmentState> segments();

    int freeSegments();

    /** Returns the id of the next segment that is opened. */
    long nextSegmentId();

    /** Returns the bytes of segments that clients may still fill. */
    long clientBytes();

    /** Returns the bytes of segments that deletes may still fill. */
    long deleteBytes();

    /** Returns the bytes of segments that survivors may still fill. */
    long cleanerBytes();

    /**
     * Sets the space of the file system that the log must leave to the index.
     *
     * @param bytes bytes to leave when a segment is opened with this priority
     */
    void reserveForOthers(ToLongFunction<SpacePriority> bytes);

    /**
     * Visits every batch of the head segments from a position on, in commit order. It finds the
     * torn tail: the first batch that is not whole, with no whole batch after it. Damage before a
     * whole batch, damage in a sealed segment, and a listed segment that is missing are refused or
     * collected, according to the settings.
     *
     * @throws io.volute.storage.DamagedException on damage, unless it is accepted
     */
    ReplayResult replay(LogPosition from, BatchVisitor visitor) throws IOException;

    /** Visits all batches of all head and survivor segments, in segment order (for a rebuild). */
    ReplayResult scanAll(BatchVisitor visitor) throws IOException;

    /**
     * Sets the end up to which each survivor counts. Behind it are copies without index rows, whose
     * originals are still in the log. A survivor without an end keeps its first batch only. Call it
     * before the appending begins.
     *
     * @param ends ends by segment id, behind the last batch that the index has applied
     * @throws io.volute.storage.DamagedException when a survivor is shorter than that
     */
    void cutSurvivors(Map<Long, Long> ends) throws IOException;

    /** Returns a reader of sealed segments, one by one. Used by one thread. */
    Scanner scanner(BatchVisitor visitor);

    /** A reader of whole segments, with one buffer. */
    interface Scanner {
        /**
         * Visits all batches of a sealed head or survivor segment.
         *
         * @throws io.volute.storage.DamagedException on damage
         */
        void scan(long segmentId) throws IOException;
    }

    /** Returns a mover of entries of sealed, pinned segments. Used by one thread. */
    Mover mover();

    /**
     * A mover of entries to survivors. It reads several entries with one call when they lie behind
     * each other.
     */
    interface Mover extends AutoCloseable {
        /** Reads and verifies an entry; see {@link SegmentLog#readEntry}. */
        LogEntry read(Place place) throws IOException;

        /**
         * Opens a survivor.
         *
         * @param origins segments that it takes entries over from
         * @param expectedBytes bytes that it will hold; when they do not fill it, its file takes no
         *     more
         */
        Survivor openSurvivor(List<Long> origins, long expectedBytes) throws IOException;

        /** Closes the mover. Call it after the last survivor is closed. */
        @Override
        void close();
    }

    /**
     * Reserves space for the survivors of a pass, or the reserve if that is more, until {@link
     * #passEnded}. A pass that finds no space has moved much and freed nothing.
     */
    void passBegins(int planned);

    /** Returns the number of survivors reserved by running passes. */
    int promisedSegments();

    /**
     * Ends the reservation of a pass whose origins are free, or stay for good.
     *
     * @param planned the number reserved at its begin
     * @param survivors number of survivors that it has filled
     */
    void passEnded(int planned, int survivors);

    /**
     * A survivor that is being written, one batch at a time. Its entries count only after they are
     * published to the index; until then their originals do. Used by one thread.
     */
    interface Survivor extends AutoCloseable {
        long segmentId();

        /** Returns the offset behind the last batch written. */
        long end();

        /** Returns whether one more entry of this length fits into the current batch. */
        boolean hasRoom(long entryBytes);

        /**
         * Adds a copy of the entry at a place, verified; its checksum is carried over.
         *
         * @return the entry; an inline blob's content is valid until the next call
         */
        LogEntry copy(Place from) throws IOException;

        /** Adds an entry. */
        void add(LogEntry entry);

        /** Writes the current batch; returns the places in order. */
        List<Place> write() throws IOException;

        /** Forces the batches written so far. */
        void force() throws IOException;

        /**
         * Seals the survivor at an end. Bytes behind the end do not count, and their space is given
         * back.
         */
        void seal(long end) throws IOException;

        /** Closes the survivor, sealed or not. */
        @Override
        void close() throws IOException;
    }

    /** Cuts the torn tail found by the replay, and opens a head behind it. */
    void startAppending(LogPosition end, long nextSequence) throws IOException;

    /** Returns the largest sum of {@link #encodedBytes} that one batch can take. */
    int batchBytesMax();

    int encodedBytes(LogEntry entry);

    /** The result of an append. {@code places} are in the order of the entries. */
    record Appended(List<Place> places, LogPosition end) {}

    /**
     * The priority of a write for the last segments, which are reserved for writes that free space.
     */
    enum SpacePriority {
        CLIENT,
        /** A delete, or a write that the log needs to go on. */
        DELETE,
        /** A delete when cleaning wins nothing. The reserve of the cleaner is of no use then. */
        LAST,
        CLEANER
    }

    /**
     * Writes one batch to the head (rolling to a new head first when it does not fit) and makes it
     * durable with one force. When this throws, the log takes no more appends.
     *
     * @param priority priority in case that a new head is opened
     */
    Appended append(List<LogEntry> entries, long idHighWater, SpacePriority priority)
            throws IOException;

    /** Appends a batch with the priority of a client. */
    default Appended append(List<LogEntry> entries, long idHighWater) throws IOException {
        return append(entries, idHighWater, SpacePriority.CLIENT);
    }

    /**
     * Removes sealed segments that hold nothing needed from the log: writes a digest without them,
     * makes it durable, and recycles each file when its last reader has left.
     */
    void free(Collection<Long> segmentIds) throws IOException;

    /**
     * Begins to write one blob into stream segments, which it may share with others.
     *
     * @param expectedBytes length of its content, if known
     */
    StreamAppender openStream(long blobId, OptionalLong expectedBytes) throws IOException;

    /** The writer of the chunks of one blob into stream segments. Used by one thread at a time. */
    interface StreamAppender extends AutoCloseable {
        void write(ByteBuffer content) throws IOException;

        /** Writes the last chunk and makes everything durable; returns the extents in order. */
        List<Place> finish() throws IOException;

        /** Returns the bytes of content taken so far. */
        long bytes();

        int chunkBytes();

        /**
         * Abandons the blob unless it is finished. Space already written is dead (see {@link
         * #abandoned}).
         */
        @Override
        void close();

        /** Returns the extents written so far, for the accounting of an abandoned upload. */
        List<Place> abandoned();
    }

    /** Verifies that reads are current; see {@link CubeMaintenance#requireServing}. */
    default void requireOwned() throws IOException {}

    /** Returns whether nobody else has changed the log since this machine had it last. */
    default boolean isContinued() {
        return true;
    }

    /** Opens the files of the log as of now; see {@link CubeMaintenance#snapshot}. */
    CubeMaintenance.LogSnapshot snapshot();

    /** Returns the holes of this log. Safe for use by several threads. */
    SegmentHoles holes();

    /** Returns the means to write damaged bytes of this log again. Thread-safe. */
    Mending mending();

    /**
     * Writes damaged entries and chunks again in their places. Bytes that are not exactly what the
     * place held are refused, as far as checksum and identity can tell. The caller pins the
     * segments.
     */
    interface Mending {
        /** Returns the name of the file of a segment. */
        String fileOf(long segmentId) throws SegmentGoneException;

        /**
         * Returns an entry whose last bytes are this content, with the rest as it is in the file.
         *
         * @throws io.volute.storage.DamagedException when its checksum does not fit: bytes outside
         *     of the content are damaged, too
         */
        ByteBuffer entryEndingWith(Place place, ByteBuffer content) throws IOException;

        /** Returns a chunk with this content for a place. */
        ByteBuffer chunkOf(ChunkHeader header, Place place, ByteBuffer content);

        /**
         * Verifies that bytes are the entry of a place.
         *
         * @param isWanted whether the entry is the one of this place
         */
        void verifyEntry(Place place, ByteBuffer bytes, Predicate<LogEntry> isWanted)
                throws IOException;

        /** Verifies that bytes are the chunk of a place, with its header. */
        void verifyChunk(ChunkHeader expected, Place place, ByteBuffer bytes) throws IOException;

        /** Writes verified bytes, and forces them. */
        void write(Place place, ByteBuffer bytes) throws IOException;
    }

    LogCounters counters();

    /** Counters since open. */
    record LogCounters(long batches, long streamForces, long damages) {}

    @Override
    void close() throws IOException;
}
