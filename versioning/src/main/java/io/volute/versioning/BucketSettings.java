package io.volute.versioning;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Settings of buckets that change nothing in what lies in them. Thread-safe. */
public interface BucketSettings {

    /**
     * Changes who may do something with a bucket; durable when it returns. What it was stays known
     * to who looks at the past.
     *
     * @param change is given what holds, and called once; what it throws changes nothing
     * @throws StoreException NO_SUCH_BUCKET
     */
    void setAccess(BucketName bucket, UnaryOperator<BucketAccess> change) throws IOException;

    /**
     * Chooses what of the entries about its keys is hidden from here on; durable when it returns.
     *
     * @param hidden empty: what the store's options say
     * @throws StoreException NO_SUCH_BUCKET
     */
    void setHidden(BucketName bucket, Optional<HiddenFields> hidden) throws IOException;

    /**
     * Chooses at which instants the past of a bucket is exact from here on; durable when it
     * returns.
     *
     * @param resolution whole milliseconds, see {@link StoreOptions.HistorySettings}; empty: what
     *     the store's options say
     * @throws StoreException NO_SUCH_BUCKET
     */
    void setResolution(BucketName bucket, Optional<Duration> resolution) throws IOException;

    /**
     * The resolution of the past of a bucket under its policy; zero if the policy decides alone.
     */
    Duration resolution(BucketInfo bucket);

    /**
     * Whether the past of a bucket is exact at an instant, apart from what {@link History#purge}
     * and the bounds of the history have removed since.
     */
    boolean isExact(BucketInfo bucket, Instant instant);
}
