package io.volute.storage;

import java.io.IOException;

/** The cube does not take this operation in its present state; the message says why. */
public final class CubeUnavailableException extends IOException {
    private static final long serialVersionUID = 1L;

    /** Why. */
    public enum Reason {
        /**
         * A force or write failed; reads go on, writes need a restart after the cause is mended.
         */
        READ_ONLY,
        /** No space for new segments; deletes and reads go on. */
        FULL,
        /** Space is being reclaimed, but writes come faster: try again in a moment. */
        BUSY,
        /** Closed or closing. */
        CLOSED
    }

    private final Reason reason;

    public CubeUnavailableException(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }
}
