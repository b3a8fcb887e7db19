package io.volute.storage;

import java.util.List;

/**
 * Vouches for the notes of all transactions that become durable with one force: one signature for
 * many commits. What it adds is in the log with them, or nothing of it is. Called by the committing
 * thread: it must neither block nor fail, and commits nothing itself.
 */
public interface BatchSeal {
    /** Bytes of log that a seal takes at most, notes aside. */
    int bytesMax();

    /** Bytes of log more, at most, for each note. */
    int noteBytesMax();

    /**
     * What is to be committed with a batch.
     *
     * @param notes of its transactions, in the order of their commits; at least one
     * @param sequence of the last of those commits; the next batch has a greater one
     * @return records that no transaction of the batch changes
     */
    Transaction seal(List<byte[]> notes, long sequence);
}
