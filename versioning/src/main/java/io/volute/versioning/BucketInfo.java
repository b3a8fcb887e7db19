package io.volute.versioning;

import io.volute.versioning.causality.HistoryPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * A bucket.
 *
 * @param history decides which overwritten and deleted states are kept
 * @param access who but the owner may do something with it
 * @param hidden of entries about its keys; empty: as the store's options say
 * @param lock empty: versions cannot be locked
 * @param resolution see {@link StoreOptions.HistorySettings}; empty: as the store's options say
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
        Optional<BucketLock> lock,
        Optional<Duration> resolution) {

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
        return with(state, history, access, hidden, lock, resolution);
    }

    /** The same bucket under another policy. */
    public BucketInfo with(HistoryPolicy policy) {
        return with(versioning, policy, access, hidden, lock, resolution);
    }

    /** The same bucket with other rights of others. */
    public BucketInfo with(BucketAccess other) {
        return with(versioning, history, other, hidden, lock, resolution);
    }

    /** The same bucket with other fields hidden. */
    public BucketInfo with(Optional<HiddenFields> other) {
        return with(versioning, history, access, other, lock, resolution);
    }

    /** The same bucket, whose versions can be locked. */
    public BucketInfo with(BucketLock other) {
        return with(versioning, history, access, hidden, Optional.of(other), resolution);
    }

    /** The same bucket with another resolution of its past. */
    public BucketInfo withResolution(Optional<Duration> other) {
        return with(versioning, history, access, hidden, lock, other);
    }

    private BucketInfo with(
            VersioningState state,
            HistoryPolicy policy,
            BucketAccess rights,
            Optional<HiddenFields> fields,
            Optional<BucketLock> locking,
            Optional<Duration> exactness) {
        return new BucketInfo(
                id, name, owner, created, state, policy, rights, fields, locking, exactness);
    }
}
