package io.volute.server.auth.policy;

import io.volute.server.Limits;
import io.volute.server.auth.policy.ApplicablePolicies.AclVerdict;
import io.volute.server.auth.policy.ApplicablePolicies.Standing;
import io.volute.server.auth.policy.Authorizer.Decision;
import io.volute.server.credentials.Credential;
import io.volute.server.credentials.Credential.Kind;
import io.volute.storage.heap.WeighedCache;
import io.volute.versioning.value.BucketAccess.PublicAccessRule;
import io.volute.versioning.value.BucketInfo;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Collects the grounds of a decision: policies of the caller, of the bucket and of the session.
 * Caches parsed documents, in at most {@link Limits#POLICIES_READ_BYTES_MAX}. Thread-safe.
 */
public final class Authority {
    private final PolicySource source;
    private final WeighedCache<Form, Policy> read = cache();

    /** The policies of callers. */
    @FunctionalInterface
    public interface PolicySource {
        /** A source without policies. */
        PolicySource NONE = who -> List.of();

        /** Returns the policy documents of a caller and of the caller's groups. */
        List<String> documents(Credential who);

        /** Returns the documents with the permissions boundary, all of one moment. */
        default Documents bounded(Credential who) {
            return new Documents(documents(who), Optional.empty());
        }
    }

    /**
     * The policy documents of a caller.
     *
     * @param identity those of the caller and of the caller's groups
     * @param boundary the one that limits these; empty when there is no limit
     */
    public record Documents(List<String> identity, Optional<String> boundary) {
        public Documents {
            identity = List.copyOf(identity);
        }
    }

    public Authority(PolicySource source) {
        this.source = source;
    }

    /**
     * Returns the grounds of a decision.
     *
     * @param bucket the existing bucket of the request; empty when there is none
     */
    public ApplicablePolicies grounds(Credential who, Optional<BucketInfo> bucket) {
        Documents documents = source.bounded(who);
        return new ApplicablePolicies(
                standing(who, bucket),
                documents.identity().stream().map(this::identity).toList(),
                documents.boundary().map(this::identity),
                bucket.flatMap(b -> resource(who, b)),
                who.session().flatMap(Credential.Session::policy).map(this::identity),
                AclVerdict.SILENT);
    }

    /** Returns whether a caller is the root or the bucket's owner, in person or by a session. */
    public boolean owns(Credential who, BucketInfo bucket) {
        Standing standing = standing(who, Optional.of(bucket));
        return standing == Standing.ROOT || standing == Standing.OWNER;
    }

    private static Standing standing(Credential who, Optional<BucketInfo> bucket) {
        return switch (who.kind()) {
            case ROOT -> Standing.ROOT;
            case ACCOUNT ->
                    bucket.isEmpty()
                            ? Standing.ACCOUNT
                            : bucket.get().owner().equals(who.principal())
                                    ? Standing.OWNER
                                    : Standing.NOTHING;
            case USER, ROLE, ANONYMOUS -> Standing.NOTHING;
        };
    }

    private Optional<Policy> resource(Credential who, BucketInfo bucket) {
        String name = bucket.name().value();
        Optional<Policy> policy =
                bucket.access()
                        .policy()
                        .map(
                                document ->
                                        read.get(
                                                new Form(document, Optional.of(name)),
                                                Authority::bucket));
        boolean restricted =
                who.kind() == Kind.ANONYMOUS
                        && bucket.access().has(PublicAccessRule.RESTRICT_PUBLIC_BUCKETS)
                        && policy.filter(Policy::isPublic).isPresent();
        return restricted ? Optional.empty() : policy;
    }

    /** A document and how it is to be read: as the policy of a bucket, or of an identity. */
    record Form(String document, Optional<String> bucket) {}

    /** Returns an empty cache of policies. */
    static WeighedCache<Form, Policy> cache() {
        return new WeighedCache<>(
                Limits.POLICIES_READ_BYTES_MAX,
                (form, policy) -> WeighedCache.heapBytes(form.document()) + policy.heapBytes());
    }

    private static Policy bucket(Form form) {
        return Policy.ofBucket(form.document(), form.bucket().orElseThrow());
    }

    private Policy identity(String document) {
        return read.get(
                new Form(document, Optional.empty()), form -> Policy.ofIdentity(form.document()));
    }

    /**
     * Decides whether a caller may assume a role. Unlike a bucket's policy, the role's own policy
     * must allow it. Otherwise a caller who may do everything could take on any role.
     *
     * @param trust the role's policy
     */
    public Decision mayAssume(Credential who, AccessRequest request, String trust) {
        Policy policy = Policy.ofTrust(trust);
        ApplicablePolicies grounds = grounds(who, Optional.empty());
        boolean allowed =
                Authorizer.within(
                        () ->
                                policy.allows(request)
                                        && !policy.denies(request)
                                        && grounds.ownPolicies()
                                                .noneMatch(own -> own.denies(request)));
        return allowed ? Decision.ALLOW : Decision.DENY;
    }

    /**
     * Returns the grounds of several decisions with one caller and one bucket. Empty when it would
     * allow none of them, or when to see that needs more steps than their budget has.
     *
     * @param may whether one of them may be allowed; at least one must be
     * @param acl the effect of ACLs on those
     */
    public Optional<ApplicablePolicies> grounds(
            Credential who,
            Optional<BucketInfo> bucket,
            RequestSet all,
            RequestSet may,
            AclVerdict acl) {
        try {
            return Optional.of(grounds(who, bucket).with(acl).within(all))
                    .filter(grounds -> grounds.mayAllow(may));
        } catch (MatchingBudget.SpentException e) {
            return Optional.empty();
        }
    }

    /** Returns the grounds of several decisions that ACLs do not concern. */
    public Optional<ApplicablePolicies> grounds(
            Credential who, Optional<BucketInfo> bucket, RequestSet all, RequestSet may) {
        return grounds(who, bucket, all, may, AclVerdict.SILENT);
    }

    /**
     * Begins decisions on one caller and many buckets.
     *
     * @param all the requests about any of the buckets
     * @return empty when it needs more steps than the budget of the requests has
     */
    public Optional<ManyBuckets> manyBuckets(Credential who, RequestSet all) {
        try {
            return Optional.of(new ManyBuckets(who, grounds(who, Optional.empty()).within(all)));
        } catch (MatchingBudget.SpentException e) {
            return Optional.empty();
        }
    }

    /** The part of a caller's policies that concerns buckets. For use by one thread. */
    public final class ManyBuckets {
        private final Credential who;
        private final ApplicablePolicies own;

        private ManyBuckets(Credential who, ApplicablePolicies own) {
            this.who = who;
            this.own = own;
        }

        /**
         * Returns whether a request about one of the buckets may be allowed.
         *
         * @param set a part of all requests
         * @return empty when it needs more steps than the budget of the requests has
         */
        public Optional<Boolean> mayAllow(BucketInfo bucket, RequestSet set, AclVerdict acl) {
            try {
                ApplicablePolicies grounds =
                        new ApplicablePolicies(
                                standing(who, Optional.of(bucket)),
                                own.identity(),
                                own.boundary(),
                                resource(who, bucket),
                                own.session(),
                                acl);
                return Optional.of(grounds.within(set).mayAllow(set));
            } catch (MatchingBudget.SpentException e) {
                return Optional.empty();
            }
        }
    }

    /**
     * Returns whether the caller's own policies allow all requests of a set. Bucket policies do not
     * count.
     */
    public boolean allowsAll(Credential who, RequestSet set) {
        return Authorizer.within(() -> grounds(who, Optional.empty()).within(set).allowsAll(set));
    }

    /**
     * Returns whether one of the caller's own policies denies a request, or more steps are needed
     * to find out than the request has.
     */
    public boolean denies(Credential who, AccessRequest request) {
        ApplicablePolicies grounds = grounds(who, Optional.empty());
        return !Authorizer.within(
                () ->
                        Stream.concat(grounds.ownPolicies(), grounds.session().stream())
                                .noneMatch(policy -> policy.denies(request)));
    }

    /**
     * Whether a statement may deny one of some requests. A condition on a key that is open counts
     * as met.
     */
    public boolean mayDeny(Credential who, Optional<BucketInfo> bucket, RequestSet set) {
        return !Authorizer.within(() -> !grounds(who, bucket).within(set).mayDeny(set));
    }

    private static RequestSet ofAnyIdentity(AccessRequest request, List<String> actions) {
        return new RequestSet(
                request.who(),
                actions,
                Principal.arn("", "", ""),
                true,
                request.conditions(),
                key -> key.startsWith("iam:") || ConditionKeys.isResourceTag(key),
                request.budget());
    }

    /**
     * Decides; the only way in which anything does. The admin API does not know the identities of a
     * request by their ARN, tags and policies, so a denial of the same in IAM for any of them
     * counts.
     */
    public Decision decide(
            Credential who, AccessRequest request, Optional<BucketInfo> bucket, AclVerdict acl) {
        List<String> inIam = Authorizer.inIam(request.action());
        if (!inIam.isEmpty() && mayDeny(who, bucket, ofAnyIdentity(request, inIam))) {
            return Decision.DENY;
        }
        return Authorizer.decide(request, grounds(who, bucket).with(acl));
    }

    /** Decides on an action that ACLs do not concern. */
    public Decision decide(Credential who, AccessRequest request, Optional<BucketInfo> bucket) {
        return decide(who, request, bucket, AclVerdict.SILENT);
    }
}
