package io.volute.server.s3.call;

import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.storage.CubeUnavailableException;
import io.volute.versioning.StoreException;
import java.util.Map;
import java.util.TreeMap;

/** The S3 error of each refusal of the layers below. */
public final class StoreErrors {
    private StoreErrors() {}

    public static S3Error of(StoreException.Reason reason) {
        return switch (reason) {
            case NO_SUCH_BUCKET -> S3Error.NO_SUCH_BUCKET;
            case BUCKET_OWNED_BY_CALLER -> S3Error.BUCKET_ALREADY_OWNED_BY_YOU;
            case BUCKET_OWNED_BY_OTHER -> S3Error.BUCKET_ALREADY_EXISTS;
            case BUCKET_NOT_EMPTY -> S3Error.BUCKET_NOT_EMPTY;
            case TOO_MANY_BUCKETS -> S3Error.TOO_MANY_BUCKETS;
            case NO_SUCH_KEY, CONDITION_ON_MISSING_KEY -> S3Error.NO_SUCH_KEY;
            case NO_SUCH_VERSION -> S3Error.NO_SUCH_VERSION;
            case IS_DELETE_MARKER -> S3Error.METHOD_NOT_ALLOWED;
            case PRECONDITION_FAILED -> S3Error.PRECONDITION_FAILED;
            case CONDITIONAL_CONFLICT -> S3Error.CONDITIONAL_REQUEST_CONFLICT;
            case NO_SUCH_UPLOAD -> S3Error.NO_SUCH_UPLOAD;
            case INVALID_PART -> S3Error.INVALID_PART;
            case INVALID_PART_ORDER -> S3Error.INVALID_PART_ORDER;
            case PART_TOO_SMALL -> S3Error.ENTITY_TOO_SMALL;
            case OBJECT_TOO_LARGE -> S3Error.ENTITY_TOO_LARGE;
            case INVALID_ARGUMENT -> S3Error.INVALID_ARGUMENT;
            case LOCKED -> S3Error.OBJECT_LOCKED;
            case NO_OBJECT_LOCK -> S3Error.NO_OBJECT_LOCK;
            case RETENTION_OVER -> S3Error.RETENTION_OVER;
            case NOT_VERSIONED -> S3Error.LOCK_NEEDS_VERSIONING;
            case STAYS_VERSIONED -> S3Error.BUCKET_STAYS_VERSIONED;
            case TEXTS_TOO_LONG -> S3Error.MAX_MESSAGE_LENGTH_EXCEEDED;
            case BAD_STATEMENT -> S3Error.ACCESS_DENIED;
        };
    }

    private static boolean isExplained(StoreException.Reason reason) {
        return reason == StoreException.Reason.BAD_STATEMENT
                || reason == StoreException.Reason.TEXTS_TOO_LONG;
    }

    /** Returns the error of a refusal, with the reason where S3's words do not give it. */
    public static S3Exception of(StoreException e) {
        S3Error error = of(e.reason());
        S3Exception told =
                isExplained(e.reason())
                        ? new S3Exception(error, e.getMessage())
                        : new S3Exception(error);
        for (Map.Entry<String, String> detail : new TreeMap<>(e.details()).entrySet()) {
            told = told.with(detail.getKey(), detail.getValue());
        }
        return told;
    }

    /** The operator finds the sizes in the log of the server. */
    private static String full(CubeUnavailableException.Limit limit) {
        String next =
                " Reads and deletes go on. Delete data that is not needed, or ask the operator to ";
        return switch (limit) {
            case CAPACITY ->
                    " is full by its setting log.capacity; the disk has room."
                            + next
                            + "raise log.capacity.";
            case DISK -> " is full: its disk has no room left." + next + "add disk space.";
            case OTHER ->
                    " has no space left for this request."
                            + next
                            + "look at the log of the server, which names the limit.";
        };
    }

    /** Returns the error for a cube that refuses; it names the cube where there are several. */
    public static S3Exception of(CubeUnavailableException e) {
        String which = e.cube().map(name -> "The cube " + name).orElse("The store");
        return switch (e.reason()) {
            case READ_ONLY ->
                    new S3Exception(
                            S3Error.SERVICE_UNAVAILABLE,
                            which
                                    + " takes no writes until its disk is mended and "
                                    + (e.cube().isPresent() ? "it is opened" : "the server started")
                                    + " again.");
            case FULL -> new S3Exception(S3Error.INSUFFICIENT_STORAGE, which + full(e.limit()));
            case BUSY -> new S3Exception(S3Error.SLOW_DOWN);
            case CLOSED ->
                    new S3Exception(
                            S3Error.SERVICE_UNAVAILABLE,
                            e.cube().isPresent()
                                    ? which + " is being closed."
                                    : "The server is shutting down.");
            case NOT_OPEN ->
                    new S3Exception(
                            S3Error.SERVICE_UNAVAILABLE,
                            which + " of this bucket is not open. Other buckets are served.");
        };
    }
}
