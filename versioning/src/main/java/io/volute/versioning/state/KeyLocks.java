package io.volute.versioning.state;

import io.volute.versioning.value.ObjectKey;
import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Serialises the writers of a key with a fixed number of lock stripes, taken in ascending order.
 */
public final class KeyLocks {
    /**
     * Number of stripes: far above the number of concurrent writers, so that keys seldom share one.
     */
    private static final int STRIPES = 4096;

    private final ReentrantLock[] stripes = new ReentrantLock[STRIPES];

    public KeyLocks() {
        Arrays.setAll(stripes, index -> new ReentrantLock());
    }

    /** Locks one key until the returned hold is closed. */
    public ScopedHold hold(long bucketId, ObjectKey key) {
        return hold(stripe(bucketId, key.value()));
    }

    /** Locks one key as {@link #hold} does. Running the returned action unlocks it. */
    public Runnable holding(long bucketId, ObjectKey key) {
        return hold(bucketId, key)::close;
    }

    /** Locks one part of an upload. */
    public ScopedHold holdPart(long uploadNumber, int part) {
        return hold(stripe(uploadNumber, part));
    }

    /** Returns the stripe of a key, for {@link #holdAll}. */
    public static int stripe(long id, Object within) {
        int hash = Long.hashCode(id) * 31 + within.hashCode();
        hash = (hash ^ (hash >>> 16)) * 0x85EBCA6B;
        hash = (hash ^ (hash >>> 13)) * 0xC2B2AE35;
        return Math.floorMod(hash ^ (hash >>> 16), STRIPES);
    }

    /** Locks several stripes, given in any order and with repetitions. */
    public ScopedHold holdAll(int... wanted) {
        int[] ordered = Arrays.stream(wanted).sorted().distinct().toArray();
        for (int stripe : ordered) {
            stripes[stripe].lock();
        }
        return () -> {
            for (int i = ordered.length - 1; i >= 0; i--) {
                stripes[ordered[i]].unlock();
            }
        };
    }

    private ScopedHold hold(int stripe) {
        ReentrantLock lock = stripes[stripe];
        lock.lock();
        return lock::unlock;
    }
}
