package io.volute.versioning.value;

import io.volute.versioning.StoreOptions;
import io.volute.versioning.causality.HistoryPolicy;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/**
 * A bucket with its settings. Immutable.
 *
 * @param id unique, also among deleted buckets
 * @param owner principal of the owner
 * @param history policy for overwritten and deleted states
 * @param access access settings for others than the owner
 * @param hidden hidden fields of entries about its keys; empty for the store's default
 * @param lock Object Lock of the bucket; empty when versions cannot be locked
 * @param resolution see {@link StoreOptions.HistorySettings}; empty for the store's default
 * @param documents its configuration documents
 */
public record BucketInfo(
        long id,
        BucketName name,
        String owner,
        Instant created,
        VersioningState versioning,
        HistoryPolicy history,
        BucketAccess access,
        Optional<HiddenFields> hidden,
        Optional<BucketLock> lock,
        Optional<Duration> resolution,
        Map<BucketDocument, String> documents)
        implements BucketRef {

    public BucketInfo {
        documents = Map.copyOf(documents);
    }

    /** Creates a bucket that only its owner may use, with the store's defaults. */
    public BucketInfo(
            long id,
            BucketName name,
            String owner,
            Instant created,
            VersioningState versioning,
            HistoryPolicy history) {
        this(
                id,
                name,
                owner,
                created,
                versioning,
                history,
                BucketAccess.NONE,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Map.of());
    }

    /** The three versioning states of S3. */
    public enum VersioningState {
        UNVERSIONED,
        ENABLED,
        SUSPENDED
    }

    @Override
    public boolean means(long bucketId) {
        return id == bucketId;
    }

    /** Returns the same bucket with another versioning state. */
    public BucketInfo with(VersioningState state) {
        return with(state, history, access, hidden, lock, resolution, documents);
    }

    /** Returns the same bucket with another history policy. */
    public BucketInfo with(HistoryPolicy policy) {
        return with(versioning, policy, access, hidden, lock, resolution, documents);
    }

    /** Returns the same bucket with other access settings. */
    public BucketInfo with(BucketAccess other) {
        return with(versioning, history, other, hidden, lock, resolution, documents);
    }

    /** Returns the same bucket with other hidden fields. */
    public BucketInfo with(Optional<HiddenFields> other) {
        return with(versioning, history, access, other, lock, resolution, documents);
    }

    /** Returns the same bucket with Object Lock. */
    public BucketInfo with(BucketLock other) {
        return with(versioning, history, access, hidden, Optional.of(other), resolution, documents);
    }

    /** Returns the same bucket with another resolution of its past. */
    public BucketInfo withResolution(Optional<Duration> other) {
        return with(versioning, history, access, hidden, lock, other, documents);
    }

    /**
     * Returns the same bucket with another document.
     *
     * @param content empty to remove the document
     */
    public BucketInfo with(BucketDocument document, Optional<String> content) {
        Map<BucketDocument, String> all = new EnumMap<>(BucketDocument.class);
        all.putAll(documents);
        content.ifPresentOrElse(text -> all.put(document, text), () -> all.remove(document));
        return with(all);
    }

    /** Returns the same bucket with these documents alone. */
    public BucketInfo with(Map<BucketDocument, String> all) {
        return with(versioning, history, access, hidden, lock, resolution, all);
    }

    /** Returns a document of the bucket. */
    public Optional<String> document(BucketDocument document) {
        return Optional.ofNullable(documents.get(document));
    }

    private BucketInfo with(
            VersioningState state,
            HistoryPolicy policy,
            BucketAccess rights,
            Optional<HiddenFields> fields,
            Optional<BucketLock> locking,
            Optional<Duration> exactness,
            Map<BucketDocument, String> texts) {
        return new BucketInfo(
                id, name, owner, created, state, policy, rights, fields, locking, exactness, texts);
    }
}
