package io.volute.versioning;

/** A request that the object store refuses, with the reason as the caller must treat it. */
public final class StoreException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Why. The server maps each to one S3 error. */
    public enum Reason {
        NO_SUCH_BUCKET,
        BUCKET_OWNED_BY_CALLER,
        BUCKET_OWNED_BY_OTHER,
        BUCKET_NOT_EMPTY,
        TOO_MANY_BUCKETS,
        NO_SUCH_KEY,
        NO_SUCH_VERSION,
        /** The version named is a delete marker. */
        IS_DELETE_MARKER,
        PRECONDITION_FAILED,
        /** If-Match on a key that does not exist. */
        CONDITION_ON_MISSING_KEY,
        /** A concurrent write made the condition undecidable; the client may try again. */
        CONDITIONAL_CONFLICT,
        NO_SUCH_UPLOAD,
        INVALID_PART,
        INVALID_PART_ORDER,
        PART_TOO_SMALL,
        OBJECT_TOO_LARGE,
        /** The principal's own signature is not good, or not for this. */
        BAD_STATEMENT,
        /** The past is read-only. */
        PAST_IS_READ_ONLY,
        /** The version is locked. */
        LOCKED,
        /** A lock was asked for in a bucket without Object Lock. */
        NO_OBJECT_LOCK,
        /** A retention that would be over already. */
        RETENTION_OVER,
        /** Object Lock needs a bucket whose versioning is enabled. */
        NOT_VERSIONED,
        /** With Object Lock versioning stays enabled. */
        STAYS_VERSIONED,
        INVALID_ARGUMENT
    }

    private final Reason reason;

    public StoreException(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    /** There is no such bucket. */
    public static StoreException noSuchBucket(BucketName name) {
        return new StoreException(Reason.NO_SUCH_BUCKET, "no bucket " + name.value());
    }

    public Reason reason() {
        return reason;
    }
}
