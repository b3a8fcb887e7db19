package io.volute.storage.log.space;

import io.volute.storage.io.StoredFile;
import io.volute.storage.log.SegmentFileName;
import io.volute.storage.log.SegmentLog.SpacePriority;
import io.volute.storage.report.SpaceReport;
import io.volute.storage.report.UnderReplication;
import java.io.IOException;
import java.util.List;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;

/**
 * The segments of one log. The log chooses ids, writes the bytes and decides what is freed; the
 * store provides the files, lists them at a start and takes them back. Thread-safe.
 *
 * <p>Life: open; {@link #list}; {@link #startWriting}; {@link #create} and {@link #retire}; close.
 * Files are opened at any time.
 */
public interface SegmentStore extends SegmentFiles, AutoCloseable {

    /** Creates the place of the segments if it is missing. */
    void open() throws IOException;

    /**
     * Lists the segments by name, in order of their ids. Every listed segment stays listed after a
     * crash. Changes nothing else.
     */
    List<SegmentFileName> list() throws IOException;

    /** Sets the source of the bytes that segments in use take, for {@link #available}. */
    void measureUseBy(LongSupplier usedBytes);

    /**
     * Begins to take changes, after the log has read the listed segments. What an earlier life left
     * half-made is removed.
     */
    void startWriting() throws IOException;

    /**
     * The purpose of a new segment.
     *
     * @param expectedBytes bytes that will be written at most, if known; else the segment size
     */
    record Claim(SpaceReport.Kind kind, SpacePriority priority, long expectedBytes) {}

    /**
     * Creates a file of the segment size for a segment that is not in the log yet. A crash before
     * {@link Draft#publish} leaves no segment.
     *
     * @throws io.volute.storage.CubeUnavailableException when there is no space for one, or the
     *     store cannot create one for now; nothing has changed then
     */
    Draft create(Claim claim) throws IOException;

    /**
     * Creates a file for the copy of a segment that is in another store. The reserves do not count.
     *
     * @param segmentBytes size of the segment
     */
    Draft createCopy(long segmentBytes) throws IOException;

    /** A segment that is being prepared. Used by one thread. */
    interface Draft {

        /**
         * Opens the file for its first content: header, and what else must be there from the start.
         * The caller forces it and closes it before {@link #publish}.
         */
        StoredFile open() throws IOException;

        /**
         * Makes the draft a segment of the log; durable on return. Once the name exists, so does
         * the content forced before.
         *
         * @return the file, open for writing behind that content
         */
        StoredFile publish(SegmentFileName name) throws IOException;

        /** Gives back a draft that was not opened. */
        void putBack();

        /** Removes a draft after a failure; returns the failure for the caller. */
        IOException discard(IOException cause);
    }

    /**
     * Takes back the file of a segment that no digest lists any more and nobody reads. After a
     * failure or a crash the segment may be listed again, and is then retired again.
     */
    void retire(SegmentFileName name) throws IOException;

    /**
     * Returns whether the newest head takes more batches after a restart. Without that, a start
     * opens a new head.
     */
    boolean resumesHeads();

    /**
     * Returns whether uploads share stream segments. A store that can punch no hole gives the space
     * of a dead blob back only if it has a segment of its own.
     */
    boolean sharesStreams();

    /**
     * Ends a head whose write failed: nothing is written to it any more, and reads find exactly
     * what is durable. Waits for a bounded time until the store can.
     *
     * @return the end of the durable part; empty when the log takes no more writes
     */
    default OptionalLong recoverHead(SegmentFileName name, IOException failure) throws IOException {
        return OptionalLong.empty();
    }

    /**
     * Waits a moment for the store to have a place for a segment again.
     *
     * @param attempts failed attempts so far
     * @return false when it is time to give up
     */
    default boolean awaitReturn(int attempts) throws IOException {
        return false;
    }

    /** Returns whether a failed write concerns only the segment it was for. */
    default boolean concernsOneSegment(IOException failure) {
        return false;
    }

    /** Returns whether a new head would have more copies than the present one. */
    default boolean hasSaferPlace(SegmentFileName head) {
        return false;
    }

    /** Returns the segments that have fewer copies than wanted. */
    default UnderReplication underReplication() {
        return UnderReplication.NONE;
    }

    /** Returns the number of files that are ready for new segments. */
    int ready();

    /** Prepares a file for the next head in the background, if the store needs to. */
    void prepareSoon();

    /** Returns the number of segments that may still be created with this priority. */
    long available(SpacePriority priority);

    /** Returns the reserves of cleaner and deletes, which {@link #available} leaves alone. */
    SegmentReserve reserve();

    /** Uses the reserves of a store that this one replaces. */
    void useReserve(SegmentReserve other);

    /** Sets the space for others; see {@link io.volute.storage.log.SegmentLog#reserveForOthers}. */
    void reserveForOthers(ToLongFunction<SpacePriority> bytes);

    /**
     * Verifies before a read that no other process can have changed the log. Segments in the data
     * directory have its lock.
     */
    default void requireOwned() throws IOException {}

    /**
     * Returns whether no other machine has had the log since the last {@link #startWriting} here.
     * If not, segments may be gone whose live entries are in survivors now, which a replay does not
     * read: an index of this machine cannot be continued. Call it behind {@link #list}.
     */
    default boolean isContinued() {
        return true;
    }

    /**
     * Gives the log up for good, as it is in another store now. No owner can claim it here from
     * then on. After a failure the outcome is unknown: see {@link SegmentStores#hasLeft}.
     *
     * @param token name of this attempt
     */
    default void leave(UUID token) throws IOException {}

    /** Returns what an operator should repair after a failed write, as a sentence part. */
    String remedy();

    @Override
    void close() throws IOException;
}
