package io.volute.versioning.value;

import java.util.Optional;
import java.util.Set;

/**
 * The access settings of a bucket for others than its owner. The server defines their meaning.
 *
 * @param policyText the document of the bucket's policy
 * @param block active rules of the public access block; empty when none was ever set
 */
public record BucketAccess(
        Optional<BucketInfo.Text> policyText, Optional<Set<PublicAccessRule>> block) {
    /** The settings of a new bucket. */
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
        return new BucketAccess(document.map(BucketInfo.Text::of), block);
    }

    public BucketAccess withBlock(Optional<Set<PublicAccessRule>> rules) {
        return new BucketAccess(policyText, rules);
    }

    /** Returns the document of the bucket's policy; see {@link BucketInfo.Text#text}. */
    public Optional<String> policy() {
        return policyText.map(BucketInfo.Text::text);
    }

    /** Returns whether the block has this rule. */
    public boolean has(PublicAccessRule rule) {
        return block.filter(rules -> rules.contains(rule)).isPresent();
    }
}
