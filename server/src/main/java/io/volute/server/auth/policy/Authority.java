package io.volute.server.auth.policy;

import io.volute.server.Limits;
import io.volute.server.auth.policy.Authorizer.Decision;
import io.volute.server.auth.policy.Grounds.Standing;
import io.volute.server.credentials.Credential;
import io.volute.server.credentials.Credential.Kind;
import io.volute.versioning.BucketAccess.PublicAccessRule;
import io.volute.versioning.BucketInfo;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Brings together what a decision is made from: policies of the caller, of the bucket and of the
 * session. Keeps what it has read of documents, at most {@link Limits#POLICIES_READ_MAX}.
 * Thread-safe.
 */
public final class Authority {
    private final PolicySource source;
    private final ConcurrentHashMap<Form, Policy> read = new ConcurrentHashMap<>();

    /** A document and how it is to be read. */
    private record Form(String document, Optional<String> bucket) {}

    /** The policies of callers. */
    @FunctionalInterface
    public interface PolicySource {
        /** Nobody has any. */
        PolicySource NONE = who -> List.of();

        /** The documents of a caller and of the groups that he is in. */
        List<String> documents(Credential who);
    }

    public Authority(PolicySource source) {
        this.source = source;
    }

    /**
     * What there is to decide from.
     *
     * @param bucket that the request is about, if it is about one that exists
     */
    public Grounds grounds(Credential who, Optional<BucketInfo> bucket) {
        return new Grounds(
                standing(who, bucket),
                source.documents(who).stream().map(this::identity).toList(),
                bucket.flatMap(b -> resource(who, b)),
                who.session().flatMap(Credential.Session::policy).map(this::identity));
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
                                        known(new Form(document, Optional.of(name)), this::bucket));
        boolean restricted =
                who.kind() == Kind.ANONYMOUS
                        && bucket.access().has(PublicAccessRule.RESTRICT_PUBLIC_BUCKETS)
                        && policy.filter(Policy::isPublic).isPresent();
        return restricted ? Optional.empty() : policy;
    }

    private Policy bucket(Form form) {
        return Policy.ofBucket(form.document(), form.bucket().orElseThrow());
    }

    private Policy identity(String document) {
        return known(
                new Form(document, Optional.empty()), form -> Policy.ofIdentity(form.document()));
    }

    private Policy known(Form form, Function<Form, Policy> reading) {
        Policy policy = read.get(form);
        if (policy == null) {
            policy = reading.apply(form);
            if (read.size() >= Limits.POLICIES_READ_MAX) {
                read.clear();
            }
            read.put(form, policy);
        }
        return policy;
    }

    /**
     * Whether somebody may assume a role. Unlike a bucket's, the role's policy itself must allow
     * it: else who may do everything could become anybody.
     *
     * @param trust the role's policy
     */
    public Decision mayAssume(Credential who, AccessRequest request, String trust) {
        Policy policy = Policy.ofTrust(trust);
        boolean denied =
                policy.denies(request)
                        || grounds(who, Optional.empty()).identity().stream()
                                .anyMatch(own -> own.denies(request));
        return policy.allows(request) && !denied ? Decision.ALLOW : Decision.DENY;
    }

    /** Decides; the only way in which anything does. */
    public Decision decide(Credential who, AccessRequest request, Optional<BucketInfo> bucket) {
        return Authorizer.decide(request, grounds(who, bucket));
    }
}
