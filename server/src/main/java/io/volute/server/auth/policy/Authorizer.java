package io.volute.server.auth.policy;

import io.volute.server.auth.policy.ApplicablePolicies.AclVerdict;
import io.volute.server.auth.policy.ApplicablePolicies.Standing;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * The one decision on whether a caller may do something: no, unless something allows it, and no if
 * anything denies it. The same account everywhere: what the caller's own policies allow needs no
 * leave of the bucket's, and the other way round. A session's policy and a permissions boundary
 * limit what the caller has otherwise (IAM User Guide, "Permissions boundaries for IAM entities").
 */
public final class Authorizer {
    /**
     * Actions on the policy itself. A bucket's policy cannot deny them to the owner's own account.
     */
    private static final Set<String> NEVER_TAKEN_BY_A_BUCKET =
            Set.of(
                    Action.GET_BUCKET_POLICY.policyName(),
                    Action.PUT_BUCKET_POLICY.policyName(),
                    Action.DELETE_BUCKET_POLICY.policyName());

    /** Actions open to every account; from the second on for a bucket that is being created. */
    private static final Set<String> OF_EVERY_ACCOUNT =
            Set.of(
                    Action.LIST_ALL_MY_BUCKETS.policyName(),
                    Action.CREATE_BUCKET.policyName(),
                    Action.PUT_BUCKET_ACL.policyName(),
                    Action.PUT_BUCKET_OWNERSHIP_CONTROLS.policyName(),
                    Action.TAG_RESOURCE.policyName(),
                    Action.PUT_BUCKET_VERSIONING.policyName(),
                    Action.PUT_BUCKET_OBJECT_LOCK_CONFIGURATION.policyName());

    /** Actions of the admin API, with those of IAM that do the same. */
    private static final Map<String, List<String>> IN_IAM =
            Map.ofEntries(
                    entry("volute:ListUsers", "iam:ListUsers"),
                    entry("volute:CreateUser", "iam:CreateUser"),
                    entry("volute:DeleteUser", "iam:DeleteUser"),
                    entry("volute:CreateKey", "iam:CreateAccessKey"),
                    entry("volute:SetKey", "iam:UpdateAccessKey"),
                    entry("volute:DeleteKey", "iam:DeleteAccessKey"),
                    entry("volute:ListGroups", "iam:ListGroups"),
                    entry("volute:CreateGroup", "iam:CreateGroup"),
                    entry("volute:DeleteGroup", "iam:DeleteGroup"),
                    entry("volute:SetMember", "iam:AddUserToGroup", "iam:RemoveUserFromGroup"),
                    entry("volute:ListRoles", "iam:ListRoles"),
                    entry("volute:CreateRole", "iam:CreateRole"),
                    entry("volute:DeleteRole", "iam:DeleteRole"),
                    entry("volute:ListPolicies", "iam:ListPolicies"),
                    entry("volute:PutPolicy", "iam:CreatePolicy", "iam:CreatePolicyVersion"),
                    entry("volute:DeletePolicy", "iam:DeletePolicy"),
                    entry(
                            "volute:AttachPolicy",
                            "iam:AttachUserPolicy",
                            "iam:AttachGroupPolicy",
                            "iam:AttachRolePolicy",
                            "iam:DetachUserPolicy",
                            "iam:DetachGroupPolicy",
                            "iam:DetachRolePolicy"),
                    entry(
                            "volute:PutInlinePolicy",
                            "iam:PutUserPolicy",
                            "iam:PutGroupPolicy",
                            "iam:PutRolePolicy",
                            "iam:DeleteUserPolicy",
                            "iam:DeleteGroupPolicy",
                            "iam:DeleteRolePolicy"));

    /** The decision. */
    public enum Decision {
        ALLOW,
        DENY
    }

    private Authorizer() {}

    private static Map.Entry<String, List<String>> entry(String action, String... inIam) {
        return Map.entry(action, List.of(inIam));
    }

    /** Returns the actions of IAM that do the same as one of the admin API; else none. */
    static List<String> inIam(String action) {
        return IN_IAM.getOrDefault(action, List.of());
    }

    /** The decision. It is to deny also when the policies need too many steps. */
    public static Decision decide(AccessRequest request, ApplicablePolicies grounds) {
        return within(() -> isAllowed(request, grounds)) ? Decision.ALLOW : Decision.DENY;
    }

    /** The answer, or no when that needs more steps than the budget of the request has. */
    static boolean within(BooleanSupplier answer) {
        try {
            return answer.getAsBoolean();
        } catch (MatchingBudget.SpentException e) {
            return false;
        }
    }

    static boolean isAboutThePolicy(List<String> actions) {
        return actions.stream().anyMatch(NEVER_TAKEN_BY_A_BUCKET::contains);
    }

    static boolean isOfEveryAccount(String action) {
        return OF_EVERY_ACCOUNT.contains(action);
    }

    private static boolean isAllowed(AccessRequest request, ApplicablePolicies grounds) {
        // Not "does not deny": CVE-2025-62506.
        boolean withinSession = permits(grounds.session(), request);
        if (grounds.session().filter(policy -> policy.denies(request)).isPresent()) {
            return false;
        }
        if (grounds.standing() == Standing.ROOT) {
            return withinSession;
        }
        if (grounds.ownPolicies().anyMatch(policy -> policy.denies(request))) {
            return false;
        }
        boolean owner = grounds.standing() == Standing.OWNER;
        boolean ofItsPolicy = owner && NEVER_TAKEN_BY_A_BUCKET.contains(request.action());
        if (!ofItsPolicy && grounds.resource().filter(p -> p.denies(request)).isPresent()) {
            return false;
        }
        boolean withinBoundary = permits(grounds.boundary(), request);
        if (withinSession && withinBoundary && isAllowedWithoutBucket(request, grounds)) {
            return true;
        }
        // The policy of a bucket gives a user more than the user's boundary, and the session that
        // it names more than its role has.
        boolean isWithin =
                withinSession && (withinBoundary || request.who().kind() == Principal.Kind.USER);
        return grounds.allowing(List.of(request.action()))
                .filter(p -> isWithin && p.allows(request) || p.allowsSession(request))
                .isPresent();
    }

    /**
     * Returns whether a policy of a bucket can allow an action. The rights of this server's own are
     * for what an operator gives to a user or role: {@code s3:*} may write the policy of a bucket,
     * and would give itself the rest of {@code *}.
     */
    static boolean isGivenByBuckets(String action) {
        return action.startsWith("s3:");
    }

    private static boolean permits(Optional<Policy> limit, AccessRequest request) {
        return limit.map(policy -> policy.allows(request)).orElse(true);
    }

    private static boolean isAllowedWithoutBucket(
            AccessRequest request, ApplicablePolicies grounds) {
        return grounds.isOwner()
                || grounds.acl() == AclVerdict.ALLOWS
                || grounds.standing() == Standing.ACCOUNT && isOfEveryAccount(request.action())
                || grounds.identity().stream().anyMatch(policy -> policy.allows(request));
    }
}
