package io.volute.server.identity;

import java.time.Instant;

/**
 * A policy with a name, for any number of holders.
 *
 * @param name the ARN of a policy of AWS's own, which nobody can change
 * @param version number of its current document; the first one has 1
 */
public record ManagedPolicy(
        String name,
        Instant created,
        Instant changed,
        long version,
        String document,
        IdentityDetails details) {

    /** Returns whether it is a policy that AWS has in every account. */
    public boolean isOfAws() {
        return AwsPolicies.find(name).isPresent();
    }

    ManagedPolicy withDocument(String other, Instant now) {
        return new ManagedPolicy(name, created, now, version + 1, other, details);
    }

    ManagedPolicy withDetails(IdentityDetails other) {
        return new ManagedPolicy(name, created, changed, version, document, other);
    }
}
