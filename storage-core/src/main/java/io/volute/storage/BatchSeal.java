package io.volute.storage;

import java.util.List;

/**
 * Signs the notes of all transactions that become durable with one force: one signature for many
 * commits. The seal is committed in the same batch as the transactions, or not at all. The
 * committing thread calls it, so it must neither block nor fail, and it commits nothing itself.
 */
public interface BatchSeal {
    /** Returns the greatest number of log bytes that a seal takes, without the notes. */
    int bytesMax();

    /** Returns the greatest number of log bytes that a seal takes for each note. */
    int noteBytesMax();

    /**
     * Returns the transaction that seals a batch.
     *
     * @param notes notes of the batch's transactions, in the order of their commits; at least one
     * @param sequence sequence of the last of those commits; the next batch has a greater one
     * @return records that no transaction of the batch changes
     */
    Transaction seal(List<byte[]> notes, long sequence);
}
