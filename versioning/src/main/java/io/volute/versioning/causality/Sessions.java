package io.volute.versioning.causality;

/**
 * The state of the sessions that wrote a version: the paper's open files, with sessions of actors
 * in place of file handles. A closed version never opens again: the next write begins a new one.
 */
public enum Sessions {
    /**
     * A writer of the version is live. An actor's own present version is open while the actor
     * lives.
     */
    OPEN,

    /**
     * All writers of the version have ended. After a restart this holds for all earlier versions.
     */
    CLOSED
}
