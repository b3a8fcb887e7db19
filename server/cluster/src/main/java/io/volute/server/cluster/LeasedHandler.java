package io.volute.server.cluster;

import io.volute.server.cluster.hop.Forwarder;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.RequestBody;
import io.volute.server.s3.request.S3Handler;
import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.request.S3Response.Content;

/**
 * The handler of the owner's store. A request is handled only while the owner has its lease, and
 * answered only if it still has it afterwards: the lease then covers the moment of the read.
 *
 * @param otherwise handles a request that the store has not seen
 */
record LeasedHandler(S3Handler store, OwnerLease lease, S3Handler otherwise) implements S3Handler {
    private static final String LOST =
            "The node has lost the store, or cannot reach ZooKeeper. Try again.";

    @Override
    public S3Response handle(HttpHead head, RequestBody body) {
        try {
            if (!lease.awaitAdmission()) {
                return otherwise.handle(head, body);
            }
            S3Response response = store.handle(head, body);
            if (lease.awaitAnswer()) {
                return response;
            }
            if (response.content() instanceof Content.Blob blob) {
                blob.reader().close();
            }
            return Forwarder.unavailable(head, LOST);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Forwarder.unavailable(head, LOST);
        }
    }
}
