package io.volute.server.cluster;

import io.volute.server.cluster.CubeOwner.Serving;
import io.volute.server.cluster.hop.Forwarder;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.RequestBody;
import io.volute.server.s3.request.S3Handler;
import io.volute.server.s3.request.S3Response;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Requests in the placed cubes of a node. Each is counted until its answer is out, so that its cube
 * can be closed behind the last one. Thread-safe.
 */
final class PlacedRequests {
    private static final String STALE =
            "This node does not know the present users. Try again, or use another node.";

    private final RequestPlaces places;
    private final Function<String, Optional<Serving>> owned;
    private final BooleanSupplier knowsUsers;
    private final Map<String, CubeGate> underWay = new ConcurrentHashMap<>();

    /**
     * @param places finds the placed cubes of requests
     * @param owned returns a cube while this node has it
     * @param knowsUsers returns whether users and policies are as new as they must be
     */
    PlacedRequests(
            RequestPlaces places,
            Function<String, Optional<Serving>> owned,
            BooleanSupplier knowsUsers) {
        this.places = places;
        this.owned = owned;
        this.knowsUsers = knowsUsers;
    }

    /**
     * Returns a handler of requests at one entrance.
     *
     * @param server handles those in a cube of this node
     * @param store handles those that are for the owner of the store
     * @param elsewhere handles those in a cube of another node
     * @param notOfStore called before those in a placed cube, for which the store does not wait
     */
    S3Handler handler(
            S3Handler server, S3Handler store, S3Handler elsewhere, Consumer<HttpHead> notOfStore) {
        return (head, arrived) -> {
            RequestBody body = places.read(head, arrived);
            Optional<String> cube = places.cubeOf(head, body);
            if (cube.isEmpty()) {
                return store.handle(head, body);
            }
            notOfStore.accept(head);
            return inCube(cube.get(), server, elsewhere).handle(head, body);
        };
    }

    /** Returns the handler of requests in one cube. */
    S3Handler inCube(String cube, S3Handler server, S3Handler elsewhere) {
        return (head, body) -> {
            Optional<Serving> here = owned.apply(cube);
            return here.isPresent()
                    ? inCube(here.get(), head, body, server, elsewhere)
                    : elsewhere.handle(head, body);
        };
    }

    /** Returns whether this node has a cube. */
    boolean isHere(String cube) {
        return owned.apply(cube).isPresent();
    }

    private S3Response inCube(
            Serving cube, HttpHead head, RequestBody body, S3Handler server, S3Handler elsewhere) {
        if (!cube.gate().enter()) {
            return elsewhere.handle(head, body);
        }
        underWay.put(head.requestId(), cube.gate());
        if (!knowsUsers.getAsBoolean()) {
            return Forwarder.unavailable(head, STALE);
        }
        S3Handler next =
                (handed, rest) -> {
                    // The cube is not closed behind a request that waits for its next owner.
                    ended(handed);
                    return elsewhere.handle(handed, rest);
                };
        return new LeasedHandler(server, cube.lease(), next).handle(head, body);
    }

    /** Notes that the answer to a request is out. */
    void ended(HttpHead head) {
        Optional.ofNullable(underWay.remove(head.requestId())).ifPresent(CubeGate::leave);
    }
}
