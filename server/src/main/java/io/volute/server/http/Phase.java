package io.volute.server.http;

/** The present activity of a {@link Connection}. */
enum Phase {
    /** Waiting for a request. */
    AWAITING,
    ANSWERING,
    /** The response is out, its request is not yet in: the rest is swallowed. */
    DRAINING,
    /** Waiting for the client to take the last response and close. */
    LINGERING,
    CLOSED
}
