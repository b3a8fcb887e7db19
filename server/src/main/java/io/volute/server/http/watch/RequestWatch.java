package io.volute.server.http.watch;

import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.RequestBody;
import io.volute.server.s3.request.S3Response.About;

/**
 * Hears how every request begins, on its thread, and how it ends, on whichever sees that. Called by
 * the threads that serve requests: must neither block nor throw. Thread-safe.
 */
public interface RequestWatch {
    /** A watch that ignores all events. */
    RequestWatch NONE =
            new RequestWatch() {
                @Override
                public long now() {
                    return 0;
                }

                @Override
                public void answered(HttpHead head, Answered how) {}

                @Override
                public void refused(Refused refused) {}
            };

    /** Returns nanoseconds of a monotonic clock; all times that this watch receives are from it. */
    long now();

    /**
     * A request begins.
     *
     * @return its body, as it is to be read
     */
    default RequestBody begun(HttpHead head, RequestBody body) {
        return body;
    }

    /** A request was answered, or broken off, and nothing of it is on its way any more. */
    void answered(HttpHead head, Answered how);

    /** Receives a refusal before there was a complete request. */
    void refused(Refused refused);

    /**
     * How a request was answered.
     *
     * @param status that was sent
     * @param complete the answer went out to its end
     * @param traceId under which its spans are; empty when it is not traced
     */
    record Answered(
            About about, int status, boolean complete, Bytes bytes, Times times, String traceId) {
        /** Creates the end of a request without a trace. */
        public Answered(About about, int status, boolean complete, Bytes bytes, Times times) {
            this(about, status, complete, bytes, times, "");
        }

        /** Returns the operation's name in request counts. */
        public String operation() {
            return about.operation().isEmpty() ? "unknown" : about.operation();
        }

        /** Returns the same event with the id of a trace. */
        public Answered traced(String id) {
            return new Answered(about, status, complete, bytes, times, id);
        }
    }

    /**
     * Bytes of bodies, as they are on the wire.
     *
     * @param in of the request, as far as it was wanted
     * @param out of the answer
     */
    record Bytes(long in, long out) {}

    /**
     * The times of a request, on the clock of {@link #now}.
     *
     * @param begun the head had arrived
     * @param firstByte the head of the answer was given to the connection
     * @param ended the connection had taken the last byte
     */
    record Times(long begun, long firstByte, long ended) {}

    /**
     * A refusal before there was a request.
     *
     * @param requestId the request id in the answer to the client
     * @param remoteAddress of the client, without port
     * @param code of S3's error
     */
    record Refused(String requestId, String remoteAddress, int status, String code) {}
}
