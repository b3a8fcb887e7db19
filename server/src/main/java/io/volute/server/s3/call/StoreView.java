package io.volute.server.s3.call;

import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.versioning.ObjectReader;
import io.volute.versioning.ObjectStore;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.value.BucketAlias;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketName;
import java.io.IOException;
import java.time.Instant;
import java.util.Optional;

/**
 * The store at the moment that a request means.
 *
 * @param present the store as it is
 * @param seen as it was at that moment, or the present
 */
public record StoreView(ObjectReader present, ObjectReader seen) {

    /**
     * @param moment empty for the present
     * @throws S3Exception InvalidArgument for a moment that is not over
     */
    public static StoreView of(ObjectStore store, Optional<Instant> moment) throws IOException {
        // The present bucket of the name can be in a cube of another node.
        ObjectReader present = moment.isPresent() ? store.sources(Optional.empty()) : store;
        return of(present, at -> store.asOf(at.orElseThrow()), moment);
    }

    /**
     * Returns the view of sources of copies, which are in cubes of any node.
     *
     * @param moment as for {@link #of}
     */
    public static StoreView ofSources(ObjectStore store, Optional<Instant> moment)
            throws IOException {
        return of(store.sources(Optional.empty()), store::sources, moment);
    }

    /** Returns the reader of a moment. */
    @FunctionalInterface
    private interface Moments {
        ObjectReader at(Optional<Instant> moment) throws IOException;
    }

    private static StoreView of(ObjectReader present, Moments moments, Optional<Instant> moment)
            throws IOException {
        if (moment.isEmpty()) {
            return new StoreView(present, present);
        }
        try {
            return new StoreView(present, moments.at(moment));
        } catch (StoreException e) {
            throw e.reason() == Reason.INVALID_ARGUMENT
                    ? new S3Exception(S3Error.INVALID_ARGUMENT, e.getMessage())
                    : e;
        }
    }

    public boolean isPast() {
        return seen != present;
    }

    /**
     * A bucket as it was at that moment.
     *
     * @param written its name or alias, as the client wrote it
     */
    public BucketInfo bucket(String written) {
        String plain = BucketAlias.bucketOf(written);
        if (!BucketName.isValid(plain)) {
            throw missing(S3Error.INVALID_BUCKET_NAME, written);
        }
        return seen.bucket(new BucketName(plain))
                .orElseThrow(() -> missing(S3Error.NO_SUCH_BUCKET, written));
    }

    /** Explains how the past of a bucket is named where a client seems to mean it. */
    private S3Exception missing(S3Error error, String written) {
        Optional<BucketAlias> alias = BucketAlias.parse(written);
        String message = error.message();
        if (alias.isPresent()) {
            message =
                    "There was no bucket "
                            + alias.get().bucket()
                            + " at "
                            + alias.get().instant()
                            + ".";
        } else if (isPast()) {
            message = "There was no bucket " + written + " at that time.";
        } else if (BucketAlias.isNearly(written)) {
            message +=
                    ". The past of a bucket has a name such as BUCKET--at-20261120t140500z: date,"
                            + " time to the second, in UTC and in lower case.";
        }
        return new S3Exception(error, message).with("BucketName", written);
    }

    /**
     * A bucket of the past as it is now; empty in the present, and when it is gone. A bucket of the
     * same name that was made later is another one.
     */
    public Optional<BucketInfo> now(BucketInfo then) {
        return isPast()
                ? present.bucket(then.name()).filter(now -> now.id() == then.id())
                : Optional.empty();
    }
}
