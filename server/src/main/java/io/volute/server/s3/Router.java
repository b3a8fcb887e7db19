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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Finds the operation that a request means: by level, method, sub-resource and copy header. */
final class Router {
    /** Parameters that choose among an operation's answers, not among operations. */
    private static final Set<String> ARGUMENTS =
            Set.of(
                    "versionId",
                    "partNumber",
                    "prefix",
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
                    "id",
                    "x-id");

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

    private record Key(Level level, String method, String subresource, boolean copy) {}

    private final Map<Key, S3Call> table = new HashMap<>();
    private final Map<Level, List<String>> subresources = new HashMap<>();

    Router() {
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
     * @throws S3Exception NotImplemented for what S3 has and this server has not, MethodNotAllowed
     *     for what S3 has not either
     */
    S3Call route(String method, Target target, QueryParameters query, HeaderList headers) {
        Level level = target.level();
        String subresource = query.parameters().isEmpty() ? "" : subresource(method, level, query);
        boolean copy = method.equals("PUT") && headers.first("x-amz-copy-source").isPresent();
        S3Call call = table.get(new Key(level, method, subresource, copy));
        if (call != null) {
            return call;
        }
        if (copy) {
            throw S3Exception.notImplemented(
                    "the header x-amz-copy-source with ?" + subresource + of(level));
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

    private String subresource(String method, Level level, QueryParameters query) {
        boolean reads = method.equals("GET") || method.equals("HEAD");
        String found = "";
        for (Parameter parameter : query.parameters()) {
            String name = parameter.name();
            if (ARGUMENTS.contains(name) || name.startsWith("response-")) {
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
