package io.volute.versioning;

import io.volute.storage.BlobReader;
import io.volute.storage.BlobWriter;
import io.volute.storage.PendingBlob;
import io.volute.versioning.BucketInfo.VersioningState;
import io.volute.versioning.Listing.ObjectPage;
import io.volute.versioning.Listing.ObjectQuery;
import io.volute.versioning.Listing.PartInfo;
import io.volute.versioning.Listing.PartPage;
import io.volute.versioning.Listing.UploadInfo;
import io.volute.versioning.Listing.UploadPage;
import io.volute.versioning.Listing.UploadQuery;
import io.volute.versioning.Listing.VersionPage;
import io.volute.versioning.Listing.VersionQuery;
import io.volute.versioning.causality.HistoryPolicy;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Buckets, keys, versions and uploads with S3's semantics: strong read-after-write and
 * list-after-write; conditional writes have exactly one winner; what was acknowledged is durable.
 *
 * <p>Methods block (run them on virtual threads) and are thread-safe. They throw {@link
 * StoreException} for what S3 refuses and {@link IOException} for faults of the storage ({@link
 * io.volute.storage.DamagedException}, {@link io.volute.storage.CubeUnavailableException}).
 */
public interface ObjectStore extends AutoCloseable {

    // ---- buckets

    /** Without Object Lock. */
    default BucketInfo createBucket(Caller caller, BucketName name) throws IOException {
        return createBucket(caller, name, false);
    }

    /**
     * @param locking whether it has Object Lock, and so is versioned, from the beginning
     */
    BucketInfo createBucket(Caller caller, BucketName name, boolean locking) throws IOException;

    Optional<BucketInfo> bucket(BucketName name);

    /** Buckets by name; {@code after} is exclusive, empty for the beginning. */
    List<BucketInfo> listBuckets(Optional<String> owner, String prefix, String after, int max);

    void deleteBucket(Caller caller, BucketName name) throws IOException;

    /** Fails with STAYS_VERSIONED for a bucket with Object Lock. */
    void setVersioning(Caller caller, BucketName name, VersioningState state) throws IOException;

    /**
     * Gives a bucket Object Lock, which it has from then on, or other terms of it. Fails with
     * NOT_VERSIONED unless versioning is enabled.
     */
    void setObjectLock(Caller caller, BucketName name, BucketLock lock) throws IOException;

    /** Decides which states are kept from here on; what is kept already stays. */
    void setHistoryPolicy(Caller caller, BucketName name, HistoryPolicy policy) throws IOException;

    // ---- objects

    /** Begins a body; finish it and pass the result to a put or part. */
    default BlobWriter newBody(BucketName bucket, OptionalLong expectedBytes) throws IOException {
        return newBody(bucket, expectedBytes, Optional.empty());
    }

    /**
     * As {@link #newBody(BucketName, OptionalLong)}, of a body that need not be hashed once more.
     *
     * @param sha256 of the whole body: the caller verifies it before it finishes the writer
     */
    BlobWriter newBody(BucketName bucket, OptionalLong expectedBytes, Optional<byte[]> sha256)
            throws IOException;

    /**
     * Makes a version of a finished body. An {@code If-Match} on a key without a current object
     * fails with CONDITION_ON_MISSING_KEY, other conditions with PRECONDITION_FAILED. A lock among
     * the attributes takes the place of the bucket's default retention; it fails with
     * NO_OBJECT_LOCK or RETENTION_OVER. Closes the body whether it succeeds or not.
     */
    ObjectVersion put(
            Caller caller,
            BucketName bucket,
            ObjectKey key,
            PendingBlob body,
            ObjectAttributes attributes,
            WriteCondition condition)
            throws IOException;

    /** The version meant, delete markers included; empty when there is none. */
    Optional<ObjectVersion> head(
            Caller caller, BucketName bucket, ObjectKey key, VersionSelector selector)
            throws IOException;

    /**
     * Returns a version of this store with the attributes that are known of it last: those of now,
     * or those of its newest kept state when S3's clients cannot see it any more.
     *
     * @param version found in this store
     */
    default ObjectVersion lastKnown(BucketName bucket, ObjectVersion version) throws IOException {
        return version;
    }

    /**
     * An object held open for reading; delete markers cannot be opened.
     *
     * @param delivery to be run before the caller is given any of the content: what he writes from
     *     then on depends on it
     */
    record OpenObject(ObjectVersion version, BlobReader reader, Runnable delivery) {}

    /** As {@link #head}, with the bytes pinned; a delete marker fails with IS_DELETE_MARKER. */
    OpenObject open(Caller caller, BucketName bucket, ObjectKey key, VersionSelector selector)
            throws IOException;

    /**
     * What a delete did.
     *
     * @param version the version removed, as in listings, or the delete marker made; empty when
     *     nothing was there
     * @param markerCreated a delete marker was made
     * @param markerRemoved the version removed was a delete marker
     */
    record DeleteResult(
            Optional<ObjectVersion> version, boolean markerCreated, boolean markerRemoved) {}

    /**
     * Deletes as S3 does. Without a version named: makes a delete marker, or in a bucket that never
     * was versioned removes the object. With one: removes that version, if there is one; fails with
     * LOCKED when that must stay. The condition is decided on the version meant.
     */
    DeleteResult delete(Caller caller, BucketName bucket, DeleteTarget target) throws IOException;

    /** As {@link #delete(Caller, BucketName, DeleteTarget)}, of what is not locked. */
    default DeleteResult delete(
            Caller caller,
            BucketName bucket,
            ObjectKey key,
            VersionSelector selector,
            WriteCondition condition)
            throws IOException {
        return delete(caller, bucket, new DeleteTarget(key, selector, condition));
    }

    /**
     * @param bypassGovernance a lock by governance does not count: who asks has that right
     */
    record DeleteTarget(
            ObjectKey key,
            VersionSelector selector,
            WriteCondition condition,
            boolean bypassGovernance) {
        /** What is locked stays. */
        public DeleteTarget(ObjectKey key, VersionSelector selector, WriteCondition condition) {
            this(key, selector, condition, false);
        }
    }

    /** One target's outcome: a result or the refusal. */
    sealed interface DeleteOutcome {
        record Deleted(DeleteResult result) implements DeleteOutcome {}

        record Refused(StoreException reason) implements DeleteOutcome {}
    }

    /**
     * Deletes up to 1000 versions, in one commit when it fits; outcomes in the order of the
     * targets.
     */
    List<DeleteOutcome> deleteAll(Caller caller, BucketName bucket, List<DeleteTarget> targets)
            throws IOException;

    /**
     * The source of a copy.
     *
     * @param at the instant of the past that it is from; empty for the present
     */
    record Source(
            BucketName bucket, ObjectKey key, VersionSelector selector, Optional<Instant> at) {
        /** As it is now. */
        public Source(BucketName bucket, ObjectKey key, VersionSelector selector) {
            this(bucket, key, selector, Optional.empty());
        }
    }

    record CopyResult(ObjectVersion source, ObjectVersion target) {}

    /**
     * Copies without moving bytes, from the past as well. A delete marker as source fails with
     * IS_DELETE_MARKER when named by version, with NO_SUCH_KEY else. The target keeps the number of
     * parts when it keeps the ETag.
     *
     * @param sourceCheck sees the source before anything happens and may throw
     * @param attributes the target's, made from the source's; the lock is that of a new version, as
     *     in {@link #put}
     */
    CopyResult copy(
            Caller caller,
            Source source,
            BucketName bucket,
            ObjectKey key,
            Consumer<ObjectVersion> sourceCheck,
            Function<ObjectVersion, ObjectAttributes> attributes,
            WriteCondition condition)
            throws IOException;

    /**
     * Replaces the tags of a version in place; an empty map removes them. Returns the version.
     * Fails with IS_DELETE_MARKER for a delete marker.
     */
    ObjectVersion setTags(
            Caller caller,
            BucketName bucket,
            ObjectKey key,
            VersionSelector selector,
            Map<String, String> tags)
            throws IOException;

    /**
     * Changes the lock of a version in place. Returns the version. Fails with LOCKED when the
     * retention that it has may not give way, with RETENTION_OVER for one that would be over, with
     * NO_OBJECT_LOCK in a bucket without, with IS_DELETE_MARKER for a delete marker.
     */
    ObjectVersion setLock(
            Caller caller,
            BucketName bucket,
            ObjectKey key,
            VersionSelector selector,
            ObjectLock.Change change)
            throws IOException;

    /**
     * The parts of a multipart object in order, with the numbers they were uploaded under; empty
     * for others. Of an object held open use {@link ObjectStores#partsOf}.
     */
    List<PartInfo> parts(Caller caller, BucketName bucket, ObjectVersion version)
            throws IOException;

    // ---- listings

    ObjectPage listObjects(Caller caller, BucketName bucket, ObjectQuery query) throws IOException;

    VersionPage listVersions(Caller caller, BucketName bucket, VersionQuery query)
            throws IOException;

    // ---- multipart uploads

    /** The lock among the attributes is that of the object, from its completion on. */
    UploadInfo createUpload(
            Caller caller, BucketName bucket, ObjectKey key, ObjectAttributes attributes)
            throws IOException;

    /** Fails with NO_SUCH_UPLOAD when the id is unknown or belongs to another key. */
    UploadInfo upload(Caller caller, BucketName bucket, ObjectKey key, String uploadId);

    /** Adds or replaces a part. Closes the body whether it succeeds or not. */
    PartInfo putPart(
            Caller caller,
            BucketName bucket,
            ObjectKey key,
            String uploadId,
            PartInfo part,
            PendingBlob body)
            throws IOException;

    /** A part as the client names it on completion. */
    record PartChoice(int number, String etag, Optional<ObjectAttributes.Checksum> checksum) {}

    /** What the object will carry, computed from the chosen parts. */
    interface Completion {
        ObjectAttributes attributes(UploadInfo upload, List<PartInfo> chosen);
    }

    /**
     * Makes the object of the chosen parts, in one commit, without moving bytes. Checks that the
     * parts exist with these ETags (and checksums, when given), ascend, and are at least 5 MiB but
     * for the last. A repeated completion with the same parts returns the same version as long as
     * that is the current one.
     */
    ObjectVersion completeUpload(
            Caller caller,
            BucketName bucket,
            ObjectKey key,
            String uploadId,
            List<PartChoice> choices,
            Completion completion,
            WriteCondition condition)
            throws IOException;

    void abortUpload(Caller caller, BucketName bucket, ObjectKey key, String uploadId)
            throws IOException;

    PartPage listParts(
            Caller caller,
            BucketName bucket,
            ObjectKey key,
            String uploadId,
            OptionalInt afterPart,
            int max)
            throws IOException;

    UploadPage listUploads(Caller caller, BucketName bucket, UploadQuery query) throws IOException;

    // ---- the past

    /**
     * The store as it was at an instant, to the millisecond: everything committed until then, in
     * the order of commits. It reads and lists; whatever would change it fails with
     * PAST_IS_READ_ONLY. What it shows does not change while the store goes on, as long as the
     * history that it needs is kept: of states that were written again within one causal version it
     * shows the last, and says so ({@link ObjectVersion#writtenLater}). An instant that is not over
     * fails with INVALID_ARGUMENT.
     */
    ObjectStore asOf(Instant instant) throws IOException;

    @Override
    void close() throws IOException;
}
