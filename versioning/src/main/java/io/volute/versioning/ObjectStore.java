package io.volute.versioning;

import io.volute.storage.BlobWriter;
import io.volute.storage.PendingBlob;
import io.volute.versioning.Listing.PartInfo;
import io.volute.versioning.Listing.UploadInfo;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.value.BodyHash;
import io.volute.versioning.value.BucketDocument;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketInfo.VersioningState;
import io.volute.versioning.value.BucketLock;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.BucketRef;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.MetadataChange;
import io.volute.versioning.value.ObjectAttributes;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectLock;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.value.WriteCondition;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Buckets, keys, versions and uploads with S3's semantics: strong read-after-write and
 * list-after-write. Conditional writes have exactly one winner, and acknowledged writes are
 * durable.
 *
 * <p>Methods block (call them on virtual threads) and are thread-safe. They throw {@link
 * StoreException} for requests that S3 refuses and {@link IOException} for storage faults ({@link
 * io.volute.storage.DamagedException}, {@link io.volute.storage.CubeUnavailableException}).
 */
public interface ObjectStore extends ObjectReader, AutoCloseable {

    // ---- buckets

    /** Returns whether another node of a cluster has the cube of a bucket. */
    default boolean isElsewhere(BucketName bucket) {
        return false;
    }

    /**
     * Returns the reader of sources of copies. It also has the buckets in cubes of other nodes,
     * with every commit that was acknowledged before this call.
     *
     * @param at an instant that is over; empty for the present
     * @throws StoreException INVALID_ARGUMENT for an instant that is not over
     */
    default ObjectReader sources(Optional<Instant> at) throws IOException {
        return at.isPresent() ? asOf(at.get()) : this;
    }

    /** Creates a bucket without Object Lock. */
    default BucketInfo createBucket(Caller caller, BucketName name) throws IOException {
        return createBucket(caller, name, false);
    }

    /** Creates a bucket without configuration. */
    default BucketInfo createBucket(Caller caller, BucketName name, boolean locking)
            throws IOException {
        return createBucket(caller, name, locking, Map.of());
    }

    /**
     * Creates a bucket.
     *
     * @param locking whether it has Object Lock, and so is versioned, from the beginning
     * @param documents its configuration from the beginning
     * @throws StoreException BUCKET_OWNED_BY_CALLER, BUCKET_OWNED_BY_OTHER or TOO_MANY_BUCKETS
     */
    BucketInfo createBucket(
            Caller caller, BucketName name, boolean locking, Map<BucketDocument, String> documents)
            throws IOException;

    /**
     * Deletes an empty bucket, and aborts its uploads in progress.
     *
     * @throws StoreException NO_SUCH_BUCKET or BUCKET_NOT_EMPTY
     */
    void deleteBucket(Caller caller, BucketRef bucket) throws IOException;

    /**
     * Sets the versioning state of a bucket.
     *
     * @throws StoreException STAYS_VERSIONED for a bucket with Object Lock; INVALID_ARGUMENT for a
     *     return to the unversioned state
     */
    void setVersioning(Caller caller, BucketRef bucket, VersioningState state) throws IOException;

    /**
     * Gives a bucket Object Lock permanently, or changes its default retention.
     *
     * @throws StoreException NOT_VERSIONED unless versioning is enabled
     */
    void setObjectLock(Caller caller, BucketRef bucket, BucketLock lock) throws IOException;

    /** Sets the policy for states replaced from now on. Kept states stay. */
    void setHistoryPolicy(Caller caller, BucketRef bucket, HistoryPolicy policy) throws IOException;

    // ---- objects

    /**
     * Begins a body. Finish it and pass the result to a put or part.
     *
     * @param expectedBytes announced length, if known
     */
    default BlobWriter newBody(BucketRef bucket, ObjectKey key, OptionalLong expectedBytes)
            throws IOException {
        return newBody(bucket, key, expectedBytes, BodyHash.UNKNOWN);
    }

    /**
     * Begins a body.
     *
     * @param key key of the object: the body is in the cube that has it
     * @param hash its hash, as far as the caller has it
     * @throws StoreException OBJECT_TOO_LARGE
     */
    BlobWriter newBody(BucketRef bucket, ObjectKey key, OptionalLong expectedBytes, BodyHash hash)
            throws IOException;

    /**
     * Adds a version with a finished body. A lock among the attributes replaces the bucket's
     * default retention. Closes the body whether it succeeds or not.
     *
     * @throws StoreException CONDITION_ON_MISSING_KEY for {@code If-Match} on a key without a
     *     current object; PRECONDITION_FAILED for other conditions; NO_OBJECT_LOCK or
     *     RETENTION_OVER for a wrong lock
     */
    ObjectVersion put(
            Caller caller,
            BucketRef bucket,
            ObjectKey key,
            PendingBlob body,
            ObjectAttributes attributes,
            WriteCondition condition)
            throws IOException;

    /**
     * The effect of a delete.
     *
     * @param version the removed version, as in listings, or the new delete marker; empty when
     *     there was none
     * @param markerCreated whether a delete marker was made
     * @param markerRemoved whether the removed version was a delete marker
     */
    record DeleteResult(
            Optional<ObjectVersion> version, boolean markerCreated, boolean markerRemoved) {}

    /**
     * Deletes as S3 does. Without a version: adds a delete marker, or removes the object in a
     * bucket that never was versioned. With a version: removes it, if it exists. The condition
     * applies to the selected version.
     *
     * @throws StoreException LOCKED when the lock of the version forbids its removal
     */
    DeleteResult delete(Caller caller, BucketRef bucket, DeleteTarget target) throws IOException;

    /**
     * Deletes as {@link #delete(Caller, BucketRef, DeleteTarget)} does, without bypassing
     * governance.
     */
    default DeleteResult delete(
            Caller caller,
            BucketRef bucket,
            ObjectKey key,
            VersionSelector selector,
            WriteCondition condition)
            throws IOException {
        return delete(caller, bucket, new DeleteTarget(key, selector, condition));
    }

    /**
     * A version to delete.
     *
     * @param bypassGovernance whether to ignore a governance lock; the caller must have that right
     */
    record DeleteTarget(
            ObjectKey key,
            VersionSelector selector,
            WriteCondition condition,
            boolean bypassGovernance) {
        /** Creates a target without bypassing governance. */
        public DeleteTarget(ObjectKey key, VersionSelector selector, WriteCondition condition) {
            this(key, selector, condition, false);
        }
    }

    /** The outcome for one target: a result or a refusal. */
    sealed interface DeleteOutcome {
        record Deleted(DeleteResult result) implements DeleteOutcome {}

        record Refused(StoreException reason) implements DeleteOutcome {}
    }

    /**
     * Deletes up to 1000 versions, in one commit if it fits.
     *
     * @return the outcomes, in the order of the targets
     */
    List<DeleteOutcome> deleteAll(Caller caller, BucketRef bucket, List<DeleteTarget> targets)
            throws IOException;

    /**
     * The source of a copy.
     *
     * @param at instant in the past to copy from; empty for the present
     */
    record Source(BucketRef bucket, ObjectKey key, VersionSelector selector, Optional<Instant> at) {
        /** Creates a source in the present. */
        public Source(BucketRef bucket, ObjectKey key, VersionSelector selector) {
            this(bucket, key, selector, Optional.empty());
        }
    }

    record CopyResult(ObjectVersion source, ObjectVersion target) {}

    /**
     * Copies without moving bytes, also from the past. The target is a multipart object if it keeps
     * the ETag of one.
     *
     * @param sourceCheck receives the source before any change and may throw
     * @param attributes computes the target's attributes from the source; the lock is that of a new
     *     version, as in {@link #put}
     * @throws StoreException for a delete marker as source: IS_DELETE_MARKER if the version was
     *     selected, else NO_SUCH_KEY
     */
    CopyResult copy(
            Caller caller,
            Source source,
            BucketRef bucket,
            ObjectKey key,
            Consumer<ObjectVersion> sourceCheck,
            Function<ObjectVersion, ObjectAttributes> attributes,
            WriteCondition condition)
            throws IOException;

    /**
     * Changes tags or ACL of a version in place.
     *
     * @return the changed version
     * @throws StoreException IS_DELETE_MARKER for a delete marker
     */
    ObjectVersion setMetadata(
            Caller caller,
            BucketRef bucket,
            ObjectKey key,
            VersionSelector selector,
            MetadataChange change)
            throws IOException;

    /** Replaces the tags of a version in place; an empty map removes them. */
    default ObjectVersion setTags(
            Caller caller,
            BucketRef bucket,
            ObjectKey key,
            VersionSelector selector,
            Map<String, String> tags)
            throws IOException {
        return setMetadata(caller, bucket, key, selector, new MetadataChange.Tags(tags));
    }

    /**
     * Changes the lock of a version in place.
     *
     * @return the changed version
     * @throws StoreException LOCKED when the present retention forbids the change; RETENTION_OVER
     *     for a retention in the past; NO_OBJECT_LOCK in a bucket without Object Lock;
     *     IS_DELETE_MARKER for a delete marker
     */
    ObjectVersion setLock(
            Caller caller,
            BucketRef bucket,
            ObjectKey key,
            VersionSelector selector,
            ObjectLock.Change change)
            throws IOException;

    // ---- multipart uploads

    /**
     * Begins a multipart upload. The lock among the attributes applies to the object from its
     * completion on.
     */
    UploadInfo createUpload(
            Caller caller, BucketRef bucket, ObjectKey key, ObjectAttributes attributes)
            throws IOException;

    /** Adds or replaces a part. Closes the body whether it succeeds or not. */
    PartInfo putPart(
            Caller caller,
            BucketRef bucket,
            ObjectKey key,
            String uploadId,
            PartInfo part,
            PendingBlob body)
            throws IOException;

    /** A part that the client selects for the object. */
    record PartChoice(int number, String etag, Optional<ObjectAttributes.Checksum> checksum) {}

    /** Computes the attributes of the object from the chosen parts. */
    interface Completion {
        ObjectAttributes attributes(UploadInfo upload, List<PartInfo> chosen);
    }

    /**
     * Makes an object of the chosen parts, in one commit, without moving bytes. The parts must
     * exist with these ETags (and checksums, when given), ascend, and have at least 5 MiB, except
     * the last. A repeated completion with the same parts returns the same version while it is the
     * current one.
     *
     * @throws StoreException NO_SUCH_UPLOAD, INVALID_PART, INVALID_PART_ORDER, PART_TOO_SMALL,
     *     OBJECT_TOO_LARGE, or as for {@link #put}
     */
    ObjectVersion completeUpload(
            Caller caller,
            BucketRef bucket,
            ObjectKey key,
            String uploadId,
            List<PartChoice> choices,
            Completion completion,
            WriteCondition condition)
            throws IOException;

    void abortUpload(Caller caller, BucketRef bucket, ObjectKey key, String uploadId)
            throws IOException;

    // ---- the past

    /**
     * Returns the store as it was at an instant, to the millisecond: all commits until then, in
     * commit order. It has no uploads. Its content is constant while the history that it needs is
     * kept. Of states that were written again within one causal version it shows the last, and
     * marks it ({@link ObjectVersion#writtenLater}).
     *
     * @throws StoreException INVALID_ARGUMENT for an instant that is not over
     */
    ObjectReader asOf(Instant instant) throws IOException;

    @Override
    void close() throws IOException;
}
