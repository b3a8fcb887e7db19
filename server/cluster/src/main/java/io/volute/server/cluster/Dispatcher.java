package io.volute.server.cluster;

import io.volute.server.cluster.hop.Forwarder;
import io.volute.server.cluster.hop.HopGate;
import io.volute.server.http.watch.RequestWatch;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.RequestBody;
import io.volute.server.s3.request.S3Handler;
import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.request.S3Response.Content;
import io.volute.versioning.value.BucketName;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;

/**
 * Passes each request to its cube: here, or on the node that owns it. Requests that need no placed
 * cube are for the store. A request is handled only while the owner has its lease, and answered
 * only if it still has it afterwards: the lease then covers the moment of the read. It is counted
 * until its answer is out, so that what it uses can be closed after the last one. Thread-safe.
 */
final class Dispatcher {
    private static final String LOST =
            "The node has lost the store, or cannot reach ZooKeeper. Try again.";
    private static final String STALE =
            "This node does not know the present users. Try again, or use another node.";
    private static final Set<String> READS = Set.of("GET", "HEAD", "OPTIONS");
    private static final int BAD_REQUEST = 400;
    private static final int INTERNAL_ERROR = 500;

    private final RequestPlaces places;
    private final Owned owned;
    private final BooleanSupplier knowsUsers;
    private final Exchange exchange;
    private final Map<String, CubeGate> underWay = new ConcurrentHashMap<>();

    /** The cubes that this node owns. Thread-safe. */
    interface Owned {
        /** Returns a placed cube while this node has it. */
        Optional<Serving> cube(String name);

        /** Returns the store while this node has it. */
        Optional<Serving> store();

        /** Returns whether another node serves a placed cube. */
        boolean isElsewhere(String cube);

        /** Notes that the owner of a cube has deleted a bucket of it. */
        void deleted(BucketName bucket, String cube);

        /** Notes that the owner of a cube may have deleted a bucket, or not. */
        void mayBeDeleted(String cube);
    }

    /** Asks the other owners for what happened before a request that may write. */
    @FunctionalInterface
    interface Exchange {
        void await() throws InterruptedException;
    }

    /**
     * @param places finds the placed cubes of requests
     * @param knowsUsers returns whether users and policies are as new as they must be
     */
    Dispatcher(RequestPlaces places, Owned owned, BooleanSupplier knowsUsers, Exchange exchange) {
        this.places = places;
        this.owned = owned;
        this.knowsUsers = knowsUsers;
        this.exchange = exchange;
    }

    /**
     * Returns the handler of requests of this node's clients.
     *
     * @param server handles those in a cube that is here
     * @param forward handles all others
     */
    S3Handler ofClients(S3Handler server, S3Handler forward) {
        return new Entry(server, forward, false);
    }

    /**
     * Returns the handler of requests that other nodes pass on. It refuses what this node does not
     * own. The placements of the owner of the store are the newest, so that one forwards a request
     * in a cube of another node.
     */
    S3Handler ofNodes(S3Handler server, S3Handler forward) {
        return new Entry(server, forward, true);
    }

    /** Returns the placed cube whose owner gets a request; empty for the owner of the store. */
    Optional<String> routeOf(HttpHead head, RequestBody body) {
        Optional<String> cube = places.cubeOf(head, body);
        // The owner of the cube decides about the request of the owner of the store.
        return cube.isEmpty() && owned.store().isPresent() ? places.deletionIn(head) : cube;
    }

    /** Returns a watch that notes the ends of requests. */
    RequestWatch watch(RequestWatch next) {
        return new RequestWatch() {
            @Override
            public long now() {
                return next.now();
            }

            @Override
            public RequestBody begun(HttpHead head, RequestBody body) {
                return next.begun(head, body);
            }

            @Override
            public void answered(HttpHead head, Answered how) {
                ended(head);
                next.answered(head, how);
            }

            @Override
            public void refused(Refused refused) {
                next.refused(refused);
            }
        };
    }

    /** Notes that the answer to a request is out, or that another node handles it. */
    private void ended(HttpHead head) {
        Optional.ofNullable(underWay.remove(head.requestId())).ifPresent(CubeGate::leave);
    }

    /** The place of a request. */
    private sealed interface Route {
        /**
         * It is handled here.
         *
         * @param isOfStore whether it needs no placed cube
         */
        record Here(Serving serving, boolean isOfStore) implements Route {}

        /** Another node handles it: the owner of a placed cube, or that of the store. */
        record There(Optional<String> cube) implements Route {}
    }

    /** The requests of clients, or of other nodes. */
    private final class Entry implements S3Handler {
        private final S3Handler server;
        private final S3Handler forward;
        private final boolean isHop;

        Entry(S3Handler server, S3Handler forward, boolean isHop) {
            this.server = server;
            this.forward = forward;
            this.isHop = isHop;
        }

        @Override
        public S3Response handle(HttpHead head, RequestBody arrived) {
            RequestBody body = places.read(head, arrived);
            Optional<String> cube = places.cubeOf(head, body);
            return switch (route(head, cube)) {
                case Route.There there -> elsewhere(there.cube()).handle(head, body);
                case Route.Here here -> run(here, cube, head, body);
            };
        }

        private Route route(HttpHead head, Optional<String> cube) {
            Optional<Serving> store = cube.isEmpty() ? owned.store() : Optional.empty();
            if (store.isPresent()) {
                return new Route.Here(store.get(), true);
            }
            // The owner of the store lets the owner of its cube delete a bucket.
            Optional<String> needed = cube.isEmpty() && isHop ? places.deletionIn(head) : cube;
            return needed.flatMap(owned::cube)
                    .<Route>map(serving -> new Route.Here(serving, false))
                    .orElseGet(() -> new Route.There(cube));
        }

        /** Returns the handler of requests of other nodes. None is sent to this node again. */
        private S3Handler elsewhere(Optional<String> cube) {
            boolean isForwarded =
                    !isHop
                            || owned.store().isPresent()
                                    && cube.filter(owned::isElsewhere).isPresent();
            return isForwarded ? forward : HopGate.REFUSED;
        }

        private S3Response run(
                Route.Here here, Optional<String> cube, HttpHead head, RequestBody body) {
            Serving serving = here.serving();
            if (!serving.gate().enter()) {
                return elsewhere(cube).handle(head, body);
            }
            underWay.put(head.requestId(), serving.gate());
            if (!knowsUsers.getAsBoolean()) {
                return Forwarder.unavailable(head, STALE);
            }
            try {
                if (!serving.lease().awaitAdmission()) {
                    // What it waits for must not wait for it.
                    ended(head);
                    return elsewhere(cube).handle(head, body);
                }
                S3Response response = here.isOfStore() ? ofStore(head, body) : inCube(head, body);
                if (serving.lease().awaitAnswer()) {
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

        private S3Response inCube(HttpHead head, RequestBody body) throws InterruptedException {
            if (!READS.contains(head.method())) {
                exchange.await();
            }
            return server.handle(head, body);
        }

        /** Answers here. The owner of a placed cube decides about the deletion of its bucket. */
        private S3Response ofStore(HttpHead head, RequestBody body) throws InterruptedException {
            Optional<String> deletion =
                    places.deletionIn(head).filter(each -> owned.cube(each).isEmpty());
            if (deletion.isEmpty()) {
                return inCube(head, body);
            }
            S3Response answer = elsewhere(deletion).handle(head, body);
            if (answer.status() >= INTERNAL_ERROR) {
                owned.mayBeDeleted(deletion.get());
            } else if (answer.status() < BAD_REQUEST) {
                places.bucketOf(head).ifPresent(each -> owned.deleted(each, deletion.get()));
            }
            return answer;
        }
    }
}
