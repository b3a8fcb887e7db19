package io.volute.server.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.s3.call.S3Call;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.HeaderList.Header;
import io.volute.server.s3.request.QueryParameters;
import io.volute.server.s3.request.QueryParameters.Parameter;
import io.volute.server.s3.request.Target;
import io.volute.server.s3.request.Target.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Tests every method with every one and two parameters of S3: an operation runs only if it takes
 * all of them.
 */
final class RouterTest {
    private static final List<String> METHODS =
            List.of("GET", "HEAD", "PUT", "POST", "DELETE", "PATCH");

    /** All query parameters of the S3 API Reference, "Actions", and of MinIO's listening. */
    private static final String[] PARAMETERS =
            ("abac accelerate acl analytics annotation annotations append attributes bucket-region"
                            + " continuation-token cors delete delimiter encoding-type encryption"
                            + " events fetch-owner id intelligent-tiering inventory key-marker"
                            + " legal-hold lifecycle list-type location logging marker max-buckets"
                            + " max-keys max-parts max-uploads metadataConfiguration"
                            + " metadataInventoryTable metadataJournalTable metadataTable metrics"
                            + " notification object-lock ownershipControls part-number-marker"
                            + " partNumber policy policyStatus prefix publicAccessBlock"
                            + " renameObject replication requestPayment restore retention select"
                            + " select-type session start-after suffix tagging torrent"
                            + " update-encryption upload-id-marker uploadId uploads versionId"
                            + " version-id-marker versioning versions website")
                    .split(" ");

    /** The parameters that a write takes beside its sub-resource (API Reference, per action). */
    private static final Map<S3Call, Set<String>> OF_WRITES =
            Map.of(
                    S3Call.DELETE_OBJECT, Set.of("versionId"),
                    S3Call.PUT_OBJECT_ACL, Set.of("versionId"),
                    S3Call.PUT_OBJECT_TAGGING, Set.of("versionId"),
                    S3Call.DELETE_OBJECT_TAGGING, Set.of("versionId"),
                    S3Call.PUT_OBJECT_RETENTION, Set.of("versionId"),
                    S3Call.PUT_OBJECT_LEGAL_HOLD, Set.of("versionId"),
                    S3Call.UPLOAD_PART, Set.of("partNumber"),
                    S3Call.UPLOAD_PART_COPY, Set.of("partNumber"));

    private static final Set<S3Call> READS_OF_A_VERSION =
            Set.of(
                    S3Call.GET_OBJECT,
                    S3Call.HEAD_OBJECT,
                    S3Call.GET_OBJECT_ATTRIBUTES,
                    S3Call.GET_OBJECT_ACL,
                    S3Call.GET_OBJECT_TAGGING,
                    S3Call.GET_OBJECT_RETENTION,
                    S3Call.GET_OBJECT_LEGAL_HOLD);

    private static final HeaderList NONE = new HeaderList(List.of());
    private static final HeaderList COPY =
            new HeaderList(List.of(new Header("x-amz-copy-source", "b/k")));

    private final Router router = new Router();

    private static Target target(Level level) {
        return new Target(
                level == Level.SERVICE ? "" : "bucket", level == Level.OBJECT ? "key" : "");
    }

    private Optional<S3Call> route(
            String method, Level level, HeaderList headers, List<Parameter> query) {
        try {
            return Optional.of(
                    router.route(method, target(level), new QueryParameters(query), headers));
        } catch (S3Exception e) {
            assertThat(e.error().status()).isIn(400, 405, 412, 501);
            return Optional.empty();
        }
    }

    private static boolean takes(S3Call call, String parameter) {
        if (parameter.equals(call.subresource())) {
            return true;
        }
        boolean reads = call.method().equals("GET") || call.method().equals("HEAD");
        if (!reads) {
            // Of configurations that cannot be set.
            boolean unset =
                    call == S3Call.DELETE_UNSET_CONFIGURATION && parameter.equals("website");
            return unset || OF_WRITES.getOrDefault(call, Set.of()).contains(parameter);
        }
        return switch (parameter) {
            case "versionId" -> READS_OF_A_VERSION.contains(call);
            case "partNumber" -> call == S3Call.GET_OBJECT || call == S3Call.HEAD_OBJECT;
            default -> true;
        };
    }

    @Test
    void anOperationRunsOnlyWithParametersThatItTakes() {
        Map<String, String> wrong = new TreeMap<>();
        int routed = 0;
        for (Level level : Level.values()) {
            for (String method : METHODS) {
                for (HeaderList headers : List.of(NONE, COPY)) {
                    for (String one : PARAMETERS) {
                        for (String two : PARAMETERS) {
                            List<Parameter> query = new ArrayList<>();
                            query.add(new Parameter(one, "1"));
                            if (!one.equals(two)) {
                                query.add(new Parameter(two, "1"));
                            }
                            Optional<S3Call> call = route(method, level, headers, query);
                            if (call.isEmpty()) {
                                continue;
                            }
                            routed++;
                            if (!takes(call.get(), one) || !takes(call.get(), two)) {
                                wrong.put(method + " " + level + " " + query, call.get().title());
                            }
                        }
                    }
                }
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(routed).isPositive();
    }

    @Test
    void everyOperationIsFoundWithTheParametersThatItTakes() {
        for (S3Call call : S3Call.values()) {
            String name =
                    switch (call) {
                        case DELETE_UNSET_CONFIGURATION, GET_UNSET_CONFIGURATION -> "website";
                        default -> call.subresource();
                    };
            List<Parameter> query = new ArrayList<>();
            if (!name.isEmpty()) {
                query.add(new Parameter(name, ""));
            }
            for (String parameter : PARAMETERS) {
                boolean isSelector =
                        parameter.equals("versionId") || parameter.equals("partNumber");
                if (isSelector && takes(call, parameter)) {
                    query.add(new Parameter(parameter, "1"));
                }
            }
            query.add(new Parameter("x-id", call.title()));
            assertThat(route(call.method(), call.level(), call.isCopy() ? COPY : NONE, query))
                    .as(call.title())
                    .contains(call);
        }
    }

    /** S3 ignores names that it does not have, so another spelling must not mean the object. */
    @Test
    void aWriteTakesNoOtherSpellingOfAParameter() {
        for (String method : List.of("PUT", "POST", "DELETE")) {
            for (Level level : Level.values()) {
                for (String name : PARAMETERS) {
                    String lower = name.toLowerCase(Locale.ROOT);
                    for (String other : Set.of(lower, name.toUpperCase(Locale.ROOT))) {
                        if (!other.equals(name)) {
                            List<Parameter> query = List.of(new Parameter(other, "1"));
                            assertThat(route(method, level, NONE, query))
                                    .as(method + " " + level + " " + other)
                                    .isEmpty();
                        }
                    }
                }
            }
        }
    }

    @Test
    void headersOfACopyNeedACopy() {
        for (String name :
                List.of(
                        "x-amz-copy-source-if-match",
                        "x-amz-copy-source-range",
                        "x-amz-copy-source-server-side-encryption-customer-algorithm")) {
            HeaderList headers = new HeaderList(List.of(new Header(name, "x")));
            List<Parameter> part =
                    List.of(new Parameter("uploadId", "u"), new Parameter("partNumber", "1"));
            assertThat(route("PUT", Level.OBJECT, headers, List.of())).isEmpty();
            assertThat(route("PUT", Level.OBJECT, headers, part)).isEmpty();
            assertThat(route("POST", Level.OBJECT, headers, List.of(new Parameter("uploads", ""))))
                    .isEmpty();
        }
        HeaderList range =
                new HeaderList(
                        List.of(
                                new Header("x-amz-copy-source", "b/k"),
                                new Header("x-amz-copy-source-range", "bytes=0-1")));
        assertThat(route("PUT", Level.OBJECT, range, List.of())).isEmpty();
    }
}
