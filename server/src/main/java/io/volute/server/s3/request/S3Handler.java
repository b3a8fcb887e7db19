package io.volute.server.s3.request;

/**
 * Answers a request: authenticates, routes, runs the operation. Called on a virtual thread, may
 * block, never throws: every fault becomes an S3 error response. A body that was not read to its
 * end is drained (up to a limit) or the connection is closed by the HTTP layer.
 */
public interface S3Handler {
    S3Response handle(HttpHead head, RequestBody body);
}
