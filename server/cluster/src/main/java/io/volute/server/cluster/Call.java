package io.volute.server.cluster;

import io.volute.versioning.value.BucketName;

/**
 * What a request is about, as far as its place depends on it. A node parses each request once, and
 * finds the place of the same value again when cubes move. Immutable.
 */
sealed interface Call {
    /**
     * A request that names no cube, or creates a bucket. Also one that cannot be parsed, because
     * the owner of the store answers with the error.
     */
    record OfStore() implements Call {}

    /** A request of the admin API in one cube. */
    record OfCube(String cube) implements Call {}

    /** A request of the admin API about a restore. */
    record OfRestore(String id) implements Call {}

    /**
     * A request of a bucket or of its objects, or of the admin API about them.
     *
     * @param isDeletedToo whether it also means the last bucket that had the name
     */
    record OfBucket(BucketName bucket, boolean isDeletedToo) implements Call {}

    /**
     * The deletion of a bucket.
     *
     * @param isDeletedToo as for {@link OfBucket}; the owner of the cube answers with the error
     */
    record DeleteBucket(BucketName bucket, boolean isDeletedToo) implements Call {}
}
