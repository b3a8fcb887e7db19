package io.volute.server.auth.policy;

import java.util.List;

/** A policy in IAM's language, read and checked. Immutable. */
public final class Policy {
    private final List<Statement> statements;

    Policy(List<Statement> statements) {
        this.statements = List.copyOf(statements);
    }

    /**
     * Reads the policy of a bucket.
     *
     * @throws MalformedPolicyException says what is wrong with it
     */
    public static Policy ofBucket(String document, String bucket) {
        return new PolicyParser(new PolicyParser.BucketForm(bucket)).parse(document);
    }

    /**
     * Reads a policy of users, groups or sessions.
     *
     * @throws MalformedPolicyException says what is wrong with it
     */
    public static Policy ofIdentity(String document) {
        return new PolicyParser(new PolicyParser.IdentityForm()).parse(document);
    }

    /**
     * Reads who may assume a role.
     *
     * @throws MalformedPolicyException says what is wrong with it
     */
    public static Policy ofTrust(String document) {
        return new PolicyParser(new PolicyParser.TrustForm()).parse(document);
    }

    boolean allows(AccessRequest request) {
        return hasOne(Effect.ALLOW, request);
    }

    boolean denies(AccessRequest request) {
        return hasOne(Effect.DENY, request);
    }

    private boolean hasOne(Effect effect, AccessRequest request) {
        return statements.stream().anyMatch(s -> s.effect() == effect && s.applies(request));
    }

    /** Whether it gives something to everyone, whoever and wherever he is. */
    public boolean isPublic() {
        return statements.stream().anyMatch(Publicity::isPublic);
    }
}
