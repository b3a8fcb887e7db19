package io.volute.versioning;

import java.util.Optional;
import java.util.Set;

/**
 * Who else may do something with a bucket. What the texts mean is for the server to say.
 *
 * @param policy the document of the bucket's policy
 * @param block what is forbidden of public access; empty when nobody has said anything
 */
public record BucketAccess(Optional<String> policy, Optional<Set<PublicAccessRule>> block) {
    /** Nothing is said. */
    public static final BucketAccess NONE = new BucketAccess(Optional.empty(), Optional.empty());

    /** The parts of S3's public access block. On disk by their order. */
    public enum PublicAccessRule {
        BLOCK_PUBLIC_ACLS,
        IGNORE_PUBLIC_ACLS,
        BLOCK_PUBLIC_POLICY,
        RESTRICT_PUBLIC_BUCKETS
    }

    public BucketAccess {
        block = block.map(Set::copyOf);
    }

    public BucketAccess withPolicy(Optional<String> document) {
        return new BucketAccess(document, block);
    }

    public BucketAccess withBlock(Optional<Set<PublicAccessRule>> rules) {
        return new BucketAccess(policy, rules);
    }

    /** Whether the block has this rule. */
    public boolean has(PublicAccessRule rule) {
        return block.filter(rules -> rules.contains(rule)).isPresent();
    }
}
