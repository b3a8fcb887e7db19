package io.volute.versioning.rows;

/**
 * A row with a valid checksum that this program cannot decode: a newer version wrote it, or an
 * older one with a fault. Decoding never guesses.
 */
public final class RowFormatException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    public RowFormatException(String message) {
        super(message);
    }
}
