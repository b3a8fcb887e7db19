package io.volute.server.s3.request;

import io.volute.server.credentials.Credential;
import java.util.List;

/**
 * The share of the server that one request may hold: its place among the requests, and the heap for
 * its documents and its answer. A request begins with the share of a caller who is not
 * authenticated. Used by the thread of the request.
 */
public interface Allowance {
    /** Heap for the answer of a call of the admin API, IAM or STS while it is made, bytes. */
    long CALL_BYTES = 4L << 20;

    /** The allowance of a request that nothing limits: for tests, and for calls of the server. */
    Allowance UNLIMITED =
            new Allowance() {
                @Override
                public void authenticated(Credential caller) {}

                @Override
                public void forwarded() {}

                @Override
                public void beginForm() {}

                @Override
                public void endForm() {}

                @Override
                public void take(long bytes) {}

                @Override
                public void giveBack(long bytes) {}
            };

    /**
     * Moves the request to the share of its caller, whose signature has been verified.
     *
     * @throws io.volute.server.s3.error.S3Exception SlowDown when the caller has its share already
     */
    void authenticated(Credential caller);

    /**
     * Another node decides on the request.
     *
     * @throws io.volute.server.s3.error.S3Exception SlowDown when the request has no share but one
     *     of the root's
     */
    void forwarded();

    /**
     * Begins to read a form whose caller is known only afterwards. It draws on the share of callers
     * who are not authenticated, and has a time limit until {@link #endForm}.
     *
     * @throws io.volute.server.s3.error.S3Exception SlowDown when that share is used up
     */
    void beginForm();

    /** The form has been read. Does nothing when none was begun. */
    void endForm();

    /**
     * Reserves heap until {@link #giveBack}, or until the answer is made, which is weighed itself.
     * Waits a short time when there is none.
     *
     * @throws io.volute.server.s3.error.S3Exception SlowDown when it gets none
     */
    void take(long bytes);

    /** Returns heap that {@link #take} has reserved. */
    void giveBack(long bytes);

    /**
     * The work that begins now may take long, and its answer is a document, also that of an error.
     * If it takes some seconds, the status 200 and white space go out until the answer is there. So
     * the client and what is between do not give the request up.
     *
     * @param headers of the answer, in place of those that are not known yet
     */
    default void takesLong(List<HeaderList.Header> headers) {}
}
