package io.volute.versioning;

import io.volute.storage.Cube;
import java.time.InstantSource;
import java.util.random.RandomGenerator;

/**
 * Everything an object store needs to open.
 *
 * @param cube opened with {@link ObjectStores#families}
 * @param clock of modification times; their order means nothing to the store
 * @param random thread-safe source of the unguessable part of upload ids
 */
public record StoreOptions(Cube cube, InstantSource clock, RandomGenerator random, Limits limits) {

    /** With S3's limits. */
    public static StoreOptions defaults(Cube cube, InstantSource clock, RandomGenerator random) {
        return new StoreOptions(cube, clock, random, Limits.S3);
    }

    /**
     * @param bucketsMax buckets in the store
     * @param partBytesMin least bytes of a part that is not the last
     * @param partBytesMax most bytes of a part or of a single put
     * @param objectBytesMax most bytes of an object
     */
    public record Limits(
            int bucketsMax, long partBytesMin, long partBytesMax, long objectBytesMax) {
        /** Most parts of an upload, and their greatest number. */
        public static final int PARTS_MAX = 10_000;

        /** Most entries of a page. */
        public static final int PAGE_ENTRIES_MAX = 1000;

        /** Most keys that one call deletes. */
        public static final int DELETE_KEYS_MAX = 1000;

        /** S3 User Guide, "multipart upload limits" and "bucket quotas, limitations". */
        public static final Limits S3 = new Limits(10_000, 5L << 20, 5L << 30, 5L << 40);
    }
}
