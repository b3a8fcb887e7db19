package io.volute.server.s3.call;

import io.volute.server.auth.policy.AccessRequest;
import io.volute.server.auth.policy.Authority;
import io.volute.server.auth.policy.Authorizer.Decision;
import io.volute.server.auth.policy.ConditionKeys;
import io.volute.server.auth.policy.MatchingBudget;
import io.volute.server.auth.policy.Principal;
import io.volute.server.credentials.Credential;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Decides whether the caller of a request may use a named key of SSE-KMS (Service Authorization
 * Reference, "AWS Key Management Service"). Policies of buckets do not concern keys. For use by one
 * thread.
 */
public final class KeyPermissions {
    private static final String CONTEXT = "kms:encryptioncontext:";

    private final Authority authority;
    private final Credential who;
    private final ConditionKeys request;
    private final MatchingBudget budget;

    /** The use of a key. */
    public enum Use {
        /** Encrypts a new object or upload. */
        ENCRYPT("kms:GenerateDataKey"),
        /** Reads an object, or writes a part of an upload, which has its key already. */
        DECRYPT("kms:Decrypt");

        private final String policyName;

        Use(String policyName) {
            this.policyName = policyName;
        }
    }

    /** The policies that a use needs. */
    public enum Rule {
        /** No policy denies it. */
        NOT_DENIED,
        /** A policy allows it, and none denies it. */
        ALLOWED
    }

    KeyPermissions(
            Authority authority, Credential who, ConditionKeys request, MatchingBudget budget) {
        this.authority = authority;
        this.who = who;
        this.request = request;
        this.budget = budget;
    }

    /**
     * Refuses the use of a key unless the caller's own policies fulfil the rule.
     *
     * @param key its name
     * @param context the encryption context of the object
     * @throws S3Exception AccessDenied
     */
    public void require(
            Use use, Rule rule, String key, String region, Map<String, String> context) {
        String arn = "arn:aws:kms:" + region + ":" + Principal.ACCOUNT + ":key/" + key;
        Principal principal = Principal.of(who);
        AccessRequest asked =
                new AccessRequest(
                        principal,
                        use.policyName,
                        arn,
                        name -> values(name, region, context),
                        budget);
        boolean allowed =
                switch (rule) {
                    case NOT_DENIED -> !authority.denies(who, asked);
                    case ALLOWED ->
                            authority.decide(who, asked, Optional.empty()) == Decision.ALLOW;
                };
        if (!allowed) {
            throw new S3Exception(
                    S3Error.ACCESS_DENIED,
                    "User: "
                            + principal.arn().orElse("anonymous")
                            + " is not authorized to perform: "
                            + use.policyName
                            + " on resource: "
                            + arn);
        }
    }

    private List<String> values(String name, String region, Map<String, String> context) {
        return switch (name) {
            case "kms:viaservice" -> List.of("s3." + region + ".amazonaws.com");
            case "kms:calleraccount" -> request.values("aws:principalaccount");
            case "kms:encryptioncontextkeys" -> List.copyOf(context.keySet());
            case String other when other.startsWith(CONTEXT) ->
                    context.entrySet().stream()
                            .filter(each -> other.equalsIgnoreCase(CONTEXT + each.getKey()))
                            .map(Map.Entry::getValue)
                            .toList();
            case String other when other.startsWith("aws:") -> request.values(other);
            default -> List.of();
        };
    }
}
