package io.volute.versioning.state;

import io.volute.versioning.StoreException;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.KeyRange;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.StampedLock;

/**
 * A bucket in memory: its settings, and the lock between its writers and its deletion. Thread-safe.
 */
public final class BucketEntry {
    private static final int QUIET_ATTEMPTS = 3;

    private final StampedLock lock = new StampedLock();

    /**
     * Begun and ended commits that take rows from {@code versions}. A listing that reads {@code
     * current} and then {@code versions} is exact when no such commit ran in between.
     */
    private final AtomicLong removalsBegun = new AtomicLong();

    private final AtomicLong removalsEnded = new AtomicLong();
    private volatile BucketInfo info;
    private volatile KeyRange range;
    private volatile boolean deleted;

    /** Creates the entry of a bucket whose keys are all in this cube. */
    public BucketEntry(BucketInfo info) {
        this(info, KeyRange.ALL);
    }

    /**
     * Creates the entry of a bucket.
     *
     * @param range the keys that are in this cube; rows of other keys are leftovers of a move
     */
    public BucketEntry(BucketInfo info, KeyRange range) {
        this.info = info;
        this.range = range;
    }

    /** Returns the keys of the bucket that are in this cube. */
    public KeyRange range() {
        return range;
    }

    /**
     * Sets a range that contains the present one. A smaller range needs a new entry: waiting
     * writers have compared their keys with that of this entry.
     */
    public void extend(KeyRange wider) {
        range = wider;
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

    /** Replaces the settings. The caller holds the lock of {@link #exclude}. */
    public void replaceInfo(BucketInfo changed) {
        info = changed;
    }

    /**
     * Marks the bucket as deleted: later calls of {@link #share} and {@link #exclude} fail. The
     * caller holds the lock of {@link #exclude}.
     */
    public void markDeleted() {
        deleted = true;
    }

    /**
     * Takes the shared lock of a writer. The bucket and its versioning state stay while it is held.
     *
     * @throws StoreException NO_SUCH_BUCKET when the bucket was deleted
     */
    public ScopedHold share() {
        long stamp = lock.readLock();
        if (deleted) {
            lock.unlockRead(stamp);
            throw StoreException.noSuchBucket(info.name());
        }
        return () -> lock.unlockRead(stamp);
    }

    /**
     * Takes the exclusive lock: waits for all writers and keeps new ones out.
     *
     * @throws StoreException NO_SUCH_BUCKET when the bucket was deleted
     */
    public ScopedHold exclude() {
        long stamp = lock.writeLock();
        if (deleted) {
            lock.unlockWrite(stamp);
            throw StoreException.noSuchBucket(info.name());
        }
        return () -> lock.unlockWrite(stamp);
    }

    /** Waits until all running writers have ended, also those of a deleted bucket. */
    public void awaitWriters() {
        lock.unlockWrite(lock.writeLock());
    }

    /** Registers a commit that takes rows from {@code versions}, until closed. */
    public ScopedHold removal() {
        removalsBegun.incrementAndGet();
        return removalsEnded::incrementAndGet;
    }

    /** Returns the number of removals when none is running, or -1. */
    private long quietRemovals() {
        long ended = removalsEnded.get();
        return removalsBegun.get() == ended ? ended : -1;
    }

    /**
     * Opens cursors that are exact together, because no row is taken from {@code versions} in
     * between. A row that moves to another family is seen in at least one of them.
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
        try (ScopedHold excluded = exclude()) {
            return opening.open();
        }
    }
}
