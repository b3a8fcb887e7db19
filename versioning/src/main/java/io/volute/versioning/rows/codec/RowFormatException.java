package io.volute.versioning.rows.codec;

/**
 * A verified row that this program cannot read: written by a newer version of it, or by a fault of
 * an older one. Never guessed around.
 */
public final class RowFormatException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    public RowFormatException(String message) {
        super(message);
    }
}
