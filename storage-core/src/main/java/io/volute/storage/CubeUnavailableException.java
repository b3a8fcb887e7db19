package io.volute.storage;

import java.io.IOException;
import java.util.Optional;

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
        /**
         * Writes come faster than space is reclaimed, or the services of the log take none for now.
         * Nothing was written. The caller should try again in a moment.
         */
        BUSY,
        /** The cube is closed or closing. */
        CLOSED,
        /** The cube is in recovery, or could not be opened. Other cubes of the store serve. */
        NOT_OPEN
    }

    /** The limit that a full store has reached. */
    public enum Limit {
        /** The setting {@code log.capacity}; the disk has room. */
        CAPACITY,
        /** The file system of the data directory. */
        DISK,
        /** Another one, or an unknown one. */
        OTHER
    }

    private final Reason reason;
    private final String cube;
    private final Limit limit;

    public CubeUnavailableException(Reason reason, String message) {
        this(reason, message, "", Limit.OTHER);
    }

    /** Creates the refusal of a full store. */
    public static CubeUnavailableException full(Limit limit, String message) {
        return new CubeUnavailableException(Reason.FULL, message, "", limit);
    }

    private CubeUnavailableException(Reason reason, String message, String cube, Limit limit) {
        super(message);
        this.reason = reason;
        this.cube = cube;
        this.limit = limit;
    }

    /** Returns the same refusal with the name of the cube. */
    public CubeUnavailableException in(String name) {
        boolean isNamed = reason == Reason.NOT_OPEN || cube.equals(name);
        String message = isNamed ? getMessage() : "cube " + name + ": " + getMessage();
        CubeUnavailableException named = new CubeUnavailableException(reason, message, name, limit);
        named.initCause(this);
        return named;
    }

    /** Returns the name of the cube, if it is known. */
    public Optional<String> cube() {
        return Optional.of(cube).filter(name -> !name.isEmpty());
    }

    /** Returns the reason. */
    public Reason reason() {
        return reason;
    }

    /** Returns the limit that is reached, if the reason is {@link Reason#FULL}. */
    public Limit limit() {
        return limit;
    }

    /** Returns whether nothing was written, so that the log is as it was and takes later writes. */
    public boolean leavesLogAsItWas() {
        return reason == Reason.FULL || reason == Reason.BUSY;
    }
}
