package io.volute.storage;

import io.volute.storage.report.CheckReport;
import io.volute.storage.report.CubeStats;
import io.volute.storage.report.SpaceReport;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/**
 * A store of records and blobs that is a physically isolated fault domain (IceFS): it has its own
 * log, index and recovery. The layer above defines the meaning of records and blobs. Thread-safe.
 *
 * <p>Guarantees: a completed {@link #commit} is durable and visible to every later read. A
 * transaction is seen as a whole or not at all, also after a crash. Every delivered byte was
 * verified on that read.
 */
public interface Cube extends AutoCloseable {

    /**
     * Returns a new id. It is greater than every id that was given out before a crash and found in
     * the log after it.
     */
    long allocateId();

    /** Returns the record with this key, or empty. */
    Optional<StoredRecord> get(Family family, byte[] key);

    /** Reads and verifies the part of a record that lies only in the log. */
    byte[] readDetail(Family family, byte[] key, StoredRecord record) throws IOException;

    /**
     * Opens a snapshot cursor over {@code [from, to)}.
     *
     * @param to exclusive end; an empty array means the end of the family
     */
    RecordCursor scan(Family family, byte[] from, byte[] to);

    /** Begins a blob. An expected length lets the writer choose the route and reserve space. */
    BlobWriter newBlob(OptionalLong expectedBytes) throws IOException;

    /** Opens a blob that a live record refers to. */
    BlobReader openBlob(BlobId blob) throws IOException;

    /**
     * Appends the transaction to the log. The future completes with the sequence number of the
     * commit, after its bytes are durable and its changes are visible. It fails with an {@link
     * IOException} (see {@link CubeUnavailableException}, {@link MissingBlobException}). After a
     * failed force the outcome is unknown until the next start.
     */
    CompletableFuture<Long> commit(Transaction transaction);

    /** Sets the seal of notes. Call it before the first transaction with a note. */
    void sealWith(BatchSeal seal);

    /** Returns the sequence of the last visible commit. A later call never returns less. */
    long lastSequence();

    /**
     * Returns the greatest number of log bytes of a transaction. They count its keys, summaries,
     * details and references, blobs that go through the head, less than 64 bytes for each change,
     * and the bytes of its notes.
     */
    long transactionBytesMax();

    CubeState state();

    SpaceReport space();

    /**
     * Returns the space report for frequent callers. It leaves out the bytes that a compaction
     * would give back, which take reads of the index, and reports 0.
     */
    SpaceReport spaceAtGlance();

    CubeStats stats();

    /** The levels of cleaning. */
    enum Cleaning {
        /**
         * Level one: gives dead ranges of sealed segments back to the file system, where it
         * supports holes.
         */
        COMPACT,
        /** Level two: copies the needed entries of several segments to survivors. */
        COMBINED
    }

    /**
     * Reclaims space now, in one pass, whatever the thresholds. Runs on the caller's thread, beside
     * everything else.
     *
     * @return bytes set free; 0 when no pass is worth it
     */
    long clean(Cleaning level) throws IOException;

    /** Sets the owner of data that can be released when space is short; replaces the last. */
    void whenShort(SpaceGiver giver);

    /**
     * Checks the cube beside everything else. It verifies checksums of all entries of sealed
     * segments, of the live ones of open segments and of all chunks, counts references anew, and
     * compares the accounting of space with the content of the segments. Runs on the caller's
     * thread for as long as it takes to read everything at that rate; memory is bounded.
     *
     * @param bytesPerSecond greatest rate of reads
     * @param watch called after about each MiB; decides whether the check goes on
     * @throws CubeUnavailableException CLOSED when the cube closes meanwhile
     * @throws IOException when the log cannot be read at all; damage is reported, not thrown
     */
    CheckReport check(long bytesPerSecond, CheckReport.Watch watch) throws IOException;

    /** Flushes the index so that the next start has nothing to replay, and closes everything. */
    @Override
    void close() throws IOException;
}
