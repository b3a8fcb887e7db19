package io.volute.testkit.model;

import io.volute.storage.BlobId;
import io.volute.storage.BlobWriter;
import io.volute.storage.PendingBlob;
import io.volute.testkit.model.ModelBucket.Stored;
import io.volute.testkit.model.ModelBucket.StoredPart;
import io.volute.testkit.model.ModelBucket.Upload;
import io.volute.versioning.Listing.ObjectPage;
import io.volute.versioning.Listing.ObjectQuery;
import io.volute.versioning.Listing.PartInfo;
import io.volute.versioning.Listing.PartPage;
import io.volute.versioning.Listing.UploadInfo;
import io.volute.versioning.Listing.UploadPage;
import io.volute.versioning.Listing.UploadQuery;
import io.volute.versioning.Listing.VersionPage;
import io.volute.versioning.Listing.VersionQuery;
import io.volute.versioning.ObjectReader;
import io.volute.versioning.ObjectStore;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.StoreOptions;
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
import java.io.ByteArrayOutputStream;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The semantics of an {@link ObjectStore} as plain maps: slow, in memory, one call after another,
 * and short enough to be read against the S3 documentation. The reference in comparisons, and a
 * fake for tests of the layers above.
 */
final class StoreModel implements ObjectStore {
    private final InstantSource clock;
    private final long partBytesMin;
    private final TreeMap<BucketName, ModelBucket> buckets = new TreeMap<>();
    private long lastNumber;

    /** Creates a model with S3's limits. */
    public StoreModel(InstantSource clock) {
        this(clock, StoreOptions.Limits.S3.partBytesMin());
    }

    /** Creates a model with a minimum number of bytes of all parts but the last. */
    public StoreModel(InstantSource clock, long partBytesMin) {
        this.clock = clock;
        this.partBytesMin = partBytesMin;
    }

    private ModelBucket existing(BucketRef name) {
        return Optional.ofNullable(buckets.get(name.name()))
                .filter(bucket -> name.means(bucket.info.id()))
                .orElseThrow(() -> new StoreException(Reason.NO_SUCH_BUCKET, "no bucket " + name));
    }

    @Override
    public synchronized BucketInfo createBucket(
            Caller caller, BucketName name, boolean locking, Map<BucketDocument, String> config) {
        ModelBucket known = buckets.get(name);
        if (known != null) {
            throw new StoreException(
                    known.info.owner().equals(caller.principal())
                            ? Reason.BUCKET_OWNED_BY_CALLER
                            : Reason.BUCKET_OWNED_BY_OTHER,
                    "there is a bucket " + name);
        }
        VersioningState none = VersioningState.UNVERSIONED;
        Instant now = clock.instant();
        BucketInfo info =
                new BucketInfo(
                        ++lastNumber, name, caller.principal(), now, none, HistoryPolicy.NONE);
        if (locking) {
            info = info.with(VersioningState.ENABLED).with(BucketLock.PLAIN);
        }
        buckets.put(name, new ModelBucket(info.with(config)));
        return existing(name).info;
    }

    @Override
    public synchronized Optional<BucketInfo> bucket(BucketName name) {
        return Optional.ofNullable(buckets.get(name)).map(bucket -> bucket.info);
    }

    @Override
    public synchronized List<BucketInfo> listBuckets(
            Optional<String> owner, String prefix, String after, int max) {
        return buckets.values().stream()
                .map(bucket -> bucket.info)
                .filter(info -> owner.isEmpty() || info.owner().equals(owner.orElseThrow()))
                .filter(info -> info.name().value().startsWith(prefix))
                .filter(info -> info.name().value().compareTo(after) > 0)
                .limit(max)
                .toList();
    }

    @Override
    public synchronized void deleteBucket(Caller caller, BucketRef name) {
        if (!existing(name).keys.isEmpty()) {
            throw new StoreException(Reason.BUCKET_NOT_EMPTY, "not empty: " + name);
        }
        buckets.remove(name.name());
    }

    @Override
    public synchronized void setVersioning(Caller caller, BucketRef name, VersioningState state) {
        existing(name).become(state);
    }

    @Override
    public synchronized void setObjectLock(Caller caller, BucketRef name, BucketLock lock) {
        existing(name).become(lock);
    }

    @Override
    public synchronized void setHistoryPolicy(Caller caller, BucketRef name, HistoryPolicy to) {
        existing(name).change(info -> info.with(to));
    }

    @Override
    public ObjectReader asOf(Instant instant) {
        throw new UnsupportedOperationException("the model knows the present only");
    }

    @Override
    public synchronized BlobWriter newBody(
            BucketRef bucket, ObjectKey key, OptionalLong bytes, BodyHash hash) {
        existing(bucket);
        return new MemoryBody.Writer(new BlobId(++lastNumber));
    }

    @Override
    public synchronized ObjectVersion put(
            Caller caller,
            BucketRef name,
            ObjectKey key,
            PendingBlob body,
            ObjectAttributes attributes,
            WriteCondition condition) {
        ModelBucket bucket = existing(name);
        ModelLock.check(bucket.info, attributes.lock(), clock.instant());
        bucket.check(key, condition);
        return add(bucket, caller, key, MemoryBody.content(body), attributes, List.of());
    }

    private ObjectVersion add(
            ModelBucket bucket,
            Caller caller,
            ObjectKey key,
            byte[] content,
            ObjectAttributes attributes,
            List<PartInfo> parts) {
        ObjectVersion version =
                new ObjectVersion(
                        key,
                        ++lastNumber,
                        bucket.makesNullVersions(),
                        true,
                        false,
                        clock.instant(),
                        caller.principal(),
                        content.length,
                        parts.size(),
                        ModelLock.made(bucket.info, attributes, clock.instant()));
        bucket.add(new Stored(version, content, parts));
        return version;
    }

    @Override
    public synchronized Optional<ObjectVersion> head(
            Caller caller, BucketRef name, ObjectKey key, VersionSelector selector) {
        ModelBucket bucket = existing(name);
        return bucket.find(key, selector).map(bucket::visible);
    }

    @Override
    public synchronized OpenObject open(
            Caller caller, BucketRef name, ObjectKey key, VersionSelector selector) {
        ModelBucket bucket = existing(name);
        Stored stored = bucket.readable(key, selector);
        return new OpenObject(bucket.visible(stored), new MemoryBody.Reader(stored.content()));
    }

    @Override
    public synchronized DeleteResult delete(Caller caller, BucketRef name, DeleteTarget target) {
        ModelBucket bucket = existing(name);
        bucket.check(target.key(), target.condition());
        if (target.selector() instanceof VersionSelector.Latest && !bucket.isUnversioned()) {
            ObjectVersion marker =
                    bucket.addMarker(
                            target.key(), ++lastNumber, clock.instant(), caller.principal());
            return new DeleteResult(Optional.of(marker), true, false);
        }
        Optional<Stored> found = bucket.removable(target, clock.instant());
        Optional<ObjectVersion> seen = found.map(bucket::visible);
        found.ifPresent(bucket::remove);
        return new DeleteResult(seen, false, seen.filter(ObjectVersion::deleteMarker).isPresent());
    }

    @Override
    public synchronized List<DeleteOutcome> deleteAll(
            Caller caller, BucketRef name, List<DeleteTarget> targets) {
        existing(name);
        List<DeleteOutcome> outcomes = new ArrayList<>();
        for (DeleteTarget target : targets) {
            try {
                outcomes.add(new DeleteOutcome.Deleted(delete(caller, name, target)));
            } catch (StoreException refusal) {
                outcomes.add(new DeleteOutcome.Refused(refusal));
            }
        }
        return outcomes;
    }

    @Override
    public synchronized CopyResult copy(
            Caller caller,
            Source source,
            BucketRef name,
            ObjectKey key,
            Consumer<ObjectVersion> sourceCheck,
            Function<ObjectVersion, ObjectAttributes> attributes,
            WriteCondition condition) {
        ModelBucket from = existing(source.bucket());
        ModelBucket to = existing(name);
        Stored stored = from.copyable(source.key(), source.selector());
        ObjectVersion seen = from.visible(stored);
        sourceCheck.accept(seen);
        to.check(key, condition);
        ObjectAttributes wanted = attributes.apply(seen);
        ModelLock.check(to.info, wanted.lock(), clock.instant());
        // Who keeps the ETag of a multipart object keeps its parts.
        boolean keepsParts = wanted.etag().equals(seen.attributes().etag());
        List<PartInfo> parts = keepsParts ? stored.parts() : List.of();
        return new CopyResult(seen, add(to, caller, key, stored.content(), wanted, parts));
    }

    @Override
    public synchronized ObjectVersion setMetadata(
            Caller caller,
            BucketRef name,
            ObjectKey key,
            VersionSelector selector,
            MetadataChange change) {
        ModelBucket bucket = existing(name);
        Stored old = bucket.readable(key, selector);
        return bucket.replace(old, change.apply(old.version().attributes()));
    }

    @Override
    public synchronized ObjectVersion setLock(
            Caller caller,
            BucketRef name,
            ObjectKey key,
            VersionSelector selector,
            ObjectLock.Change change) {
        ModelBucket bucket = existing(name);
        Stored old = bucket.readable(key, selector);
        return bucket.replace(
                old,
                ModelLock.changed(
                        bucket.info, old.version().attributes(), change, clock.instant()));
    }

    @Override
    public synchronized List<PartInfo> parts(Caller caller, BucketRef name, ObjectVersion version) {
        VersionSelector selector =
                version.nullVersion()
                        ? VersionSelector.NULL
                        : new VersionSelector.Numbered(version.number());
        return existing(name).readable(version.key(), selector).parts();
    }

    @Override
    public synchronized ObjectPage listObjects(Caller caller, BucketRef name, ObjectQuery query) {
        return ModelListing.objects(existing(name), query);
    }

    @Override
    public synchronized VersionPage listVersions(
            Caller caller, BucketRef name, VersionQuery query) {
        return ModelListing.versions(existing(name), query);
    }

    @Override
    public synchronized UploadInfo createUpload(
            Caller caller, BucketRef name, ObjectKey key, ObjectAttributes attributes) {
        ModelLock.check(existing(name).info, attributes.lock(), clock.instant());
        long order = ++lastNumber;
        UploadInfo info =
                new UploadInfo(
                        "upload-" + order, key, caller.principal(), clock.instant(), attributes);
        existing(name).uploads.put(info.uploadId(), new Upload(info, order, new TreeMap<>()));
        return info;
    }

    @Override
    public synchronized UploadInfo upload(
            Caller caller, BucketRef name, ObjectKey key, String uploadId) {
        return existing(name).upload(key, uploadId).info();
    }

    @Override
    public synchronized PartInfo putPart(
            Caller caller,
            BucketRef name,
            ObjectKey key,
            String uploadId,
            PartInfo part,
            PendingBlob body) {
        existing(name)
                .upload(key, uploadId)
                .parts()
                .put(part.number(), new StoredPart(part, MemoryBody.content(body)));
        return part;
    }

    @Override
    public synchronized ObjectVersion completeUpload(
            Caller caller,
            BucketRef name,
            ObjectKey key,
            String uploadId,
            List<PartChoice> choices,
            Completion completion,
            WriteCondition condition) {
        ModelBucket bucket = existing(name);
        Optional<ObjectVersion> before = bucket.completedBefore(key, uploadId, choices);
        if (before.isPresent()) {
            return before.orElseThrow();
        }
        Upload upload = bucket.upload(key, uploadId);
        List<StoredPart> chosen = upload.choose(choices, partBytesMin);
        bucket.check(key, condition);
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        List<PartInfo> numbered = new ArrayList<>();
        for (StoredPart part : chosen) {
            content.writeBytes(part.content());
            numbered.add(part.numbered(numbered.size() + 1));
        }
        ObjectAttributes attributes =
                completion.attributes(
                        upload.info(), chosen.stream().map(StoredPart::info).toList());
        bucket.uploads.remove(uploadId);
        ObjectVersion made = add(bucket, caller, key, content.toByteArray(), attributes, numbered);
        bucket.completed.put(uploadId, new ModelBucket.Completed(made.number(), choices));
        return made;
    }

    @Override
    public synchronized void abortUpload(
            Caller caller, BucketRef name, ObjectKey key, String uploadId) {
        ModelBucket bucket = existing(name);
        bucket.uploads.remove(bucket.upload(key, uploadId).info().uploadId());
    }

    @Override
    public synchronized PartPage listParts(
            Caller caller,
            BucketRef name,
            ObjectKey key,
            String uploadId,
            OptionalInt afterPart,
            int max) {
        return ModelListing.parts(existing(name).upload(key, uploadId), afterPart, max);
    }

    @Override
    public synchronized UploadPage listUploads(Caller caller, BucketRef name, UploadQuery query) {
        return ModelListing.uploads(existing(name), query);
    }

    @Override
    public void close() {}
}
