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
     * Reads the stored policy of a bucket, which an earlier version may have accepted.
     *
     * @throws MalformedPolicyException when it is not a valid policy; the message names the error
     */
    public static Policy ofBucket(String document, String bucket) {
        return new PolicyParser(new PolicyParser.BucketForm(bucket, false)).parse(document);
    }

    /**
     * Reads the policy that a bucket is to get. Beyond {@link #ofBucket} every action must be one
     * of S3 that is about a resource of its statement, as S3 demands: a misspelt Deny would deny
     * nothing.
     *
     * @throws MalformedPolicyException when it is not a valid policy; the message names the error
     */
    public static Policy ofNewBucket(String document, String bucket) {
        return new PolicyParser(new PolicyParser.BucketForm(bucket, true)).parse(document);
    }

    /**
     * Reads a policy of users, groups or sessions.
     *
     * @throws MalformedPolicyException when it is not a valid policy; the message names the error
     */
    public static Policy ofIdentity(String document) {
        return new PolicyParser(new PolicyParser.IdentityForm()).parse(document);
    }

    /**
     * Reads the trust policy of a role: the callers that may assume it.
     *
     * @throws MalformedPolicyException when it is not a valid policy; the message names the error
     */
    public static Policy ofTrust(String document) {
        return new PolicyParser(new PolicyParser.TrustForm()).parse(document);
    }

    boolean allows(AccessRequest request) {
        return hasOne(Effect.ALLOW, request);
    }

    /** Returns whether it allows the request to the very session of the caller, by its name. */
    boolean allowsSession(AccessRequest request) {
        for (Statement each : statements) {
            if (each.effect() == Effect.ALLOW
                    && each.namesSession(request.who())
                    && each.applies(request)) {
                return true;
            }
        }
        return false;
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

    /**
     * Returns the part that concerns a set of requests; it decides on each exactly as this policy
     * does.
     */
    Policy within(RequestSet set) {
        return new Policy(
                statements.stream()
                        .map(each -> each.within(set))
                        .flatMap(Optional::stream)
                        .toList());
    }

    /**
     * Returns whether it may allow a request of the set that it is reduced to by {@link #within}.
     */
    boolean mayAllow(RequestSet set) {
        for (Statement each : statements) {
            if (each.effect() == Effect.ALLOW && each.isAboutOneOf(set)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether it may allow a request of such a set to the caller's very session. */
    boolean mayAllowSession(RequestSet set) {
        for (Statement each : statements) {
            if (each.effect() == Effect.ALLOW
                    && each.namesSession(set.who())
                    && each.isAboutOneOf(set)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether it certainly denies every request of the set that it is {@link #within}. */
    boolean deniesAll(RequestSet set) {
        for (Statement each : statements) {
            if (each.effect() == Effect.DENY && each.appliesToAllOf(set)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether it certainly allows every request of the set that it is {@link #within}. */
    boolean allowsAll(RequestSet set) {
        for (Statement each : statements) {
            if (each.effect() == Effect.ALLOW && each.appliesToAllOf(set)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns whether it may deny a request of the set that it is reduced to by {@link #within}.
     */
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

    /** Returns whether it grants something to everyone, at any place. */
    public boolean isPublic() {
        return Publicity.isPublic(statements);
    }
}
