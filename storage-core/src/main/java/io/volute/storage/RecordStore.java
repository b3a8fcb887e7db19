package io.volute.storage;

import java.io.IOException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/**
 * A store of records and blobs, as readers and writers see it. The layer above defines the meaning
 * of records and blobs. Thread-safe.
 *
 * <p>Guarantees: a completed {@link #commit} is durable and visible to every later read. A
 * transaction is seen as a whole or not at all, also after a crash. Every delivered byte was
 * verified on that read.
 */
public interface RecordStore {

    /**
     * Returns a new id. It is greater than every id that was given out before a crash and found in
     * the log after it.
     */
    long allocateId();

    /**
     * Makes all later ids greater than this one, which another cube gave out. The next commit makes
     * that durable.
     */
    void passId(long id);

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

    /** Returns the state of the cube: whether it serves reads and takes writes. */
    CubeState state();
}
