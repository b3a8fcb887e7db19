package io.volute.server.admin;

import io.volute.adminapi.Route;
import io.volute.adminapi.Routes;
import io.volute.server.auth.policy.Action;
import io.volute.server.s3.request.S3Response.About;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** A route of the admin API, and who may use it. */
public enum AdminRoute {
    SPACE(Routes.SPACE),
    REQUESTS(Routes.REQUESTS),
    CLUSTER(Routes.CLUSTER),
    MOVE_STORE(Routes.MOVE_STORE),
    DRAIN_NODE(Routes.DRAIN_NODE),
    CLEAN(Routes.CLEAN),
    LIST_CUBES(Routes.LIST_CUBES),
    CREATE_CUBE(Routes.CREATE_CUBE),
    DELETE_CUBE(Routes.DELETE_CUBE),
    REOPEN_CUBE(Routes.REOPEN_CUBE),
    MIGRATE_CUBE(Routes.MIGRATE_CUBE),
    MOVE_BUCKET(Routes.MOVE_BUCKET),
    LIST_MOVES(Routes.LIST_MOVES),
    SPLIT_BUCKET(Routes.SPLIT_BUCKET),
    MERGE_BUCKET(Routes.MERGE_BUCKET),
    LIST_BUCKETS(Routes.LIST_BUCKETS),
    BUCKET_PARTS(Routes.BUCKET_PARTS),
    START_CHECK(Routes.START_CHECK),
    CHECK(Routes.CHECK),
    START_SCRUB(Routes.START_SCRUB),
    SCRUB(Routes.SCRUB),
    DAMAGE(Routes.DAMAGE),
    REPAIR_DAMAGE(Routes.REPAIR_DAMAGE),
    START_BACKUP(Routes.START_BACKUP),
    BACKUP(Routes.BACKUP),
    HISTORY(Routes.HISTORY),
    ACTORS(Routes.ACTORS),
    ACTIVITY(Routes.ACTIVITY),
    TRACE(Routes.TRACE),
    POLICY(Routes.POLICY),
    SET_POLICY(Routes.SET_POLICY),
    USAGE(Routes.USAGE),
    PURGE(Routes.PURGE),
    SHRED(Routes.SHRED),
    ENCRYPTION_KEYS(Routes.ENCRYPTION_KEYS),
    ROTATE_ENCRYPTION_KEY(Routes.ROTATE_ENCRYPTION_KEY),
    NOTIFICATION_TARGETS(Routes.NOTIFICATION_TARGETS),
    REPLICATION(Routes.REPLICATION),
    START_REPLICATION(Routes.START_REPLICATION),
    STOP_REPLICATION(Routes.STOP_REPLICATION),
    RETRY_REPLICATION(Routes.RETRY_REPLICATION),
    FORGET_REPLICATION(Routes.FORGET_REPLICATION),
    LIFECYCLE(Routes.LIFECYCLE),
    PLAN_RESTORE(Routes.PLAN_RESTORE),
    START_RESTORE(Routes.START_RESTORE),
    RESTORES(Routes.RESTORES),
    CANCEL_RESTORE(Routes.CANCEL_RESTORE),
    ENTRIES(Routes.ENTRIES),
    EXPORT(Routes.EXPORT),
    KEYS(Routes.KEYS),
    KEY_LIST(Routes.KEY_LIST),
    ROTATE(Routes.ROTATE),
    AUDITORS(Routes.AUDITORS),
    SET_AUDITOR(Routes.SET_AUDITOR),
    HIDDEN(Routes.HIDDEN),
    SET_HIDDEN(Routes.SET_HIDDEN),
    OPENINGS(Routes.OPENINGS),
    PRINCIPALS(Routes.PRINCIPALS),
    CHECKPOINTS(Routes.CHECKPOINTS),
    MAKE_CHECKPOINT(Routes.MAKE_CHECKPOINT),
    CHECKPOINT(Routes.CHECKPOINT),
    HEADS(Routes.HEADS),
    START_AUDIT(Routes.START_AUDIT),
    AUDIT(Routes.AUDIT),
    CANCEL_AUDIT(Routes.CANCEL_AUDIT),
    LIST_USERS(Routes.LIST_USERS),
    CREATE_USER(Routes.CREATE_USER),
    PROVISION_USER(Routes.PROVISION_USER),
    DELETE_USER(Routes.DELETE_USER),
    CREATE_KEY(Routes.CREATE_KEY),
    SET_KEY(Routes.SET_KEY),
    DELETE_KEY(Routes.DELETE_KEY),
    LIST_GROUPS(Routes.LIST_GROUPS),
    CREATE_GROUP(Routes.CREATE_GROUP),
    DELETE_GROUP(Routes.DELETE_GROUP),
    SET_MEMBER(Routes.SET_MEMBER),
    LIST_ROLES(Routes.LIST_ROLES),
    CREATE_ROLE(Routes.CREATE_ROLE),
    DELETE_ROLE(Routes.DELETE_ROLE),
    LIST_POLICIES(Routes.LIST_POLICIES),
    PUT_POLICY(Routes.PUT_POLICY),
    DELETE_POLICY(Routes.DELETE_POLICY),
    ATTACH_POLICY(Routes.ATTACH_POLICY),
    PUT_INLINE_POLICY(Routes.PUT_INLINE_POLICY),
    LIST_IDENTITY_CHANGES(Routes.LIST_IDENTITY_CHANGES);

    private final Route<?, ?> route;
    private final String title = "Admin" + About.name(this);

    AdminRoute(Route<?, ?> route) {
        this.route = route;
    }

    /** Returns the records of its requests and answers. */
    Route<?, ?> records() {
        return route;
    }

    /** Returns the name of the route in logs and metrics. */
    String title() {
        return title;
    }

    String method() {
        return route.method();
    }

    String path() {
        return route.path();
    }

    /** Returns the status of a successful answer: 202 when the work goes on after the answer. */
    int status() {
        return switch (this) {
            case START_CHECK,
                    START_SCRUB,
                    START_BACKUP,
                    START_RESTORE,
                    START_AUDIT,
                    START_REPLICATION,
                    REOPEN_CUBE,
                    MIGRATE_CUBE,
                    MOVE_BUCKET,
                    SPLIT_BUCKET,
                    MERGE_BUCKET,
                    MOVE_STORE,
                    DRAIN_NODE ->
                    202;
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

    /** Returns the routes with the same effects together. A caller needs permission for each. */
    List<AdminRoute> parts() {
        return this == PROVISION_USER
                ? List.of(CREATE_USER, ATTACH_POLICY, PUT_INLINE_POLICY, CREATE_KEY)
                : List.of();
    }

    /**
     * Returns whether callers may use the route for keys whose versions they may list in S3,
     * without permission for the action.
     */
    boolean isForListers() {
        return this == HISTORY || this == TRACE;
    }

    /** Returns whether policies name the action with a bucket or keys as its resource. */
    boolean isOfBucket() {
        return !asInS3().isEmpty();
    }

    /**
     * Returns whether the route works in one cube alone, if a request names that cube, a bucket in
     * it or a restore of it.
     */
    public boolean isInOneCube() {
        return switch (this) {
            case CLEAN,
                    START_CHECK,
                    CHECK,
                    REPAIR_DAMAGE,
                    HISTORY,
                    POLICY,
                    SET_POLICY,
                    USAGE,
                    PURGE,
                    SHRED,
                    REPLICATION,
                    START_REPLICATION,
                    STOP_REPLICATION,
                    RETRY_REPLICATION,
                    FORGET_REPLICATION,
                    LIFECYCLE,
                    PLAN_RESTORE,
                    START_RESTORE,
                    RESTORES,
                    CANCEL_RESTORE,
                    ENTRIES,
                    EXPORT,
                    OPENINGS,
                    KEYS,
                    KEY_LIST,
                    ROTATE,
                    HIDDEN,
                    SET_HIDDEN,
                    CHECKPOINTS,
                    MAKE_CHECKPOINT,
                    CHECKPOINT,
                    HEADS,
                    START_AUDIT,
                    AUDIT,
                    CANCEL_AUDIT ->
                    true;
            default -> false;
        };
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

    /** Returns whether the route makes or changes users, keys, groups, roles or policies. */
    boolean changesIdentities() {
        return switch (this) {
            case CREATE_USER,
                    PROVISION_USER,
                    DELETE_USER,
                    CREATE_KEY,
                    SET_KEY,
                    DELETE_KEY,
                    CREATE_GROUP,
                    DELETE_GROUP,
                    SET_MEMBER,
                    CREATE_ROLE,
                    DELETE_ROLE,
                    PUT_POLICY,
                    DELETE_POLICY,
                    ATTACH_POLICY,
                    PUT_INLINE_POLICY ->
                    true;
            default -> false;
        };
    }

    /** Returns whether requests of this route are recorded in the audit log. */
    boolean isAudited() {
        return !route.isGet() && this != PLAN_RESTORE || isSecretRead();
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
                .filter(each -> each.path().equals(path) && each.method().equals(method))
                .findFirst();
    }

    /** The methods of a path; none when there is no such path. */
    static List<String> methods(String path) {
        return Arrays.stream(values())
                .filter(each -> each.path().equals(path))
                .map(AdminRoute::method)
                .toList();
    }
}
