package io.volute.server.cluster;

import io.volute.server.cluster.hop.HopGate.Handlers;
import io.volute.server.http.HttpServer.Service;
import java.util.Optional;

/**
 * The services of a server that a node runs, for the listeners of the node.
 *
 * @param s3 for clients of S3
 * @param admin for clients at the admin API's own address
 * @param hops for other nodes
 * @param metrics empty until they are published, and when they are disabled
 */
record NodeServices(Service s3, Service admin, Handlers hops, Optional<Service> metrics) {

    /** Returns the same services with a page of metrics. */
    NodeServices with(Service page) {
        return new NodeServices(s3, admin, hops, Optional.of(page));
    }
}
