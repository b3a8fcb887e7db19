package io.volute.storage;

/** Where a cube is in its life. */
public enum CubeState {
    RECOVERING,
    HEALTHY,
    /** Serves reads; a write or force failed, or damage was accepted at start. */
    READ_ONLY,
    CLOSED
}
