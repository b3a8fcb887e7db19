package io.volute.server.iam;

import io.volute.server.auth.policy.AccessRequest;
import io.volute.server.auth.policy.Authority;
import io.volute.server.auth.policy.Authorizer.Decision;
import io.volute.server.auth.policy.ConditionKeys;
import io.volute.server.auth.policy.Principal;
import io.volute.server.credentials.Credential;
import io.volute.server.identity.Holder;
import io.volute.server.identity.IdentityStore;
import io.volute.server.query.QueryException;
import java.util.Optional;

/** Decides which roles a caller may assume. Thread-safe. */
record RoleTrust(IdentityStore identities, Authority authority) {
    private static final String TAG = "sts:TagSession";

    /**
     * The attempt to assume a role.
     *
     * @param principal the caller as trust policies name them
     * @param action by the name that policies use
     * @param keys the facts about the request, without its tags
     * @param tags of the session
     */
    record Attempt(
            Credential who,
            Principal principal,
            String action,
            ConditionKeys keys,
            SessionTags tags) {}

    /**
     * Returns the role that the caller may assume. Tags need a permission of their own, as in AWS.
     *
     * @throws QueryException AccessDenied, which does not reveal which roles exist
     */
    Holder role(String arn, Attempt attempt) {
        Optional<Holder> role =
                identities
                        .actor(Holder.Kind.ROLE, arn.substring(arn.lastIndexOf('/') + 1))
                        .filter(each -> arnOf(each).equals(arn));
        boolean hasTags = !attempt.tags().tags().isEmpty();
        return role.filter(each -> mayAssume(each, attempt.action(), attempt))
                .filter(each -> !hasTags || mayAssume(each, TAG, attempt))
                .orElseThrow(
                        () ->
                                QueryException.denied(
                                        "You may not assume "
                                                + arn
                                                + ": there must be such a role, and its trust"
                                                + " policy must allow you sts:AssumeRole, or with a"
                                                + " token sts:AssumeRoleWithWebIdentity, and for"
                                                + " tags "
                                                + TAG
                                                + ". Or name yourself, for a session of your"
                                                + " own."));
    }

    private boolean mayAssume(Holder role, String action, Attempt attempt) {
        ConditionKeys keys = attempt.tags().keys(role.details().tags(), attempt.keys());
        AccessRequest request = new AccessRequest(attempt.principal(), action, arnOf(role), keys);
        return role.trust()
                .filter(
                        trust ->
                                authority.mayAssume(attempt.who(), request, trust)
                                        == Decision.ALLOW)
                .isPresent();
    }

    private static String arnOf(Holder role) {
        return Principal.roleArn(role.details().path(), role.name());
    }
}
