package io.volute.server.admin;

import io.volute.adminapi.Route;
import io.volute.adminapi.Routes;
import io.volute.server.auth.policy.Action;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A route of the admin API, and who may use it. A route without an entry here is for callers with
 * its action in a policy, and the audit log records it unless it is a GET.
 */
record AdminRoute(Route<?, ?> route) {
    /** The routes whose policies name a bucket or keys, with the S3 actions of the same effect. */
    private static final Map<Route<?, ?>, List<String>> AS_IN_S3 =
            Map.of(
                    Routes.START_RESTORE,
                    List.of(
                            Action.PUT_OBJECT.policyName(),
                            Action.PUT_OBJECT_TAGGING.policyName(),
                            Action.DELETE_OBJECT.policyName()),
                    Routes.PURGE,
                    List.of(Action.DELETE_OBJECT_VERSION.policyName()),
                    Routes.SHRED,
                    List.of(Action.DELETE_OBJECT_VERSION.policyName()),
                    Routes.SET_POLICY,
                    List.of(
                            Action.PUT_BUCKET_VERSIONING.policyName(),
                            "s3:PutLifecycleConfiguration"));

    private static final Set<Route<?, ?>> CHANGES_OF_IDENTITIES =
            Set.of(
                    Routes.CREATE_USER,
                    Routes.PROVISION_USER,
                    Routes.DELETE_USER,
                    Routes.CREATE_KEY,
                    Routes.SET_KEY,
                    Routes.DELETE_KEY,
                    Routes.CREATE_GROUP,
                    Routes.DELETE_GROUP,
                    Routes.SET_MEMBER,
                    Routes.CREATE_ROLE,
                    Routes.DELETE_ROLE,
                    Routes.PUT_POLICY,
                    Routes.DELETE_POLICY,
                    Routes.ATTACH_POLICY,
                    Routes.PUT_INLINE_POLICY);

    private static final Set<Route<?, ?>> HARMLESS =
            Set.of(
                    Routes.CLEAN,
                    Routes.START_CHECK,
                    Routes.START_SCRUB,
                    Routes.START_AUDIT,
                    Routes.CANCEL_RESTORE,
                    Routes.CANCEL_AUDIT);

    private static final Set<Route<?, ?>> SECRET_READS = Set.of(Routes.EXPORT, Routes.OPENINGS);

    private static final Set<Route<?, ?>> FOR_LISTERS = Set.of(Routes.HISTORY, Routes.TRACE);

    /** Returns the name of the route in logs and metrics. */
    String title() {
        return "Admin" + route.name();
    }

    /** Returns the name of the action in policies: {@code volute:StartCheck} for StartCheck. */
    String action() {
        return "volute:" + route.name();
    }

    boolean is(Route<?, ?> other) {
        return route.equals(other);
    }

    /** Returns the routes with the same effects together. A caller needs permission for each. */
    List<AdminRoute> parts() {
        return is(Routes.PROVISION_USER)
                ? Stream.of(
                                Routes.CREATE_USER,
                                Routes.ATTACH_POLICY,
                                Routes.PUT_INLINE_POLICY,
                                Routes.CREATE_KEY)
                        .map(AdminRoute::new)
                        .toList()
                : List.of();
    }

    /**
     * Returns whether callers may use the route for keys whose versions they may list in S3,
     * without permission for the action.
     */
    boolean isForListers() {
        return FOR_LISTERS.contains(route);
    }

    /** Returns whether policies name the action with a bucket or keys as its resource. */
    boolean isOfBucket() {
        return AS_IN_S3.containsKey(route);
    }

    /**
     * Returns the S3 actions with the same effect on a bucket. A caller who is denied one of them
     * may not use the route.
     */
    List<String> asInS3() {
        return AS_IN_S3.getOrDefault(route, List.of());
    }

    /** Returns whether the route makes or changes users, keys, groups, roles or policies. */
    boolean changesIdentities() {
        return CHANGES_OF_IDENTITIES.contains(route);
    }

    /** Returns whether requests of this route are recorded in the audit log. */
    boolean isAudited() {
        return !route.isGet() && !is(Routes.PLAN_RESTORE) || isSecretRead();
    }

    /** Takes away more of the past than listings show. */
    boolean isSecretRead() {
        return SECRET_READS.contains(route);
    }

    /** Done even when the audit log cannot be: it makes room, ends something or only looks. */
    boolean isHarmless() {
        return HARMLESS.contains(route);
    }

    static Optional<AdminRoute> of(String method, String path) {
        return Routes.all().stream()
                .filter(each -> each.path().equals(path) && each.method().equals(method))
                .findFirst()
                .map(AdminRoute::new);
    }

    /** The methods of a path; none when there is no such path. */
    static List<String> methods(String path) {
        return Routes.all().stream()
                .filter(each -> each.path().equals(path))
                .<String>map(Route::method)
                .toList();
    }
}
