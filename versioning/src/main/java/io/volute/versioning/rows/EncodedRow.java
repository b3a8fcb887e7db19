package io.volute.versioning.rows;

/**
 * The two parts of a row.
 *
 * @param summary kept in the index
 * @param detail kept in the log only; empty when everything is in the summary
 */
public record EncodedRow(byte[] summary, byte[] detail) {
    private static final byte[] NO_DETAIL = {};

    public static EncodedRow of(byte[] summary) {
        return new EncodedRow(summary, NO_DETAIL);
    }
}
