package io.volute.versioning;

import io.volute.versioning.value.BucketName;
import java.util.Map;

/** The refusal of a request by the object store, with a reason for the caller. */
public final class StoreException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The reason of a refusal. The server maps each to one S3 error. */
    public enum Reason {
        NO_SUCH_BUCKET,
        BUCKET_OWNED_BY_CALLER,
        BUCKET_OWNED_BY_OTHER,
        BUCKET_NOT_EMPTY,
        TOO_MANY_BUCKETS,
        NO_SUCH_KEY,
        NO_SUCH_VERSION,
        /** The selected version is a delete marker. */
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
        /** The principal's own signature is not valid, or not for this change. */
        BAD_STATEMENT,
        /** The version is locked. */
        LOCKED,
        /** A lock was requested in a bucket without Object Lock. */
        NO_OBJECT_LOCK,
        /** The requested retention is in the past. */
        RETENTION_OVER,
        /** Object Lock needs a bucket whose versioning is enabled. */
        NOT_VERSIONED,
        /** Versioning stays enabled in a bucket with Object Lock. */
        STAYS_VERSIONED,
        /** The policy and the configurations of a bucket are too long together. */
        TEXTS_TOO_LONG,
        INVALID_ARGUMENT
    }

    private final Reason reason;
    private final transient Map<String, String> details;

    public StoreException(Reason reason, String message) {
        this(reason, message, Map.of());
    }

    /**
     * @param details what the caller needs to mend the request, by the names of S3's errors
     */
    public StoreException(Reason reason, String message, Map<String, String> details) {
        super(message);
        this.reason = reason;
        this.details = details;
    }

    /** Returns the refusal for a missing bucket. */
    public static StoreException noSuchBucket(BucketName name) {
        return new StoreException(Reason.NO_SUCH_BUCKET, "no bucket " + name.value());
    }

    public Reason reason() {
        return reason;
    }

    /** Returns facts for the caller, by the names of S3's errors. */
    public Map<String, String> details() {
        return details;
    }
}
