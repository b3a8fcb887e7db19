package io.volute.storage.index;

import java.io.IOException;

/** The index cannot be used as it is; nothing is lost, it is made again from the log. */
public final class IndexUnusableException extends IOException {
    private static final long serialVersionUID = 1L;

    public IndexUnusableException(String reason) {
        super(reason);
    }

    public IndexUnusableException(String reason, Throwable cause) {
        super(reason, cause);
    }
}
