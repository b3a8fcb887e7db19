package io.volute.storage.report;

/**
 * The segments of a log whose ledgers have fewer copies than wanted, because too few bookies took
 * writes when they were created.
 *
 * @param segments number of them
 * @param bytes written bytes in them
 */
public record UnderReplication(int segments, long bytes) {
    /** Every segment has all copies. */
    public static final UnderReplication NONE = new UnderReplication(0, 0);
}
