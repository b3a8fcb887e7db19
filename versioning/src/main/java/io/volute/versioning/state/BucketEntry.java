package io.volute.versioning.state;

import io.volute.versioning.BucketInfo;
import io.volute.versioning.StoreException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.StampedLock;

/** A bucket in memory: what is known of it, and the lock between its writers and its end. */
public final class BucketEntry {
    private static final int QUIET_ATTEMPTS = 3;

    private final StampedLock lock = new StampedLock();

    /**
     * Commits that take rows from {@code versions}, begun and ended. A listing that reads {@code
     * current} and then {@code versions} is exact when there was none in between.
     */
    private final AtomicLong removalsBegun = new AtomicLong();

    private final AtomicLong removalsEnded = new AtomicLong();
    private volatile BucketInfo info;
    private volatile boolean deleted;

    public BucketEntry(BucketInfo info) {
        this.info = info;
    }

    public BucketInfo info() {
        return info;
    }

    public long id() {
        return info.id();
    }

    public String owner() {
        return info.owner();
    }

    /** Under {@link #exclude}. */
    public void replaceInfo(BucketInfo changed) {
        info = changed;
    }

    /** Under {@link #exclude}: whoever waits for this bucket is told that it is gone. */
    public void markDeleted() {
        deleted = true;
    }

    /** For a writer: the bucket and its versioning state stay while held. */
    public Hold share() {
        long stamp = lock.readLock();
        if (deleted) {
            lock.unlockRead(stamp);
            throw StoreException.noSuchBucket(info.name());
        }
        return () -> lock.unlockRead(stamp);
    }

    /** Waits for all writers and keeps new ones out. */
    public Hold exclude() {
        long stamp = lock.writeLock();
        if (deleted) {
            lock.unlockWrite(stamp);
            throw StoreException.noSuchBucket(info.name());
        }
        return () -> lock.unlockWrite(stamp);
    }

    public Hold removal() {
        removalsBegun.incrementAndGet();
        return removalsEnded::incrementAndGet;
    }

    /** The number of removals when none is under way, or -1. */
    private long quietRemovals() {
        long ended = removalsEnded.get();
        return removalsBegun.get() == ended ? ended : -1;
    }

    /**
     * Opens cursors that are exact together, because nothing is taken from {@code versions} in
     * between: what moves to another family of rows is seen in one of them at least.
     */
    public <C extends CursorSet> C betweenRemovals(CursorSet.Opening<C> opening) {
        for (int attempt = 1; attempt <= QUIET_ATTEMPTS; attempt++) {
            long quiet = quietRemovals();
            if (quiet >= 0) {
                C cursors = opening.open();
                if (quietRemovals() == quiet) {
                    return cursors;
                }
                cursors.close();
            }
        }
        try (Hold excluded = exclude()) {
            return opening.open();
        }
    }
}
