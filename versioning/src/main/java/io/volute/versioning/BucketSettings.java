package io.volute.versioning;

import io.volute.versioning.value.BucketAccess;
import io.volute.versioning.value.BucketDocument;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketRef;
import io.volute.versioning.value.HiddenFields;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** The settings of buckets that do not affect their content. Thread-safe. */
public interface BucketSettings {

    /**
     * Changes the access settings of a bucket; durable when it returns. The earlier settings stay
     * available for reads of the past.
     *
     * @param change receives the present settings; called once. If it throws, nothing changes
     * @throws StoreException NO_SUCH_BUCKET
     */
    void setAccess(BucketRef bucket, UnaryOperator<BucketAccess> change) throws IOException;

    /**
     * Sets or removes a configuration document of a bucket; durable when it returns. The earlier
     * document stays available for reads of the past.
     *
     * @param content empty to remove the document
     * @throws StoreException NO_SUCH_BUCKET
     */
    default void setDocument(BucketRef bucket, BucketDocument document, Optional<String> content)
            throws IOException {
        setDocuments(bucket, Map.of(document, content));
    }

    /**
     * Sets or removes configuration documents of a bucket together, as {@link #setDocument} does.
     */
    void setDocuments(BucketRef bucket, Map<BucketDocument, Optional<String>> contents)
            throws IOException;

    /**
     * Sets the hidden fields of new entries about the bucket's keys; durable when it returns.
     *
     * @param hidden empty for the store's default
     * @throws StoreException NO_SUCH_BUCKET
     */
    void setHidden(BucketRef bucket, Optional<HiddenFields> hidden) throws IOException;

    /**
     * Sets the distance of the instants at which the future past of a bucket is exact; durable when
     * it returns.
     *
     * @param resolution whole milliseconds, see {@link StoreOptions.HistorySettings}; empty for the
     *     store's default
     * @throws StoreException NO_SUCH_BUCKET
     */
    void setResolution(BucketRef bucket, Optional<Duration> resolution) throws IOException;

    /**
     * Returns the resolution of the past of a bucket under its policy; zero if the policy alone
     * decides.
     */
    Duration resolution(BucketInfo bucket);

    /**
     * Returns whether the past of a bucket is exact at an instant, apart from states that {@link
     * History#purge} and the bounds of the history have removed since.
     */
    boolean isExact(BucketInfo bucket, Instant instant);
}
