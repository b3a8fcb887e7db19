package io.volute.versioning.causality;

/**
 * Whether somebody who wrote a version may still go on writing it: the paper's open file, with
 * sessions of actors in place of file handles. What is closed never opens again: the next write
 * begins a new version.
 */
public enum Sessions {
    /** An actor that wrote the version is open; so is each live actor's own present version. */
    OPEN,

    /**
     * All who wrote the version have ended. After a restart this holds for all that was written
     * before it.
     */
    CLOSED
}
