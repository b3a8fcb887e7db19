package io.volute.storage;

import io.volute.storage.report.CheckReport;
import io.volute.storage.report.CubeStats;
import io.volute.storage.report.SpaceReport;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/**
 * A physically isolated fault domain (IceFS): its own log, index and recovery. Records and blobs
 * in, records and blobs out; what they mean is the business of the layer above. Thread-safe.
 *
 * <p>Promises: a completed {@link #commit} is durable and visible to every later read; a
 * transaction is seen wholly or not at all, also after a crash; every byte delivered was verified
 * on that read.
 */
public interface Cube extends AutoCloseable {

    /** A new id, greater than every id given out before a crash and found in the log after it. */
    long allocateId();

    /** The record under this key, or empty. */
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
     * Appends the transaction to the log. The future completes after its bytes are durable and its
     * changes are visible, with the sequence number of the commit. It fails with an {@link
     * IOException} (see {@link CubeUnavailableException}, {@link MissingBlobException}); after a
     * failed force the outcome is unknown until the next start.
     */
    CompletableFuture<Long> commit(Transaction transaction);

    /** From here on notes are sealed; before the first transaction that has one. */
    void sealWith(BatchSeal seal);

    /** Sequence of the last commit that is visible; a later call never says less. */
    long lastSequence();

    /**
     * Bytes of log that a transaction takes at most: its keys, summaries, details and references,
     * blobs that go through the head, less than 64 bytes for each change, and what its notes take.
     */
    long transactionBytesMax();

    CubeState state();

    SpaceReport space();

    /**
     * As {@link #space}, for who asks often: what a compaction would give back, which reads the
     * index, is not looked for and 0.
     */
    SpaceReport spaceAtGlance();

    CubeStats stats();

    /** How space is reclaimed. */
    enum Cleaning {
        /** Level one: dead ranges of sealed segments go back to the file system, where it can. */
        COMPACT,
        /** Level two: what is needed of several segments goes to survivors. */
        COMBINED
    }

    /**
     * Reclaims space now, one pass over what the level takes at once, whatever the thresholds say.
     * Runs on the caller's thread, beside everything else.
     *
     * @return bytes set free; 0 when there is nothing worth it
     */
    long clean(Cleaning level) throws IOException;

    /** Asks this one, and no other, from here on when space is short. */
    void whenShort(SpaceGiver giver);

    /**
     * Looks for whatever is wrong, beside everything else: verifies checksums of all entries of
     * sealed segments, of what is live in open ones and of all chunks, counts references anew, and
     * compares the accounting of space with what lies in the segments. Runs on the caller's thread
     * for as long as it takes to read everything at that rate; memory is bounded.
     *
     * @param bytesPerSecond read at most
     * @param watch told after each MiB or so, and asked whether to go on
     * @throws CubeUnavailableException CLOSED when the cube closes meanwhile
     * @throws IOException when the log cannot be read at all; damage is no exception but reported
     */
    CheckReport check(long bytesPerSecond, CheckReport.Watch watch) throws IOException;

    /** Flushes the index so that the next start has nothing to replay, and closes everything. */
    @Override
    void close() throws IOException;
}
