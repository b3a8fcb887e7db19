package io.volute.testkit.sim;

/** The share of the unforced state that a crash leaves on disk. Forced state always remains. */
public enum PersistencePolicy {
    /** Nothing unforced is left. */
    ALL_LOST,
    /** Everything is left, as after a kill of the process. */
    ALL_KEPT,
    /** Each unforced 4 KiB block and each directory entry by chance; some blocks torn at 512 B. */
    RANDOM_BLOCKS,
    /** The writes and entries up to a random event; the last write is torn at 512 B. */
    PREFIX_KEPT,
    /** Only the writes and entries from a random event on. */
    LATER_KEPT,
    /** Entries and file lengths are left, unforced bytes read as zeros or as what was there. */
    GROWN_ZEROS,
    /** Unforced entries (creations, renames, deletions) are lost, all content is left. */
    ENTRIES_LOST,
    /** Entries are left, unforced content and length are not. */
    ENTRIES_ONLY
}
