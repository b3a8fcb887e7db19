package io.volute.server.cluster;

import io.volute.server.Limits;
import io.volute.server.admin.AdminFront;
import io.volute.server.admin.AdminRoute;
import io.volute.server.json.Json;
import io.volute.server.s3.StoreCalls;
import io.volute.server.s3.StoreCalls.Change;
import io.volute.server.s3.error.S3Exception;
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
 * cube in its arguments, so a body with arguments is read first. Thread-safe.
 *
 * @param domains of requests in virtual-host style
 * @param known the cubes as this node knows them
 */
record RequestPlaces(List<String> domains, Known known) {
    private static final String ADMIN = "/_volute/";

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
                    .filter(AdminRoute::isInOneCube)
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
        if (!known.isSomePlaced()) {
            return Optional.empty();
        }
        try {
            Target target = Target.of(head, domains);
            Optional<AdminRoute> route = AdminFront.route(head, target);
            if (route.isPresent()) {
                return route.get().isInOneCube()
                        ? cubeOf(arguments(head, body)).filter(known::isPlaced)
                        : Optional.empty();
            }
            return ofBucket(head, target, Change.NONE);
        } catch (S3Exception | IOException e) {
            // The owner of the store answers with the error.
            return Optional.empty();
        }
    }

    /** Returns the bucket of a request; empty if it names none. */
    Optional<BucketName> bucketOf(HttpHead head) {
        try {
            String name = BucketAlias.bucketOf(Target.of(head, domains).bucket());
            return Optional.of(name).filter(BucketName::isValid).map(BucketName::new);
        } catch (S3Exception e) {
            return Optional.empty();
        }
    }

    /** Returns the placed cube of a bucket that a request deletes; empty for all others. */
    Optional<String> deletionIn(HttpHead head) {
        if (!known.isSomePlaced()) {
            return Optional.empty();
        }
        try {
            return ofBucket(head, Target.of(head, domains), Change.DELETION);
        } catch (S3Exception e) {
            return Optional.empty();
        }
    }

    private Optional<String> ofBucket(HttpHead head, Target target, Change wanted) {
        return target.bucket().isEmpty() || StoreCalls.of(head, target) != wanted
                ? Optional.empty()
                : ofTarget(target.bucket()).filter(known::isPlaced);
    }

    /** Returns the cube of the bucket of a target; for its past also that of a deleted one. */
    private Optional<String> ofTarget(String bucket) {
        String name = BucketAlias.bucketOf(bucket);
        return name.equals(bucket) ? ofBucket(name) : ofAnyBucket(name);
    }

    private Optional<String> ofBucket(String name) {
        return BucketName.isValid(name) ? known.ofBucket(new BucketName(name)) : Optional.empty();
    }

    /** Returns the cube of a bucket, or of the last one that had its name. */
    private Optional<String> ofAnyBucket(String name) {
        return ofBucket(name)
                .or(
                        () ->
                                BucketName.isValid(name)
                                        ? known.ofDeleted(new BucketName(name))
                                        : Optional.empty());
    }

    private static Map<String, ?> arguments(HttpHead head, RequestBody body) throws IOException {
        if (isGet(head)) {
            Map<String, String> query = new LinkedHashMap<>();
            for (Parameter each : QueryParameters.parse(head.rawQuery()).parameters()) {
                query.put(each.name(), each.value());
            }
            return query;
        }
        return body instanceof ReplayedBody read ? Json.read(read.bytes()) : Map.of();
    }

    /** Returns the cube that the arguments name, or that has the bucket or the restore. */
    private Optional<String> cubeOf(Map<String, ?> arguments) {
        Map<?, ?> names =
                arguments.get(RESTORATION) instanceof Map<?, ?> restoration
                        ? restoration
                        : arguments;
        if (names.get("cube") instanceof String cube) {
            return Optional.of(cube);
        }
        if (names.get("bucket") instanceof String bucket) {
            return ofAnyBucket(bucket);
        }
        return names.get("id") instanceof String id ? known.ofRestore(id) : Optional.empty();
    }
}
