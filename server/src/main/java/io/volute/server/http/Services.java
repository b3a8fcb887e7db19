package io.volute.server.http;

import io.volute.server.s3.request.HttpHead;

/** The source of a listener's services. Thread-safe. */
@FunctionalInterface
public interface Services {
    /** Returns the present service, for health checks and refusals. */
    HttpServer.Service now();

    /** Chooses the service of a request, once for each. Called on an event loop. */
    default Arrival arrival(HttpHead head) {
        return new Arrival(head, now());
    }

    /**
     * A request with its service.
     *
     * @param head the head that handler and watch get in place of the one that arrived
     */
    record Arrival(HttpHead head, HttpServer.Service service) {}
}
