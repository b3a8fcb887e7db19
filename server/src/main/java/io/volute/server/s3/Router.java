package io.volute.server.s3;

import io.volute.server.s3.bucket.UnsetConfiguration;
import io.volute.server.s3.call.S3Call;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.QueryParameters;
import io.volute.server.s3.request.QueryParameters.Parameter;
import io.volute.server.s3.request.Target;
import io.volute.server.s3.request.Target.Level;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Finds the operation that a request means: by level, method, sub-resource and copy header.
 * Thread-safe.
 */
public final class Router {
    /** Parameters that name a part of what the target holds, with the operations that take them. */
    private static final Map<String, Set<S3Call>> SELECTORS =
            Map.of(
                    "versionId",
                    EnumSet.of(
                            S3Call.GET_OBJECT,
                            S3Call.HEAD_OBJECT,
                            S3Call.DELETE_OBJECT,
                            S3Call.GET_OBJECT_ATTRIBUTES,
                            S3Call.GET_OBJECT_ACL,
                            S3Call.PUT_OBJECT_ACL,
                            S3Call.GET_OBJECT_TAGGING,
                            S3Call.PUT_OBJECT_TAGGING,
                            S3Call.DELETE_OBJECT_TAGGING,
                            S3Call.GET_OBJECT_RETENTION,
                            S3Call.PUT_OBJECT_RETENTION,
                            S3Call.GET_OBJECT_LEGAL_HOLD,
                            S3Call.PUT_OBJECT_LEGAL_HOLD),
                    "partNumber",
                    EnumSet.of(
                            S3Call.GET_OBJECT,
                            S3Call.HEAD_OBJECT,
                            S3Call.UPLOAD_PART,
                            S3Call.UPLOAD_PART_COPY));

    /** Parameters that narrow the answer of a read. No write has one. */
    private static final Set<String> NARROWING =
            Set.of(
                    "prefix",
                    "suffix",
                    "delimiter",
                    "marker",
                    "max-keys",
                    "encoding-type",
                    "key-marker",
                    "version-id-marker",
                    "continuation-token",
                    "start-after",
                    "fetch-owner",
                    "max-uploads",
                    "upload-id-marker",
                    "max-parts",
                    "part-number-marker",
                    "max-buckets",
                    "bucket-region",
                    "allow-unordered",
                    "id");

    /** Sub-resources of S3 for which nothing at all is built. */
    private static final Set<String> UNBUILT =
            Set.of(
                    "abac",
                    "annotation",
                    "annotations",
                    "append",
                    "metadataAnnotationTable",
                    "metadataConfiguration",
                    "metadataInventoryTable",
                    "metadataJournalTable",
                    "metadataTable",
                    "renameObject",
                    "restore",
                    "select",
                    "select-type",
                    "session",
                    "torrent",
                    "update-encryption");

    /** The name of the operation, with which SDKs mark their requests. S3 ignores it. */
    private static final String OPERATION = "x-id";

    private record Key(Level level, String method, String subresource, boolean copy) {}

    private final Map<Key, S3Call> table = new HashMap<>();
    private final Map<Level, List<String>> subresources = new HashMap<>();

    /** All parameters of S3, in whatever case. */
    private final Set<String> known = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);

    public Router() {
        for (Level level : Level.values()) {
            subresources.put(level, new ArrayList<>());
        }
        for (S3Call call : S3Call.values()) {
            if (call.subresource().equals("*")) {
                for (String name : UnsetConfiguration.names(call)) {
                    add(call, name);
                }
            } else {
                add(call, call.subresource());
            }
        }
        subresources.values().forEach(known::addAll);
        known.addAll(SELECTORS.keySet());
        known.addAll(NARROWING);
        known.addAll(UNBUILT);
    }

    private void add(S3Call call, String subresource) {
        Key key = new Key(call.level(), call.method(), subresource, call.isCopy());
        if (table.put(key, call) != null) {
            throw new IllegalStateException("two operations for " + key);
        }
        if (!subresource.isEmpty() && !subresources.get(call.level()).contains(subresource)) {
            subresources.get(call.level()).add(subresource);
        }
    }

    /** Returns all sub-resources that select an operation on this level. */
    List<String> subresources(Level level) {
        return List.copyOf(subresources.get(level));
    }

    /**
     * Returns the operation of a request.
     *
     * @throws S3Exception NotImplemented for what S3 has and this server has not, MethodNotAllowed
     *     for what S3 has not either, PreconditionFailed for a form that is none, InvalidArgument
     *     or InvalidRequest for a parameter or header of another operation
     */
    public S3Call route(String method, Target target, QueryParameters query, HeaderList headers) {
        Level level = target.level();
        String subresource = query.parameters().isEmpty() ? "" : subresource(method, level, query);
        boolean copy = method.equals("PUT") && headers.first("x-amz-copy-source").isPresent();
        S3Call call = table.get(new Key(level, method, subresource, copy));
        if (call != null) {
            refuseOthers(call, subresource, query);
            refuseOthers(call, headers);
            return call;
        }
        if (copy) {
            throw S3Exception.notImplemented(
                    "the header x-amz-copy-source with ?" + subresource + of(level));
        }
        boolean isForm = headers.first("content-type").orElse("").startsWith("multipart/form-data");
        if (method.equals("POST") && level == Level.BUCKET && subresource.isEmpty() && !isForm) {
            throw new S3Exception(S3Error.PRECONDITION_FAILED)
                    .with(
                            "Condition",
                            "Bucket POST must be of the enclosure-type multipart/form-data");
        }
        boolean otherMethods =
                method.equals("PUT")
                        || method.equals("POST")
                        || method.equals("GET")
                        || method.equals("DELETE");
        if (otherMethods && (!subresource.isEmpty() || level == Level.BUCKET)) {
            String what = subresource.isEmpty() ? method : method + " ?" + subresource;
            throw S3Exception.notImplemented(what + of(level));
        }
        throw new S3Exception(S3Error.METHOD_NOT_ALLOWED)
                .with("Method", method)
                .with("ResourceType", level.name());
    }

    private static String of(Level level) {
        return switch (level) {
            case SERVICE -> " of the service";
            case BUCKET -> " of a bucket";
            case OBJECT -> " of an object";
        };
    }

    /**
     * Refuses a parameter that the operation does not take. Ignored, it would make the request mean
     * something else: the deletion of one version or part would delete the object. A read ignores
     * what only narrows an answer, as S3 does. A write also takes no other spelling of a name.
     *
     * @throws S3Exception InvalidArgument
     */
    private void refuseOthers(S3Call call, String subresource, QueryParameters query) {
        boolean reads = call.method().equals("GET") || call.method().equals("HEAD");
        for (Parameter parameter : query.parameters()) {
            String name = parameter.name();
            Set<S3Call> takers = SELECTORS.get(name);
            if (name.equals(subresource) || takers != null && takers.contains(call)) {
                continue;
            }
            if (takers != null || !reads && known.contains(name)) {
                throw S3Exception.invalidArgument(name, parameter.value(), refusal(call, name));
            }
        }
    }

    private static String refusal(S3Call call, String name) {
        if (name.equals("versionId")) {
            return "This operation does not accept a version-id.";
        }
        if (name.equals("partNumber") && call.makesObject()) {
            return "Missing uploadId.";
        }
        return call.title() + " does not take the parameter " + name + ".";
    }

    /**
     * Refuses headers about the source of a copy that the operation does not make. A copy whose
     * source was lost on the way would otherwise be an empty object.
     *
     * @throws S3Exception InvalidRequest
     */
    private static void refuseOthers(S3Call call, HeaderList headers) {
        if (!call.method().equals("PUT") && !call.method().equals("POST")) {
            return;
        }
        for (HeaderList.Header header : headers.headers()) {
            String name = header.name();
            boolean fits =
                    name.equals("x-amz-copy-source-range")
                            ? call == S3Call.UPLOAD_PART_COPY
                            : call.isCopy() || !name.startsWith("x-amz-copy-source");
            if (!fits) {
                throw new S3Exception(
                        S3Error.INVALID_REQUEST,
                        call.title() + " does not take the header " + name + ".");
            }
        }
    }

    private String subresource(String method, Level level, QueryParameters query) {
        boolean reads = method.equals("GET") || method.equals("HEAD");
        String found = "";
        for (Parameter parameter : query.parameters()) {
            String name = parameter.name();
            if (SELECTORS.containsKey(name)
                    || NARROWING.contains(name)
                    || name.equals(OPERATION)
                    || name.startsWith("response-")) {
                continue;
            }
            boolean selects = subresources.get(level).contains(name);
            if (!selects && !isUnbuilt(parameter, reads)) {
                continue;
            }
            if (!selects) {
                throw S3Exception.notImplemented(method + " ?" + name + of(level));
            }
            // A name that may come twice is there to be listed.
            if (!found.isEmpty() && !found.equals(name)) {
                throw new S3Exception(
                                S3Error.INVALID_ARGUMENT,
                                "Conflicting query string parameters: " + found + ", " + name)
                        .with("ArgumentName", "ResourceType")
                        .with("ArgumentValue", name);
            }
            found = name;
        }
        return found;
    }

    /**
     * A name without value is how S3 writes sub-resources, also those that are newer than this
     * server. A write must not treat one as if it were not there, as it could replace or remove the
     * object. A read ignores it as S3 does: programs add such names against caches.
     */
    private boolean isUnbuilt(Parameter parameter, boolean reads) {
        String name = parameter.name();
        if (UNBUILT.contains(name) || parameter.value().isEmpty() && !reads) {
            return true;
        }
        for (List<String> names : subresources.values()) {
            if (names.contains(name)) {
                return true;
            }
        }
        return false;
    }
}
