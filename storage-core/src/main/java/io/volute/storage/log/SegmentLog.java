package io.volute.storage.log;

import io.volute.storage.Place;
import io.volute.storage.format.LogEntry;
import io.volute.storage.report.SpaceReport;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.ToLongFunction;

/**
 * The log of one cube: head segments, stream segments, digests, the pool of zero-filled spares.
 * Knows entries and places, not what is live.
 *
 * <p>Life: open; {@link #replay} (or {@link #scanAll} for a rebuild); {@link #startAppending};
 * appends; close. Reads are allowed at any time from any thread; {@link #append}, {@link #free} and
 * {@link #startAppending} are called by the one committing thread.
 */
public interface SegmentLog extends AutoCloseable {

    /** An entry with its place. */
    record LoggedEntry(LogEntry entry, Place place) {}

    /** A whole batch, as it was committed. {@code end} is the position behind it. */
    record LoggedBatch(List<LoggedEntry> entries, LogPosition end, long idHighWater) {}

    /** Takes what a scan finds. */
    interface BatchVisitor {
        void batch(LoggedBatch batch) throws IOException;
    }

    /** What a replay found. */
    record ReplayResult(LogPosition end, long bytes, long tornBytes, List<String> damages) {}

    /**
     * A segment of the log.
     *
     * @param writtenBytes end of what was written
     * @param takenBytes of its file that take space, or will before it is sealed
     */
    record SegmentState(
            long segmentId,
            SpaceReport.Kind kind,
            boolean sealed,
            long writtenBytes,
            long takenBytes) {}

    List<SegmentState> segments();

    int freeSegments();

    /** The next segment opened gets this id. */
    long nextSegmentId();

    /** Bytes of segments that clients may still fill. */
    long clientBytes();

    /** Bytes of segments that deletes may still fill. */
    long deleteBytes();

    /** Bytes of segments that survivors may still fill. */
    long cleanerBytes();

    /**
     * Somebody else needs the file system as well.
     *
     * @param bytes of it that who claims a segment must leave to others
     */
    void leaveAlone(ToLongFunction<Claim> bytes);

    /**
     * Visits every batch of the head segments from a position on, in commit order, and finds the
     * torn tail: the first batch that is not whole, with no whole batch after it. Damage before a
     * whole batch, in a sealed segment, or a listed segment that is missing is refused or
     * collected, as the settings say.
     *
     * @throws io.volute.storage.DamagedException on damage, unless it is accepted
     */
    ReplayResult replay(LogPosition from, BatchVisitor visitor) throws IOException;

    /** Visits all batches of all head and survivor segments, in segment order (for a rebuild). */
    ReplayResult scanAll(BatchVisitor visitor) throws IOException;

    /**
     * Says how far each survivor counts. What lies behind is copies that the index does not know:
     * their originals are still in the log. A survivor without an end keeps its first batch only.
     * Before the appending begins.
     *
     * @param ends by segment id, behind the last batch that the index has applied
     * @throws io.volute.storage.DamagedException when a survivor is shorter than that
     */
    void cutSurvivors(Map<Long, Long> ends) throws IOException;

    /** Begins to read sealed segments one by one; used by one thread. */
    Scanner scanner(BatchVisitor visitor);

    /** Reads whole segments, with one buffer. */
    interface Scanner {
        /**
         * Visits all batches of a sealed head or survivor segment.
         *
         * @throws io.volute.storage.DamagedException on damage
         */
        void scan(long segmentId) throws IOException;
    }

    /** Begins to move entries of sealed segments that are pinned; used by one thread. */
    Mover mover();

    /** Reads entries that others hold, several with one call when they lie behind each other. */
    interface Mover extends AutoCloseable {
        /** As {@link SegmentLog#readEntry}. */
        LogEntry read(Place place) throws IOException;

        /**
         * Opens a segment of its own for entries that others hold.
         *
         * @param origins segments that it takes entries over from
         * @param expectedBytes that it will hold; when they do not fill it, its file takes no more
         */
        Survivor openSurvivor(List<Long> origins, long expectedBytes) throws IOException;

        /** After the last survivor. */
        @Override
        void close();
    }

    /**
     * A pass will fill so many survivors: this space, or the reserve if that is more, is kept from
     * clients until {@link #passEnded}. A pass that finds no room has moved much and freed nothing.
     */
    void passBegins(int planned);

    /** Survivors that running passes will have filled. */
    int promisedSegments();

    /**
     * A pass has done its part: its origins are free, or stay for good.
     *
     * @param planned what it began with
     * @param survivors that it has filled
     */
    void passEnded(int planned, int survivors);

    /**
     * A survivor being written, one batch at a time. Used by one thread. Entries count only when
     * the index has been told of them; until then their originals do.
     */
    interface Survivor extends AutoCloseable {
        long segmentId();

        /** Behind the last batch written. */
        long end();

        /** Whether so many more bytes of one entry fit into the batch at hand. */
        boolean hasRoom(long entryBytes);

        /**
         * Adds a copy of the entry at a place, verified; its checksum is carried over.
         *
         * @return the entry; an inline blob's content is valid until the next call
         */
        LogEntry copy(Place from) throws IOException;

        /** Adds an entry. */
        void add(LogEntry entry);

        /** Writes the batch at hand; returns the places in order. */
        List<Place> write() throws IOException;

        /** Makes durable what was written. */
        void force() throws IOException;

        /** Ends it; what lies behind the end does not count, and its space is given back. */
        void seal(long end) throws IOException;

        /** Leaves it as it is when it was not sealed. */
        @Override
        void close() throws IOException;
    }

    /** Cuts the torn tail found by the replay and opens a head behind it. */
    void startAppending(LogPosition end, long nextSequence) throws IOException;

    /** Largest sum of {@link #encodedBytes} that one batch can take. */
    int batchBytesMax();

    int encodedBytes(LogEntry entry);

    /** Where a batch went. {@code places} are in the order of the entries. */
    record Appended(List<Place> places, LogPosition end) {}

    /** For whom a segment is opened: the last ones are kept for who makes room. */
    enum Claim {
        CLIENT,
        /** A delete, or what the log needs to go on. */
        DELETE,
        /** A delete when cleaning wins nothing: what is kept for the cleaner helps nobody then. */
        LAST,
        CLEANER
    }

    /**
     * Writes one batch to the head (rolling to a new head first when it does not fit) and makes it
     * durable with one force. When this throws, the log takes no more appends.
     *
     * @param claim on a new head
     */
    Appended append(List<LogEntry> entries, long idHighWater, Claim claim) throws IOException;

    /** As above, for a client. */
    default Appended append(List<LogEntry> entries, long idHighWater) throws IOException {
        return append(entries, idHighWater, Claim.CLIENT);
    }

    /**
     * Takes sealed segments that hold nothing needed out of the log: writes a digest without them,
     * makes it durable, and recycles each file when its last reader has left.
     */
    void free(Collection<Long> segmentIds) throws IOException;

    /**
     * Begins to write one blob into stream segments, which it may share with others.
     *
     * @param expectedBytes of its content, when they are known
     */
    StreamAppender openStream(long blobId, OptionalLong expectedBytes) throws IOException;

    /** Writes the chunks of one blob into stream segments. Used by one thread at a time. */
    interface StreamAppender extends AutoCloseable {
        void write(ByteBuffer content) throws IOException;

        /** Writes the last chunk and makes everything durable; returns the extents in order. */
        List<Place> finish() throws IOException;

        /** Bytes of content taken so far. */
        long bytes();

        int chunkBytes();

        /** Abandons the rest; space already written is dead (see {@link #abandoned}). */
        @Override
        void close();

        /** Extents written so far, for accounting after an abandoned upload. */
        List<Place> abandoned();
    }

    /** Keeps a segment's file readable until closed. */
    interface Pin extends AutoCloseable {
        @Override
        void close();
    }

    /**
     * Pins segments for reading.
     *
     * @throws SegmentGoneException when one of them has left the log: look the place up again
     */
    Pin pin(Collection<Long> segmentIds) throws SegmentGoneException;

    /** Reads and verifies the entry at a place; the caller checks its identity. */
    LogEntry readEntry(Place place) throws IOException;

    /** Buffer capacity that {@link #readInline} needs for this place. */
    int inlineBufferBytes(Place place);

    /**
     * Reads the inline blob at a place into the target from index 0, verifies checksum and blob id,
     * and sets position and limit to its content.
     */
    void readInline(Place place, long blobId, ByteBuffer target) throws IOException;

    /** Buffer capacity that {@link #readChunk} needs. */
    int chunkBufferBytes(int chunkBytes);

    /**
     * Reads one chunk into the target from index 0, verifies checksum, blob id and chunk index, and
     * sets position and limit to its content.
     *
     * @param extents of the blob, in order
     * @param bytes content length of the blob
     */
    void readChunk(
            long blobId,
            List<Place> extents,
            long bytes,
            int chunkBytes,
            long chunkIndex,
            ByteBuffer target)
            throws IOException;

    /** What gives dead ranges of sealed segments back; may be used from any thread. */
    SegmentHoles holes();

    LogCounters counters();

    /** Counters since open. */
    record LogCounters(long batches, long streamForces, long damages) {}

    @Override
    void close() throws IOException;
}
