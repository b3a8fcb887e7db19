package io.volute.server.auth.policy;

import java.util.List;
import java.util.Optional;

/**
 * What a decision is made from.
 *
 * @param standing what the caller may do without any policy
 * @param identity the policies of the caller and of his groups
 * @param resource the policy of the bucket
 * @param session the policy that his session was narrowed with
 */
public record Grounds(
        Standing standing,
        List<Policy> identity,
        Optional<Policy> resource,
        Optional<Policy> session) {
    public Grounds {
        identity = List.copyOf(identity);
    }

    /** What somebody may do without any policy. */
    public enum Standing {
        /** Everything, whatever policies say but that of the session. */
        ROOT,
        /** Everything with this bucket, unless denied; its policy cannot be taken from him. */
        OWNER,
        /** To make and list his own buckets, unless denied. */
        ACCOUNT,
        NOTHING
    }

    /**
     * What is left of them for some requests: they decide on each of them just as these do. A
     * condition that does not depend on what is open is judged here, and not again.
     */
    public Grounds within(RequestSet set) {
        return new Grounds(
                standing,
                identity.stream().map(policy -> policy.within(set)).toList(),
                resource.map(policy -> policy.within(set)),
                session.map(policy -> policy.within(set)));
    }

    /**
     * Whether one of the requests that they are {@link #within} may be allowed. Only a statement
     * that allows something can make it so: a policy that only denies lets nobody past.
     */
    public boolean mayAllow(RequestSet set) {
        if (session.isPresent() && !mayAllow(session.get(), set)) {
            return false;
        }
        if (standing == Standing.ROOT) {
            return true;
        }
        boolean isOwner = standing == Standing.OWNER;
        boolean bucketCounts = !isOwner || !Authorizer.isAboutThePolicy(set.actions());
        if (identity.stream().anyMatch(policy -> policy.deniesAll(set))
                || bucketCounts && resource.filter(p -> p.deniesAll(set)).isPresent()) {
            return false;
        }
        return isOwner
                || standing == Standing.ACCOUNT
                        && set.actions().stream().anyMatch(Authorizer::isOfEveryAccount)
                || identity.stream().anyMatch(policy -> policy.mayAllow(set))
                || resource.filter(policy -> policy.mayAllow(set)).isPresent();
    }

    /** Whether the caller's own policies allow all of the requests that they are within. */
    boolean allowsAll(RequestSet set) {
        boolean isWithinSession = session.map(policy -> policy.allowsAll(set)).orElse(true);
        return isWithinSession
                && !mayDeny(set)
                && (standing == Standing.ROOT
                        || identity.stream().anyMatch(policy -> policy.allowsAll(set)));
    }

    /** Whether a statement may deny one of the requests that they are within. */
    boolean mayDeny(RequestSet set) {
        return session.filter(policy -> policy.mayDeny(set)).isPresent()
                || standing != Standing.ROOT
                        && (identity.stream().anyMatch(policy -> policy.mayDeny(set))
                                || resource.filter(policy -> policy.mayDeny(set)).isPresent());
    }

    private static boolean mayAllow(Policy session, RequestSet set) {
        return session.mayAllow(set) && !session.deniesAll(set);
    }
}
