package io.volute.server.identity;

import io.volute.server.auth.policy.Principal;
import java.time.Instant;

/**
 * A policy with a name, for any number of holders.
 *
 * @param name the ARN of a policy that AWS has in every account, too
 * @param version number of its current document; the first one has 1
 */
public record ManagedPolicy(
        String name,
        Instant created,
        Instant changed,
        long version,
        String document,
        IdentityDetails details) {

    /** Returns whether it is a policy that every store has, which nobody can change. */
    public boolean isBuiltIn() {
        return BuiltInPolicies.find(name).filter(this::equals).isPresent();
    }

    /** Returns the ARN. */
    public String arn() {
        return isBuiltIn()
                ? BuiltInPolicies.arn(this)
                : Principal.arn("policy", details.path(), name);
    }

    ManagedPolicy withDocument(String other, Instant now) {
        return new ManagedPolicy(name, created, now, version + 1, other, details);
    }

    /** Returns the policy for a list, which does not have the documents. */
    public ManagedPolicy withoutDocument() {
        return new ManagedPolicy(name, created, changed, version, "", details);
    }

    ManagedPolicy withDetails(IdentityDetails other) {
        return new ManagedPolicy(name, created, changed, version, document, other);
    }
}
