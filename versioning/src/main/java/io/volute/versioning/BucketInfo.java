package io.volute.versioning;

import io.volute.versioning.causality.HistoryPolicy;
import java.time.Instant;

/**
 * A bucket.
 *
 * @param history decides which overwritten and deleted states are kept
 * @param access who but the owner may do something with it
 */
public record BucketInfo(
        long id,
        BucketName name,
        String owner,
        Instant created,
        VersioningState versioning,
        HistoryPolicy history,
        BucketAccess access) {

    /** One that nobody but its owner may use. */
    public BucketInfo(
            long id,
            BucketName name,
            String owner,
            Instant created,
            VersioningState versioning,
            HistoryPolicy history) {
        this(id, name, owner, created, versioning, history, BucketAccess.NONE);
    }

    /** S3's three states. */
    public enum VersioningState {
        UNVERSIONED,
        ENABLED,
        SUSPENDED
    }

    /** The same bucket in another state of versioning. */
    public BucketInfo with(VersioningState state) {
        return new BucketInfo(id, name, owner, created, state, history, access);
    }

    /** The same bucket under another policy. */
    public BucketInfo with(HistoryPolicy policy) {
        return new BucketInfo(id, name, owner, created, versioning, policy, access);
    }

    /** The same bucket with other rights of others. */
    public BucketInfo with(BucketAccess other) {
        return new BucketInfo(id, name, owner, created, versioning, history, other);
    }
}
