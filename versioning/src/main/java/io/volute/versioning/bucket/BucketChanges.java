package io.volute.versioning.bucket;

import io.volute.versioning.BucketSettings;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.state.BucketEntry;
import io.volute.versioning.state.Resolution;
import io.volute.versioning.state.ScopedHold;
import io.volute.versioning.value.BucketAccess;
import io.volute.versioning.value.BucketDocument;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.BucketLock;
import io.volute.versioning.value.BucketRef;
import io.volute.versioning.value.HiddenFields;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** The changes of the settings of buckets in one cube. Thread-safe. */
public final class BucketChanges implements BucketSettings {
    private final Function<BucketRef, BucketEntry> entries;
    private final BucketWrites writes;
    private final BucketRows rows;
    private final PastExactness exactness;

    /**
     * Creates the changes.
     *
     * @param entries returns a present bucket, or throws NO_SUCH_BUCKET
     */
    BucketChanges(
            Function<BucketRef, BucketEntry> entries,
            BucketWrites writes,
            BucketRows rows,
            PastExactness exactness) {
        this.entries = entries;
        this.writes = writes;
        this.rows = rows;
        this.exactness = exactness;
    }

    public void setVersioning(BucketRef bucket, VersioningState state) throws IOException {
        change(
                bucket,
                info -> {
                    if (info.versioning() == state) {
                        return info;
                    }
                    if (state == VersioningState.UNVERSIONED) {
                        throw new StoreException(
                                Reason.INVALID_ARGUMENT,
                                "a bucket that was versioned can only be suspended");
                    }
                    if (info.lock().isPresent()) {
                        throw new StoreException(
                                Reason.STAYS_VERSIONED,
                                "a bucket with Object Lock stays versioned");
                    }
                    return info.with(state);
                });
    }

    public void setObjectLock(BucketRef bucket, BucketLock lock) throws IOException {
        change(
                bucket,
                info -> {
                    if (info.versioning() != VersioningState.ENABLED) {
                        throw new StoreException(
                                Reason.NOT_VERSIONED, "Object Lock needs versioning");
                    }
                    return info.with(lock);
                });
    }

    public void setHistory(BucketRef bucket, HistoryPolicy history) throws IOException {
        change(bucket, info -> info.with(history));
    }

    @Override
    public void setAccess(BucketRef bucket, UnaryOperator<BucketAccess> change) throws IOException {
        change(bucket, info -> info.with(change.apply(info.access())));
    }

    @Override
    public void setDocuments(BucketRef bucket, Map<BucketDocument, Optional<String>> contents)
            throws IOException {
        change(
                bucket,
                info -> {
                    BucketInfo changed = info;
                    for (Map.Entry<BucketDocument, Optional<String>> each : contents.entrySet()) {
                        changed = changed.with(each.getKey(), each.getValue());
                    }
                    return changed;
                });
    }

    @Override
    public void setHidden(BucketRef bucket, Optional<HiddenFields> hidden) throws IOException {
        change(bucket, info -> info.with(hidden), writes::replaceHidden);
    }

    /** Commits a change of a bucket. */
    private interface Committing {
        void commit(BucketInfo changed) throws IOException;
    }

    @Override
    public void setResolution(BucketRef bucket, Optional<Duration> resolution) throws IOException {
        change(bucket, info -> info.withResolution(resolution));
    }

    @Override
    public Duration resolution(BucketInfo bucket) {
        return Duration.ofMillis(Resolution.of(bucket, exactness.resolution()).millis());
    }

    @Override
    public boolean isExact(BucketInfo bucket, Instant instant) {
        return exactness.isExact(bucket, instant);
    }

    private void change(BucketRef bucket, UnaryOperator<BucketInfo> change) throws IOException {
        change(bucket, change, writes::replace);
    }

    private void change(BucketRef bucket, UnaryOperator<BucketInfo> change, Committing committing)
            throws IOException {
        BucketEntry entry = entries.apply(bucket);
        try (ScopedHold excluded = entry.exclude()) {
            BucketInfo changed = change.apply(entry.info());
            if (!entry.info().equals(changed)) {
                rows.requireFit(entry.info().textBytes(), changed);
                committing.commit(changed);
                // The texts of the row, not those of the request, which would stay in the heap.
                entry.replaceInfo(rows.present(entry.info().name()).orElseThrow());
            }
        }
    }

    /** Makes the settings of a part of a bucket those of the bucket in its home cube. */
    public void follow(BucketInfo home) throws IOException {
        BucketInfo own = entries.apply(home).info();
        boolean isSame = own.hidden().equals(home.hidden());
        change(home, info -> home, isSame ? writes::replace : writes::replaceHidden);
    }
}
