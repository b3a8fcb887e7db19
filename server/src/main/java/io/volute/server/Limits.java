package io.volute.server;

/**
 * Every bound of the server in one place. Those named "default" can be changed in the
 * configuration; the others are fixed. Documented in docs/limits.md.
 */
public final class Limits {
    private Limits() {}

    /** Bytes of a request line without its line end. */
    public static final int REQUEST_LINE_BYTES_MAX = 8 * 1024;

    /** Bytes of all header lines of a request, line ends included. */
    public static final int HEADER_BYTES_MAX = 16 * 1024;

    /** Header fields of a request. */
    public static final int HEADER_COUNT_MAX = 100;

    /** Bytes that one read from a socket delivers at most. */
    public static final int READ_BYTES_MAX = 128 * 1024;

    /** Body bytes waiting in memory for the thread that handles a request. */
    public static final int BODY_QUEUE_BYTES_MAX = 384 * 1024;

    /** Buffers of a response that may be on their way to the socket at once. */
    public static final int RESPONSE_BUFFERS_MAX = 3;

    /** Unread body bytes that are swallowed to keep a connection alive. */
    public static final int DRAIN_BYTES_MAX = 1024 * 1024;

    /** Default of the connections open at once. */
    public static final int CONNECTIONS_MAX = 10_000;

    /** Connections over the limit that are told so before they are closed, at once. */
    public static final int REFUSALS_MAX = 64;

    /** Default of the requests being handled at once. */
    public static final int REQUESTS_IN_FLIGHT_MAX = 2_000;

    /** Default of the bytes of buffers beyond the first of each request in flight. */
    public static final long BUFFER_BYTES_MAX = 64L * 1024 * 1024;

    /** Default of the seconds from a request's first byte (or the accept) to its last header. */
    public static final int HEADER_SECONDS_MAX = 10;

    /** Default of the seconds that a connection without request stays open. */
    public static final int IDLE_SECONDS_MAX = 60;

    /** Default of the seconds without a body byte while the server waits for one. */
    public static final int BODY_IDLE_SECONDS_MAX = 60;

    /** Default of the slowest body accepted, bytes a second, over the window below. */
    public static final int BODY_RATE_MIN = 1024;

    /** Default of the window, in seconds of waiting for the client, of the body rate. */
    public static final int BODY_RATE_WINDOW_SECONDS = 30;

    /** Default of the seconds in which a client takes no byte of its response. */
    public static final int WRITE_IDLE_SECONDS_MAX = 60;

    /** Seconds for the TLS handshake. */
    public static final int HANDSHAKE_SECONDS_MAX = 10;

    /** Seconds for which what a client still sends is swallowed before a connection is closed. */
    public static final int LINGER_SECONDS_MAX = 2;

    /** Default of the seconds that a stop waits for requests in flight. */
    public static final int SHUTDOWN_SECONDS_MAX = 30;

    /** Connections that wait for being accepted. */
    public static final int BACKLOG = 1024;
}
