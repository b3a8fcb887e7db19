package io.volute.storage.index;

import java.io.IOException;

/** Thrown when the index cannot be used. No data is lost: the index is rebuilt from the log. */
public final class IndexUnusableException extends IOException {
    private static final long serialVersionUID = 1L;

    public IndexUnusableException(String reason) {
        super(reason);
    }

    public IndexUnusableException(String reason, Throwable cause) {
        super(reason, cause);
    }
}
