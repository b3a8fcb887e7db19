package io.volute.server.auth.policy;

import java.util.List;
import java.util.Optional;

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
        for (Statement each : statements) {
            if (each.effect() == effect && each.applies(request)) {
                return true;
            }
        }
        return false;
    }

    /** What is left of it for some requests: it decides on each of them just as this one does. */
    Policy within(RequestSet set) {
        return new Policy(
                statements.stream()
                        .map(each -> each.within(set))
                        .flatMap(Optional::stream)
                        .toList());
    }

    /** Whether it may allow one of the requests that it is {@link #within}. */
    boolean mayAllow(RequestSet set) {
        for (Statement each : statements) {
            if (each.effect() == Effect.ALLOW && each.isAboutOneOf(set)) {
                return true;
            }
        }
        return false;
    }

    /** Whether it denies all of the requests that it is {@link #within}, so much is known. */
    boolean deniesAll(RequestSet set) {
        for (Statement each : statements) {
            if (each.effect() == Effect.DENY && each.appliesToAllOf(set)) {
                return true;
            }
        }
        return false;
    }

    /** Whether it allows all of the requests that it is {@link #within}, so much is known. */
    boolean allowsAll(RequestSet set) {
        for (Statement each : statements) {
            if (each.effect() == Effect.ALLOW && each.appliesToAllOf(set)) {
                return true;
            }
        }
        return false;
    }

    /** Whether it may deny one of the requests that it is {@link #within}. */
    boolean mayDeny(RequestSet set) {
        for (Statement each : statements) {
            if (each.effect() == Effect.DENY && each.mayApplyToOneOf(set)) {
                return true;
            }
        }
        return false;
    }

    /** Heap bytes that it needs, about. */
    int heapBytes() {
        int bytes = 0;
        for (Statement each : statements) {
            bytes += each.heapBytes();
        }
        return bytes;
    }

    /** Whether it gives something to everyone, whoever and wherever he is. */
    public boolean isPublic() {
        return Publicity.isPublic(statements);
    }
}
