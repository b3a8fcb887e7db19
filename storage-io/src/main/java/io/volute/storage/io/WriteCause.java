package io.volute.storage.io;

/** The cause of a write. The totals by cause give the write amplification. */
public enum WriteCause {
    /** Entries and chunks of clients. */
    CLIENT_DATA,
    /** Padding behind a batch. */
    PADDING,
    /** Zeros of a new segment file. */
    PREPARE,
    /** Segment headers and log digests. */
    DIGEST,
    /** Live entries copied by the cleaner. */
    CLEANING,
    /** Marks, checkpoints and other bookkeeping. */
    CHECKPOINT
}
