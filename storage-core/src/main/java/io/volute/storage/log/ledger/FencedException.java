package io.volute.storage.log.ledger;

import java.io.IOException;

/** Thrown when another owner has claimed the log. This process must not write to it any more. */
public final class FencedException extends IOException {
    private static final long serialVersionUID = 1L;

    public FencedException(String message) {
        super(message);
    }

    public FencedException(String message, Throwable cause) {
        super(message, cause);
    }
}
