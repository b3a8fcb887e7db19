package io.volute.versioning;

import java.util.UUID;

/**
 * The reads of clients that the owners of a store's cubes exchange. A client that reads in a cube
 * of one owner and then writes in a cube of another has the read as a cause of its write, provided
 * that the other owner adds it before the write. Thread-safe.
 */
public interface SharedReads {
    /** Maximum number of bytes of a batch. */
    int BATCH_BYTES_MAX = 1 << 20;

    /**
     * A place in the reads of one process.
     *
     * @param run identifies the process, as a new one has lost the reads of the one before
     * @param number number of the last read before the place
     */
    record Position(UUID run, long number) {
        /** The place before all reads of any process. */
        public static final Position START = new Position(new UUID(0, 0), 0);
    }

    /**
     * The result of adding a batch.
     *
     * @param position the place to ask for next
     * @param hasMore whether the other process had more reads than the batch could hold
     */
    record Progress(Position position, boolean hasMore) {}

    /**
     * Returns the kept reads that this process recorded in its own cubes after a position, oldest
     * first; all kept ones if the position is of another run.
     *
     * @return an encoded batch of at most {@link #BATCH_BYTES_MAX} bytes
     */
    byte[] since(Position from);

    /**
     * Adds a batch of another owner. A read that was added before has no effect, so a batch may
     * arrive late or twice.
     *
     * @throws IllegalArgumentException for a batch of an unknown version, or a damaged one; nothing
     *     was added
     */
    Progress add(byte[] batch);

    /** Sets whether the store has other owners. While it has, reads are kept for them. */
    void setShared(boolean hasOtherOwners);

    /** Returns the number of reads that were dropped because too many were kept. */
    long dropped();
}
