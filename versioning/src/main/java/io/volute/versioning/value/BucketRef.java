package io.volute.versioning.value;

/**
 * The bucket that a call means. {@link BucketInfo} means that very bucket: once it is deleted, the
 * call finds no bucket, even if a later one has its name. {@link BucketName} means whichever bucket
 * has the name when the call begins.
 *
 * <p>A server passes the {@link BucketInfo} that it decided about, so a decision never reaches
 * another bucket. A bucket that moves to another cube keeps its id. Immutable.
 */
public sealed interface BucketRef permits BucketName, BucketInfo {
    /** Returns the name of the bucket. */
    BucketName name();

    /** Returns whether a bucket of this name is meant. */
    boolean means(long bucketId);
}
