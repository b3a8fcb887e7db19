package io.volute.storage.io;

/** Why bytes are written. The totals by cause are the write amplification, always known. */
public enum WriteCause {
    /** Entries and chunks that a client asked for. */
    CLIENT_DATA,
    /** Filling of pages behind a batch. */
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
