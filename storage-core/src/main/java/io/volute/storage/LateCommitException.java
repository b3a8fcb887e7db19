package io.volute.storage;

import java.io.IOException;
import java.time.Instant;

/**
 * A transaction would have been committed later than {@link Transaction#notAfter} allows. Nothing
 * was written; the blobs that it adds can go into another transaction.
 */
public final class LateCommitException extends IOException {
    private static final long serialVersionUID = 1L;

    /**
     * @param at when it would have been committed
     */
    public LateCommitException(Instant at) {
        super("a commit of " + at + " is later than its transaction allows");
    }
}
