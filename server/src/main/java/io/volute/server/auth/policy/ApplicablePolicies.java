package io.volute.server.auth.policy;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The inputs of an access decision, apart from the request.
 *
 * @param standing the caller's permissions without any policy
 * @param identity the policies of the caller and of the caller's groups
 * @param boundary the permissions boundary of the user or role
 * @param resource the policy of the bucket
 * @param session the policy that narrows the caller's session
 * @param acl the effect of ACLs
 */
public record ApplicablePolicies(
        Standing standing,
        List<Policy> identity,
        Optional<Policy> boundary,
        Optional<Policy> resource,
        Optional<Policy> session,
        AclVerdict acl) {
    public ApplicablePolicies {
        identity = List.copyOf(identity);
    }

    /** Creates grounds without ACLs and without a boundary. */
    public ApplicablePolicies(
            Standing standing,
            List<Policy> identity,
            Optional<Policy> resource,
            Optional<Policy> session) {
        this(standing, identity, Optional.empty(), resource, session, AclVerdict.SILENT);
    }

    /** Returns the same grounds with ACLs. */
    public ApplicablePolicies with(AclVerdict verdict) {
        return verdict == acl
                ? this
                : new ApplicablePolicies(standing, identity, boundary, resource, session, verdict);
    }

    /**
     * Returns whether the caller may do all with the object, unless denied, as the bucket's owner.
     */
    boolean isOwner() {
        return standing == Standing.OWNER && acl != AclVerdict.FOREIGN;
    }

    /** Returns the policy of the bucket, if it can allow one of some actions. */
    Optional<Policy> allowing(List<String> actions) {
        return acl == AclVerdict.FOREIGN || actions.stream().noneMatch(Authorizer::isGivenByBuckets)
                ? Optional.empty()
                : resource;
    }

    /** The permissions of a caller without any policy. */
    public enum Standing {
        /** Everything, limited only by the session's policy. */
        ROOT,
        /**
         * Everything with this bucket, unless denied. The bucket's policy itself stays under the
         * owner's control.
         */
        OWNER,
        /** Creating buckets and listing the caller's own, unless denied. */
        ACCOUNT,
        NOTHING
    }

    /** The effect of ACLs on a decision. A denial of a policy wins over each of them. */
    public enum AclVerdict {
        /** None. Also the verdict where ACLs are disabled. */
        SILENT,
        /** A grant allows the action. */
        ALLOWS,
        /**
         * The object belongs to another account than the bucket's owner, and no grant allows the
         * action. Neither that the caller owns the bucket nor what the bucket's policy allows
         * counts.
         */
        FOREIGN
    }

    /**
     * Returns the part of these grounds that concerns a set of requests. It decides on each of them
     * exactly as these grounds do. Conditions without an open key are judged here, once for the
     * whole set.
     */
    public ApplicablePolicies within(RequestSet set) {
        return new ApplicablePolicies(
                standing,
                identity.stream().map(policy -> policy.within(set)).toList(),
                boundary.map(policy -> policy.within(set)),
                resource.map(policy -> policy.within(set)),
                session.map(policy -> policy.within(set)),
                acl);
    }

    /**
     * Returns whether one of the requests that they are {@link #within} may be allowed. That
     * requires a statement that allows something; a policy with denials alone permits nothing.
     */
    public boolean mayAllow(RequestSet set) {
        boolean isInSession = session.map(policy -> policy.mayAllow(set)).orElse(true);
        if (session.filter(policy -> policy.deniesAll(set)).isPresent()) {
            return false;
        }
        if (standing == Standing.ROOT) {
            return isInSession;
        }
        boolean isOwner = standing == Standing.OWNER;
        boolean bucketCounts = !isOwner || !Authorizer.isAboutThePolicy(set.actions());
        if (ownPolicies().anyMatch(policy -> policy.deniesAll(set))
                || bucketCounts && resource.filter(p -> p.deniesAll(set)).isPresent()) {
            return false;
        }
        boolean isInBoundary = boundary.map(policy -> policy.mayAllow(set)).orElse(true);
        if (isInSession && isInBoundary && mayAllowWithoutBucket(set)) {
            return true;
        }
        boolean isWithin = isInSession && (isInBoundary || set.who().kind() == Principal.Kind.USER);
        return allowing(set.actions())
                .filter(policy -> isWithin && policy.mayAllow(set) || policy.mayAllowSession(set))
                .isPresent();
    }

    private boolean mayAllowWithoutBucket(RequestSet set) {
        return isOwner()
                || acl == AclVerdict.ALLOWS
                || standing == Standing.ACCOUNT
                        && set.actions().stream().anyMatch(Authorizer::isOfEveryAccount)
                || identity.stream().anyMatch(policy -> policy.mayAllow(set));
    }

    /** Returns the policies of the caller itself, those that allow and the one that limits them. */
    Stream<Policy> ownPolicies() {
        return Stream.concat(identity.stream(), boundary.stream());
    }

    /**
     * Returns whether the caller's own policies allow all requests of the set that they are reduced
     * to.
     */
    boolean allowsAll(RequestSet set) {
        boolean isWithin =
                Stream.concat(session.stream(), boundary.stream())
                        .allMatch(policy -> policy.allowsAll(set));
        return isWithin
                && !mayDeny(set)
                && (standing == Standing.ROOT
                        || identity.stream().anyMatch(policy -> policy.allowsAll(set)));
    }

    /** Returns whether a statement may deny a request of the set that they are reduced to. */
    boolean mayDeny(RequestSet set) {
        return session.filter(policy -> policy.mayDeny(set)).isPresent()
                || standing != Standing.ROOT
                        && (ownPolicies().anyMatch(policy -> policy.mayDeny(set))
                                || resource.filter(policy -> policy.mayDeny(set)).isPresent());
    }
}
