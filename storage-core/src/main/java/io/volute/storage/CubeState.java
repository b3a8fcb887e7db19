package io.volute.storage;

/** The state of a cube. */
public enum CubeState {
    RECOVERING,
    HEALTHY,
    /** The cube serves reads only: a write or force failed, or damage was accepted at start. */
    READ_ONLY,
    CLOSED
}
