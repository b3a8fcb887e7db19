package io.volute.versioning;

import io.volute.versioning.causality.HistoryPolicy;
import java.time.Instant;

/**
 * A bucket.
 *
 * @param history decides which overwritten and deleted states are kept
 */
public record BucketInfo(
        long id,
        BucketName name,
        String owner,
        Instant created,
        VersioningState versioning,
        HistoryPolicy history) {

    /** S3's three states. */
    public enum VersioningState {
        UNVERSIONED,
        ENABLED,
        SUSPENDED
    }

    /** The same bucket in another state of versioning. */
    public BucketInfo with(VersioningState state) {
        return new BucketInfo(id, name, owner, created, state, history);
    }

    /** The same bucket under another policy. */
    public BucketInfo with(HistoryPolicy policy) {
        return new BucketInfo(id, name, owner, created, versioning, policy);
    }
}
