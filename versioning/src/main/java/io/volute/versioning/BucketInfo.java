package io.volute.versioning;

import io.volute.versioning.causality.HistoryPolicy;
import java.time.Instant;
import java.util.Optional;

/**
 * A bucket.
 *
 * @param history decides which overwritten and deleted states are kept
 * @param access who but the owner may do something with it
 * @param hidden of entries about its keys; empty: as the store's options say
 * @param lock empty: versions cannot be locked
 */
public record BucketInfo(
        long id,
        BucketName name,
        String owner,
        Instant created,
        VersioningState versioning,
        HistoryPolicy history,
        BucketAccess access,
        Optional<HiddenFields> hidden,
        Optional<BucketLock> lock) {

    /** One that nobody but its owner may use, and that hides what the store does. */
    public BucketInfo(
            long id,
            BucketName name,
            String owner,
            Instant created,
            VersioningState versioning,
            HistoryPolicy history) {
        this(
                id,
                name,
                owner,
                created,
                versioning,
                history,
                BucketAccess.NONE,
                Optional.empty(),
                Optional.empty());
    }

    /** S3's three states. */
    public enum VersioningState {
        UNVERSIONED,
        ENABLED,
        SUSPENDED
    }

    /** The same bucket in another state of versioning. */
    public BucketInfo with(VersioningState state) {
        return new BucketInfo(id, name, owner, created, state, history, access, hidden, lock);
    }

    /** The same bucket under another policy. */
    public BucketInfo with(HistoryPolicy policy) {
        return new BucketInfo(id, name, owner, created, versioning, policy, access, hidden, lock);
    }

    /** The same bucket with other rights of others. */
    public BucketInfo with(BucketAccess other) {
        return new BucketInfo(id, name, owner, created, versioning, history, other, hidden, lock);
    }

    /** The same bucket with other fields hidden. */
    public BucketInfo with(Optional<HiddenFields> other) {
        return new BucketInfo(id, name, owner, created, versioning, history, access, other, lock);
    }

    /** The same bucket, whose versions can be locked. */
    public BucketInfo with(BucketLock other) {
        return new BucketInfo(
                id, name, owner, created, versioning, history, access, hidden, Optional.of(other));
    }
}
