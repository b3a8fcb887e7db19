package io.volute.server.identity;

import io.volute.server.identity.Holder.Kind;
import io.volute.server.identity.IdentityException.Reason;
import java.util.Optional;

/**
 * A user that is added with a policy and an access key.
 *
 * @param policy a managed policy
 * @param bucket limits the policy to one bucket; a valid name
 */
public record NewUser(String name, String policy, Optional<String> bucket) {

    /** Returns the detail of the recorded change. */
    String detail(UserKey key) {
        return policy + bucket.map(each -> " on " + each).orElse("") + ", " + key.accessKey();
    }

    /** Returns the rows of the user. */
    Change change(IdentityTable now, Holder user, UserKey key) {
        Checks.isNew(now, Kind.USER, name);
        ManagedPolicy managed = Checks.requirePolicy(now, policy);
        return Change.of(
                bucket.isEmpty()
                        ? user.withPolicy(managed.name(), true)
                        : user.withInline(
                                inlineName(), Optional.of(limited(managed, bucket.get()))),
                key);
    }

    private String inlineName() {
        String whole = policy + "-" + bucket.orElseThrow();
        return whole.substring(0, Math.min(whole.length(), Checks.LONGEST_NAME));
    }

    private static String limited(ManagedPolicy policy, String bucket) {
        return BuiltInPolicies.limited(policy, bucket)
                .orElseThrow(
                        () ->
                                new IdentityException(
                                        Reason.INVALID_INPUT,
                                        "the policy "
                                                + policy.name()
                                                + " cannot be limited to a bucket: name readonly,"
                                                + " readwrite or writeonly, or no bucket"));
    }
}
