package io.volute.server.admin;

import io.volute.server.auth.policy.Action;
import io.volute.server.s3.request.S3Response.About;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** A route of the admin API: a method and a path. */
enum AdminRoute {
    SPACE("GET", "/_volute/v1/space"),
    REQUESTS("GET", "/_volute/v1/requests"),
    CLEAN("POST", "/_volute/v1/clean"),
    START_CHECK("POST", "/_volute/v1/check"),
    CHECK("GET", "/_volute/v1/check"),
    START_SCRUB("POST", "/_volute/v1/scrub"),
    SCRUB("GET", "/_volute/v1/scrub"),
    HISTORY("GET", "/_volute/v1/history"),
    ACTORS("GET", "/_volute/v1/actors"),
    ACTIVITY("GET", "/_volute/v1/activity"),
    TRACE("GET", "/_volute/v1/trace"),
    POLICY("GET", "/_volute/v1/policy"),
    SET_POLICY("PUT", "/_volute/v1/policy"),
    USAGE("GET", "/_volute/v1/usage"),
    PURGE("POST", "/_volute/v1/purge"),
    SHRED("POST", "/_volute/v1/shred"),
    PLAN_RESTORE("POST", "/_volute/v1/restore/plan"),
    START_RESTORE("POST", "/_volute/v1/restore"),
    RESTORES("GET", "/_volute/v1/restore"),
    CANCEL_RESTORE("POST", "/_volute/v1/restore/cancel"),
    ENTRIES("GET", "/_volute/v1/provenance/entries"),
    EXPORT("GET", "/_volute/v1/provenance/export"),
    KEYS("GET", "/_volute/v1/provenance/keys"),
    KEY_LIST("GET", "/_volute/v1/provenance/key-list"),
    ROTATE("POST", "/_volute/v1/provenance/rotate"),
    AUDITORS("GET", "/_volute/v1/provenance/auditors"),
    SET_AUDITOR("POST", "/_volute/v1/provenance/auditors"),
    HIDDEN("GET", "/_volute/v1/provenance/hidden"),
    SET_HIDDEN("PUT", "/_volute/v1/provenance/hidden"),
    OPENINGS("GET", "/_volute/v1/provenance/openings"),
    PRINCIPALS("POST", "/_volute/v1/provenance/principals"),
    CHECKPOINTS("GET", "/_volute/v1/provenance/checkpoints"),
    MAKE_CHECKPOINT("POST", "/_volute/v1/provenance/checkpoints"),
    CHECKPOINT("GET", "/_volute/v1/provenance/checkpoint"),
    HEADS("GET", "/_volute/v1/provenance/heads"),
    START_AUDIT("POST", "/_volute/v1/provenance/audit"),
    AUDIT("GET", "/_volute/v1/provenance/audit"),
    CANCEL_AUDIT("POST", "/_volute/v1/provenance/audit/cancel"),
    LIST_USERS("GET", "/_volute/v1/users"),
    CREATE_USER("POST", "/_volute/v1/users"),
    DELETE_USER("POST", "/_volute/v1/users/remove"),
    CREATE_KEY("POST", "/_volute/v1/keys"),
    SET_KEY("POST", "/_volute/v1/keys/state"),
    DELETE_KEY("POST", "/_volute/v1/keys/remove"),
    LIST_GROUPS("GET", "/_volute/v1/groups"),
    CREATE_GROUP("POST", "/_volute/v1/groups"),
    DELETE_GROUP("POST", "/_volute/v1/groups/remove"),
    SET_MEMBER("POST", "/_volute/v1/groups/members"),
    LIST_ROLES("GET", "/_volute/v1/roles"),
    CREATE_ROLE("POST", "/_volute/v1/roles"),
    DELETE_ROLE("POST", "/_volute/v1/roles/remove"),
    LIST_POLICIES("GET", "/_volute/v1/policies"),
    PUT_POLICY("PUT", "/_volute/v1/policies"),
    DELETE_POLICY("POST", "/_volute/v1/policies/remove"),
    ATTACH_POLICY("POST", "/_volute/v1/policies/attach"),
    PUT_INLINE_POLICY("PUT", "/_volute/v1/policies/inline"),
    LIST_IDENTITY_CHANGES("GET", "/_volute/v1/identity-changes");

    private final String method;
    private final String path;
    private final String title = "Admin" + About.name(this);

    AdminRoute(String method, String path) {
        this.method = method;
        this.path = path;
    }

    /** Returns the name of the route in logs and metrics. */
    String title() {
        return title;
    }

    String method() {
        return method;
    }

    String path() {
        return path;
    }

    /** Returns the status of a successful answer: 202 when the work goes on after the answer. */
    int status() {
        return switch (this) {
            case START_CHECK, START_SCRUB, START_RESTORE, START_AUDIT -> 202;
            default -> 200;
        };
    }

    /** Returns the action's name in policies: {@code volute:StartCheck} for START_CHECK. */
    String action() {
        StringBuilder name = new StringBuilder("volute:");
        for (String word : name().split("_")) {
            name.append(word.charAt(0)).append(word.substring(1).toLowerCase(Locale.ROOT));
        }
        return name.toString();
    }

    /** Returns whether policies name the action with a bucket or keys as its resource. */
    boolean isOfBucket() {
        return !asInS3().isEmpty();
    }

    /**
     * Returns the S3 actions with the same effect on a bucket. A caller who is denied one of them
     * may not use the route.
     */
    List<String> asInS3() {
        return switch (this) {
            case START_RESTORE ->
                    List.of(
                            Action.PUT_OBJECT.policyName(),
                            Action.PUT_OBJECT_TAGGING.policyName(),
                            Action.DELETE_OBJECT.policyName());
            case PURGE, SHRED -> List.of(Action.DELETE_OBJECT_VERSION.policyName());
            case SET_POLICY ->
                    List.of(
                            Action.PUT_BUCKET_VERSIONING.policyName(),
                            "s3:PutLifecycleConfiguration");
            default -> List.of();
        };
    }

    /** Returns whether requests of this route are recorded in the audit log. */
    boolean isAudited() {
        return !method.equals("GET") && this != PLAN_RESTORE || isSecretRead();
    }

    /** Takes away more of the past than listings show. */
    boolean isSecretRead() {
        return this == EXPORT || this == OPENINGS;
    }

    /** Done even when the audit log cannot be: it makes room, ends something or only looks. */
    boolean isHarmless() {
        return switch (this) {
            case CLEAN, START_CHECK, START_SCRUB, START_AUDIT, CANCEL_RESTORE, CANCEL_AUDIT -> true;
            default -> false;
        };
    }

    static Optional<AdminRoute> of(String method, String path) {
        return Arrays.stream(values())
                .filter(route -> route.path.equals(path) && route.method.equals(method))
                .findFirst();
    }

    /** The methods of a path; none when there is no such path. */
    static List<String> methods(String path) {
        return Arrays.stream(values())
                .filter(route -> route.path.equals(path))
                .map(AdminRoute::method)
                .toList();
    }
}
