package io.volute.server.http;

/** The present activity of a {@link Connection}. */
enum Phase {
    /** Waiting for a request. */
    AWAITING,
    ANSWERING,
    /** The response is out, its request is not yet in: the rest is swallowed. */
    DRAINING,
    /** Only waiting for the client to take the last response and go. */
    LINGERING,
    CLOSED
}
