package io.volute.versioning.state;

import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.ObjectLock;
import io.volute.versioning.value.ObjectLock.Change.OfLegalHold;
import io.volute.versioning.value.ObjectLock.Change.OfRetention;
import io.volute.versioning.value.ObjectLock.Retention;
import java.time.Instant;
import java.util.Optional;

/**
 * The operations that Object Lock permits (S3 User Guide, "Locking objects with Object Lock"). A
 * bucket with Object Lock is always versioned, so no write overwrites an object in place. Only
 * {@code VersionChain.remove} loses a version, and it calls {@link #requireRemovable}.
 */
public final class LockRules {
    private LockRules() {}

    /**
     * Refuses a requested lock that is invalid: retention in the past, or a bucket without Object
     * Lock.
     */
    public static void requireAskable(BucketInfo bucket, ObjectLock asked, Instant now) {
        if (!asked.equals(ObjectLock.NONE)) {
            requireInFuture(asked.retention(), now);
            requireLockable(bucket);
        }
    }

    private static void requireLockable(BucketInfo bucket) {
        if (bucket.lock().isEmpty()) {
            throw new StoreException(
                    Reason.NO_OBJECT_LOCK, "bucket " + bucket.name().value() + " has no lock");
        }
    }

    private static void requireInFuture(Optional<Retention> retention, Instant now) {
        if (retention.isPresent() && !retention.get().lasts(now)) {
            throw new StoreException(
                    Reason.RETENTION_OVER, "retention until " + retention.get().until());
        }
    }

    /**
     * Returns the lock of a new version: the requested one, completed by the default of the bucket.
     */
    public static ObjectLock ofNew(BucketInfo bucket, ObjectLock asked, Instant now) {
        return bucket.lock().map(lock -> lock.of(asked, now)).orElse(asked);
    }

    /**
     * Refuses the removal of a locked version.
     *
     * @throws StoreException LOCKED
     */
    public static void requireRemovable(ObjectLock lock, Instant now, boolean bypassGovernance) {
        if (lock.forbidsRemoval(now, bypassGovernance)) {
            throw locked();
        }
    }

    /**
     * Returns the lock of a version of this bucket after a change.
     *
     * @throws StoreException LOCKED when the present lock forbids the change
     */
    public static ObjectLock changed(
            BucketInfo bucket, ObjectLock lock, ObjectLock.Change change, Instant now) {
        requireLockable(bucket);
        return switch (change) {
            case OfRetention to -> {
                requireInFuture(to.retention(), now);
                if (lock.forbidsRetention(to.retention(), now, to.bypassGovernance())) {
                    throw locked();
                }
                yield lock.with(to.retention());
            }
            case OfLegalHold to -> lock.with(to.hold());
        };
    }

    private static StoreException locked() {
        return new StoreException(Reason.LOCKED, "the version is locked");
    }
}
