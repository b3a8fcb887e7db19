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

    /** Whether any request at all may be allowed. */
    public boolean mayAllow() {
        return standing == Standing.ROOT
                || standing == Standing.OWNER
                || !identity.isEmpty()
                || resource.isPresent();
    }
}
