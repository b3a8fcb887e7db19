package io.volute.storage.log.ledger;

import io.volute.storage.io.NoSpaceException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * A service of replicated ledgers. A ledger is a list of entries with one writer. It is closed by
 * its writer, or for good by a recovery, which fences the writer. Ids are never used again.
 * Thread-safe.
 */
public interface Ledgers extends AutoCloseable {

    /** Returns the longest entry. */
    int entryBytesMax();

    /**
     * Creates a ledger. It has fewer copies than wanted while too few bookies take writes.
     *
     * @param cube cube that it belongs to
     * @param epoch epoch of the cube's owner, for {@link #ofCube}
     * @param waits whether to try for a bounded time while the service creates none, as a client
     *     would do that gets a refusal
     * @throws NoSpaceException when the services run and have no space; a failure of another type
     *     may pass by itself
     */
    Writer create(UUID cube, long epoch, boolean waits) throws IOException;

    /**
     * Creates a ledger with all copies that are wanted; see {@link #create}.
     *
     * @throws IOException while too few bookies take writes; no ledger exists then
     */
    Writer createFull(UUID cube, long epoch) throws IOException;

    /**
     * Fences the writer of a ledger and closes it behind an entry. Every acknowledged entry is in
     * it; others may be. Does nothing to a closed ledger.
     */
    void recover(long ledgerId) throws IOException;

    /** Takes the entries of a ledger. */
    interface EntrySink {
        /** Takes an entry, whose bytes are valid until return. */
        void entry(ByteBuffer entry) throws IOException;
    }

    /**
     * Passes entries of a closed ledger to a sink, in order.
     *
     * @param most number of entries from the first on; fewer when the ledger ends before
     */
    void read(long ledgerId, long most, EntrySink sink) throws IOException;

    /**
     * The confirmed part of a ledger.
     *
     * @param end number of the entry behind it
     * @param isClosed whether the ledger is closed, so that the part does not grow
     * @param addedBytes bytes of all entries up to some entry that is not confirmed, or to the end
     *     of the part if every acknowledged entry is in it
     */
    record Confirmed(long end, boolean isClosed, long addedBytes) {}

    /**
     * Passes confirmed entries of a ledger to a sink, in order, and fences nobody. Every recovery
     * keeps confirmed entries. An acknowledged entry is confirmed at the latest with the next one,
     * or when the ledger is closed.
     *
     * @param first number of the first entry to pass
     */
    Confirmed readConfirmed(long ledgerId, long first, EntrySink sink) throws IOException;

    /** Deletes a ledger, if it exists. */
    void delete(long ledgerId) throws IOException;

    /** Returns the ledgers of a cube that owners of earlier epochs created. */
    List<Long> ofCube(UUID cube, long beforeEpoch) throws IOException;

    /**
     * Waits a moment for bookies to return, after a call that needs more of them.
     *
     * @param attempts failed calls so far
     * @return false when it is time to give up
     */
    boolean awaitBookies(int attempts) throws IOException;

    /**
     * Returns the number of times that a bookie was seen to leave or to return. A ledger that was
     * open meanwhile may have fewer copies of some entries.
     */
    long bookieChanges() throws IOException;

    /**
     * Returns about how many bytes new ledgers may take, copies not counted. A service that does
     * not answer has as much as when it answered last.
     */
    long usableBytes();

    /** The one writer of a ledger. Thread-safe. */
    interface Writer extends AutoCloseable {
        long ledgerId();

        /** Returns whether the ledger has fewer copies than wanted. */
        boolean isUnderReplicated();

        /**
         * Adds an entry, which belongs to the ledger from now on. Entries complete in order; after
         * a failure all later ones fail, with {@link FencedException} when another owner has fenced
         * the ledger.
         *
         * @return completed once a quorum has it on disk
         */
        CompletableFuture<Void> add(byte[] entry);

        /** Closes the ledger behind the last acknowledged entry. */
        @Override
        void close() throws IOException;
    }

    @Override
    void close() throws IOException;
}
