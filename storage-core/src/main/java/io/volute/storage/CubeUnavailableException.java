package io.volute.storage;

import java.io.IOException;

/** Thrown when the cube refuses an operation in its present state. The message gives the cause. */
public final class CubeUnavailableException extends IOException {
    private static final long serialVersionUID = 1L;

    /** The reason for the refusal. */
    public enum Reason {
        /**
         * A force or write failed. Reads go on; writes need a restart after the cause is repaired.
         */
        READ_ONLY,
        /** There is no space for new segments. Deletes and reads go on. */
        FULL,
        /** Writes come faster than space is reclaimed. The caller should try again in a moment. */
        BUSY,
        /** The cube is closed or closing. */
        CLOSED
    }

    private final Reason reason;

    public CubeUnavailableException(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    /** Returns the reason. */
    public Reason reason() {
        return reason;
    }
}
