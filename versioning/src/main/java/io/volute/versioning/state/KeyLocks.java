package io.volute.versioning.state;

import io.volute.versioning.ObjectKey;
import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;

/** Serialises the writers of a key: a fixed number of stripes, taken in ascending order. */
public final class KeyLocks {
    /** Much more than writers at a time, so that two keys seldom share one. */
    private static final int STRIPES = 4096;

    private final ReentrantLock[] stripes = new ReentrantLock[STRIPES];

    public KeyLocks() {
        Arrays.setAll(stripes, index -> new ReentrantLock());
    }

    public Hold hold(long bucketId, ObjectKey key) {
        return hold(stripe(bucketId, key.value()));
    }

    /** As {@link #hold}; what it returns ends that. */
    public Runnable holding(long bucketId, ObjectKey key) {
        return hold(bucketId, key)::close;
    }

    /** Holds one part of an upload. */
    public Hold holdPart(long uploadNumber, int part) {
        return hold(stripe(uploadNumber, part));
    }

    /** The stripe of a key, for {@link #holdAll}. */
    public static int stripe(long id, Object within) {
        int hash = Long.hashCode(id) * 31 + within.hashCode();
        hash = (hash ^ (hash >>> 16)) * 0x85EBCA6B;
        hash = (hash ^ (hash >>> 13)) * 0xC2B2AE35;
        return Math.floorMod(hash ^ (hash >>> 16), STRIPES);
    }

    /** Holds several stripes, named in any order and more than once if need be. */
    public Hold holdAll(int... wanted) {
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

    private Hold hold(int stripe) {
        ReentrantLock lock = stripes[stripe];
        lock.lock();
        return lock::unlock;
    }
}
