package io.volute.server.cluster;

import io.volute.adminapi.Route;
import io.volute.server.Limits;
import io.volute.server.admin.AdminFront;
import io.volute.server.json.Json;
import io.volute.server.s3.Router;
import io.volute.server.s3.call.Moment;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.QueryParameters;
import io.volute.server.s3.request.QueryParameters.Parameter;
import io.volute.server.s3.request.RequestBody;
import io.volute.server.s3.request.Target;
import io.volute.versioning.value.BucketAlias;
import io.volute.versioning.value.BucketName;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Finds the placed cube that a request needs. All other requests are for the owner of the store,
 * and so are those that create or delete a bucket. A request of the admin API names its bucket or
 * cube in its arguments, so a body with arguments is read first. The memo of the head keeps the
 * {@link Call}, so each request is parsed once; without placed cubes none is. Thread-safe.
 *
 * @param domains of requests in virtual-host style
 * @param known the cubes as this node knows them
 */
record RequestPlaces(List<String> domains, Known known) {
    private static final String ADMIN = "/_volute/";
    private static final Router ROUTER = new Router();
    private static final HeaderList NO_HEADERS = new HeaderList(List.of());
    private static final Call OF_STORE = new Call.OfStore();

    /** The object of the arguments that has them in a start or a plan of a restore. */
    private static final String RESTORATION = "request";

    /** The cubes of a store as a node knows them. Thread-safe. */
    interface Known {
        /** Returns the cube of a bucket; empty when it is not known. */
        Optional<String> ofBucket(BucketName bucket);

        /**
         * Returns the cube of the last bucket that had a name, which no present one has; empty when
         * it is not known. It can wait for views of the cubes of other nodes.
         */
        Optional<String> ofDeleted(BucketName bucket);

        /** Returns the cube that has a restore; empty when it is not known. */
        Optional<String> ofRestore(String id);

        /** Returns whether a cube has an owner of its own. */
        boolean isPlaced(String cube);

        /** Returns whether some cube has an owner of its own. */
        boolean isSomePlaced();
    }

    /**
     * Returns the body of a request. If it can have the arguments of the admin API that name a
     * placed cube, it is read now, and the returned one has the same bytes.
     */
    RequestBody read(HttpHead head, RequestBody body) {
        // The first condition is false for nearly all requests.
        boolean isNeeded =
                head.rawPath().startsWith(ADMIN)
                        && known.isSomePlaced()
                        && !isGet(head)
                        && head.contentLength() > 0
                        && head.contentLength() <= Limits.ADMIN_BODY_BYTES_MAX
                        && isInOneCube(head);
        return isNeeded ? ReplayedBody.of(body) : body;
    }

    private static boolean isGet(HttpHead head) {
        return head.method().equals("GET");
    }

    private boolean isInOneCube(HttpHead head) {
        try {
            return AdminFront.route(head, Target.of(head, domains))
                    .filter(Route::isInOneCube)
                    .isPresent();
        } catch (S3Exception e) {
            return false;
        }
    }

    /**
     * Returns the placed cube of a request; empty when the owner of the store handles it.
     *
     * @param body what {@link #read} has returned
     */
    Optional<String> cubeOf(HttpHead head, RequestBody body) {
        return known.isSomePlaced()
                ? Optional.of(call(head, body))
                        .filter(call -> !(call instanceof Call.DeleteBucket))
                        .flatMap(call -> place(call, known))
                : Optional.empty();
    }

    /** Returns the placed cube of a bucket that a request deletes; empty for all others. */
    Optional<String> deletionIn(HttpHead head) {
        return known.isSomePlaced()
                ? deletion(head).flatMap(call -> place(call, known))
                : Optional.empty();
    }

    /** Returns the bucket that a request deletes; empty for all other requests. */
    Optional<BucketName> bucketOf(HttpHead head) {
        return deletion(head).map(Call.DeleteBucket::bucket);
    }

    /** A call with arguments in its body has another method, so none is parsed without them. */
    private Optional<Call.DeleteBucket> deletion(HttpHead head) {
        return head.method().equals("DELETE")
                        && call(head, Optional.empty()) instanceof Call.DeleteBucket deletion
                ? Optional.of(deletion)
                : Optional.empty();
    }

    /** Returns the placed cube that a call needs, as a node knows the cubes; empty for none. */
    static Optional<String> place(Call call, Known known) {
        Optional<String> cube =
                switch (call) {
                    case Call.OfStore none -> Optional.empty();
                    case Call.OfCube(String name) -> Optional.of(name);
                    case Call.OfRestore(String id) -> known.ofRestore(id);
                    case Call.OfBucket(BucketName bucket, boolean isDeletedToo) ->
                            ofBucket(bucket, isDeletedToo, known);
                    case Call.DeleteBucket(BucketName bucket, boolean isDeletedToo) ->
                            ofBucket(bucket, isDeletedToo, known);
                };
        return cube.filter(known::isPlaced);
    }

    private static Optional<String> ofBucket(BucketName bucket, boolean isDeletedToo, Known known) {
        Optional<String> cube = known.ofBucket(bucket);
        return cube.isPresent() || !isDeletedToo ? cube : known.ofDeleted(bucket);
    }

    /**
     * Returns the call of a request.
     *
     * @param body what {@link #read} has returned
     */
    Call call(HttpHead head, RequestBody body) {
        return call(
                head,
                body instanceof ReplayedBody replayed ? Optional.of(replayed) : Optional.empty());
    }

    private Call call(HttpHead head, Optional<ReplayedBody> body) {
        return head.parsed(Call.class, domains, () -> parse(head, body));
    }

    private Call parse(HttpHead head, Optional<ReplayedBody> body) {
        try {
            Target target = Target.of(head, domains);
            Optional<Route<?, ?>> route = AdminFront.route(head, target);
            if (route.isPresent()) {
                return route.get().isInOneCube() ? named(arguments(head, body)) : OF_STORE;
            }
            return ofTarget(head, target);
        } catch (S3Exception | IOException e) {
            return OF_STORE;
        }
    }

    private static Call ofTarget(HttpHead head, Target target) {
        String name = BucketAlias.bucketOf(target.bucket());
        if (!BucketName.isValid(name)) {
            return OF_STORE;
        }
        boolean isPast = !name.equals(target.bucket()) || Moment.isInHeaders(head.headers());
        Call ofBucket = new Call.OfBucket(new BucketName(name), isPast);
        boolean isChange = head.method().equals("PUT") || head.method().equals("DELETE");
        if (!isChange || target.level() != Target.Level.BUCKET) {
            return ofBucket;
        }
        QueryParameters query = QueryParameters.parse(head.rawQuery());
        return switch (ROUTER.route(head.method(), target, query, NO_HEADERS)) {
            case CREATE_BUCKET -> OF_STORE;
            case DELETE_BUCKET -> new Call.DeleteBucket(new BucketName(name), isPast);
            default -> ofBucket;
        };
    }

    private static Map<String, ?> arguments(HttpHead head, Optional<ReplayedBody> body)
            throws IOException {
        if (isGet(head)) {
            Map<String, String> query = new LinkedHashMap<>();
            for (Parameter each : QueryParameters.parse(head.rawQuery()).parameters()) {
                query.put(each.name(), each.value());
            }
            return query;
        }
        return body.isPresent() ? Json.read(body.get().bytes()) : Map.of();
    }

    /** Returns the call in the cube that arguments name, or about the bucket or the restore. */
    private static Call named(Map<String, ?> arguments) {
        Map<?, ?> names =
                arguments.get(RESTORATION) instanceof Map<?, ?> restoration
                        ? restoration
                        : arguments;
        if (names.get("cube") instanceof String cube) {
            return new Call.OfCube(cube);
        }
        if (names.get("bucket") instanceof String bucket) {
            return BucketName.isValid(bucket)
                    ? new Call.OfBucket(new BucketName(bucket), true)
                    : OF_STORE;
        }
        return names.get("id") instanceof String id ? new Call.OfRestore(id) : OF_STORE;
    }
}
