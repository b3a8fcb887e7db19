package io.volute.versioning.cubes;

import io.volute.storage.BlobWriter;
import io.volute.storage.PendingBlob;
import io.volute.versioning.BucketSettings;
import io.volute.versioning.History;
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
import io.volute.versioning.Outbox;
import io.volute.versioning.Provenance;
import io.volute.versioning.Restore;
import io.volute.versioning.Retention;
import io.volute.versioning.StoreCubes;
import io.volute.versioning.VersionedStore;
import io.volute.versioning.catalog.Catalog;
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
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The store of all buckets: passes each call to the cube of its bucket. {@link CubeBuckets} has the
 * list of buckets. Thread-safe.
 */
final class CubedStore implements VersionedStore {
    private final CubeRegistry cubes;
    private final CubeBuckets buckets;
    private final CubeRouting routing;
    private final CubedOutbox outbox;
    private final CubedProvenance keys;

    CubedStore(CubeRegistry cubes, CubeBuckets buckets) {
        this(cubes, buckets, buckets.routing());
    }

    private CubedStore(CubeRegistry cubes, CubeBuckets buckets, CubeRouting routing) {
        this.cubes = cubes;
        this.buckets = buckets;
        this.routing = routing;
        this.outbox = new CubedOutbox(cubes, buckets);
        this.keys = new CubedProvenance(cubes, buckets);
    }

    CubeBuckets buckets() {
        return buckets;
    }

    /** Returns the keys of all cubes. */
    CubedProvenance keys() {
        return keys;
    }

    private <T> T in(BucketRef bucket, ObjectKey key, CubeSlot.Call<T> call) throws IOException {
        return routing.call(bucket, key, call);
    }

    /** A call without a result. */
    private interface Action {
        void on(Catalog catalog) throws IOException;
    }

    private static CubeSlot.Call<Boolean> done(Action action) {
        return catalog -> {
            action.on(catalog);
            return true;
        };
    }

    @Override
    public History history() {
        return new CubedHistory(cubes, buckets);
    }

    @Override
    public Restore restore() {
        return new CubedRestore(cubes, buckets);
    }

    @Override
    public Optional<Provenance> provenance() {
        return keys.isOn() ? Optional.of(keys) : Optional.empty();
    }

    @Override
    public BucketSettings settings() {
        return new CubedSettings(cubes, buckets);
    }

    @Override
    public Outbox outbox() {
        return outbox;
    }

    /** Returns the retention of the system cube; that of others is the store's of each cube. */
    @Override
    public Retention retention() throws IOException {
        return cubes.system().catalog().retention();
    }

    @Override
    public BucketInfo createBucket(
            Caller caller, BucketName name, boolean locking, Map<BucketDocument, String> documents)
            throws IOException {
        return createBucket(caller, name, locking, documents, Optional.empty());
    }

    @Override
    public BucketInfo createBucket(
            Caller caller,
            BucketName name,
            boolean locking,
            Map<BucketDocument, String> documents,
            Optional<String> cube)
            throws IOException {
        return buckets.create(caller, name, locking, documents, cube);
    }

    @Override
    public Optional<String> cubeOf(BucketName bucket) {
        return cubes.cubeOf(bucket).filter(name -> !name.equals(StoreCubes.SYSTEM));
    }

    @Override
    public boolean isElsewhere(BucketName bucket) {
        return routing.home(bucket).phase() == StoreCubes.Phase.ELSEWHERE;
    }

    @Override
    public ObjectReader sources(Optional<Instant> at) throws IOException {
        CubedStore anywhere = new CubedStore(cubes, buckets, routing.anywhere());
        return at.isPresent() ? anywhere.asOf(at.get()) : anywhere;
    }

    @Override
    public Optional<BucketInfo> bucket(BucketName name) {
        return CubeBuckets.find(routing, name);
    }

    @Override
    public List<BucketInfo> listBuckets(
            Optional<String> owner, String prefix, String after, int max) {
        return buckets.list(owner, prefix, after, max);
    }

    @Override
    public void deleteBucket(Caller caller, BucketRef bucket) throws IOException {
        buckets.delete(caller, bucket);
    }

    @Override
    public void setVersioning(Caller caller, BucketRef bucket, VersioningState state)
            throws IOException {
        buckets.change(bucket, done(catalog -> catalog.setVersioning(caller, bucket, state)));
    }

    @Override
    public void setObjectLock(Caller caller, BucketRef bucket, BucketLock lock) throws IOException {
        buckets.change(bucket, done(catalog -> catalog.setObjectLock(caller, bucket, lock)));
    }

    @Override
    public void setHistoryPolicy(Caller caller, BucketRef bucket, HistoryPolicy policy)
            throws IOException {
        buckets.change(bucket, done(catalog -> catalog.setHistoryPolicy(caller, bucket, policy)));
    }

    @Override
    public BlobWriter newBody(
            BucketRef bucket, ObjectKey key, OptionalLong expectedBytes, BodyHash hash)
            throws IOException {
        return routing.attempt(
                bucket,
                row -> {
                    CubeSlot slot = routing.slot(row, key);
                    BlobWriter writer =
                            slot.call(each -> each.newBody(bucket, key, expectedBytes, hash));
                    return slot == cubes.system() ? writer : new NamingWriter(writer, slot);
                });
    }

    @Override
    public ObjectVersion put(
            Caller caller,
            BucketRef bucket,
            ObjectKey key,
            PendingBlob body,
            ObjectAttributes attributes,
            WriteCondition condition)
            throws IOException {
        try (body) {
            return routing.callWithBody(
                    bucket,
                    key,
                    catalog -> catalog.put(caller, bucket, key, body, attributes, condition));
        }
    }

    @Override
    public Optional<ObjectVersion> head(
            Caller caller, BucketRef bucket, ObjectKey key, VersionSelector selector)
            throws IOException {
        return routing.read(bucket, key, catalog -> catalog.head(caller, bucket, key, selector));
    }

    @Override
    public OpenObject open(Caller caller, BucketRef bucket, ObjectKey key, VersionSelector selector)
            throws IOException {
        return in(bucket, key, catalog -> catalog.open(caller, bucket, key, selector));
    }

    @Override
    public DeleteResult delete(Caller caller, BucketRef bucket, DeleteTarget target)
            throws IOException {
        return in(bucket, target.key(), catalog -> catalog.delete(caller, bucket, target));
    }

    @Override
    public List<DeleteOutcome> deleteAll(
            Caller caller, BucketRef bucket, List<DeleteTarget> targets) throws IOException {
        return new SectionDeletes(routing, caller, bucket).deleteAll(targets);
    }

    @Override
    public CopyResult copy(
            Caller caller,
            Source source,
            BucketRef bucket,
            ObjectKey key,
            Consumer<ObjectVersion> sourceCheck,
            Function<ObjectVersion, ObjectAttributes> attributes,
            WriteCondition condition)
            throws IOException {
        return new CubedCopies(routing, caller, bucket, key, sourceCheck, attributes, condition)
                .copy(cubes, source);
    }

    @Override
    public ObjectVersion setMetadata(
            Caller caller,
            BucketRef bucket,
            ObjectKey key,
            VersionSelector selector,
            MetadataChange change)
            throws IOException {
        return in(
                bucket, key, catalog -> catalog.setMetadata(caller, bucket, key, selector, change));
    }

    @Override
    public ObjectVersion setLock(
            Caller caller,
            BucketRef bucket,
            ObjectKey key,
            VersionSelector selector,
            ObjectLock.Change change)
            throws IOException {
        return in(bucket, key, catalog -> catalog.setLock(caller, bucket, key, selector, change));
    }

    @Override
    public List<PartInfo> parts(Caller caller, BucketRef bucket, ObjectVersion version)
            throws IOException {
        return routing.read(
                bucket, version.key(), catalog -> catalog.parts(caller, bucket, version));
    }

    @Override
    public ObjectPage listObjects(Caller caller, BucketRef bucket, ObjectQuery query)
            throws IOException {
        return routing.pages(caller, bucket, pages -> pages.objects(query));
    }

    @Override
    public VersionPage listVersions(Caller caller, BucketRef bucket, VersionQuery query)
            throws IOException {
        return routing.pages(caller, bucket, pages -> pages.versions(query));
    }

    @Override
    public UploadInfo createUpload(
            Caller caller, BucketRef bucket, ObjectKey key, ObjectAttributes attributes)
            throws IOException {
        return in(bucket, key, catalog -> catalog.createUpload(caller, bucket, key, attributes));
    }

    @Override
    public UploadInfo upload(Caller caller, BucketRef bucket, ObjectKey key, String uploadId) {
        try {
            return routing.read(
                    bucket, key, catalog -> catalog.upload(caller, bucket, key, uploadId));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public PartInfo putPart(
            Caller caller,
            BucketRef bucket,
            ObjectKey key,
            String uploadId,
            PartInfo part,
            PendingBlob body)
            throws IOException {
        try (body) {
            return routing.callWithBody(
                    bucket,
                    key,
                    catalog -> catalog.putPart(caller, bucket, key, uploadId, part, body));
        }
    }

    @Override
    public ObjectVersion completeUpload(
            Caller caller,
            BucketRef bucket,
            ObjectKey key,
            String uploadId,
            List<PartChoice> choices,
            Completion completion,
            WriteCondition condition)
            throws IOException {
        return in(
                bucket,
                key,
                catalog ->
                        catalog.completeUpload(
                                caller, bucket, key, uploadId, choices, completion, condition));
    }

    @Override
    public void abortUpload(Caller caller, BucketRef bucket, ObjectKey key, String uploadId)
            throws IOException {
        boolean unused =
                in(bucket, key, done(each -> each.abortUpload(caller, bucket, key, uploadId)));
    }

    @Override
    public PartPage listParts(
            Caller caller,
            BucketRef bucket,
            ObjectKey key,
            String uploadId,
            OptionalInt afterPart,
            int max)
            throws IOException {
        return routing.read(
                bucket,
                key,
                catalog -> catalog.listParts(caller, bucket, key, uploadId, afterPart, max));
    }

    @Override
    public UploadPage listUploads(Caller caller, BucketRef bucket, UploadQuery query)
            throws IOException {
        return routing.pages(caller, bucket, pages -> pages.uploads(query));
    }

    @Override
    public ObjectReader asOf(Instant instant) throws IOException {
        return cubes.hasSeveral()
                ? new CubedPast(cubes, routing, instant)
                : cubes.system().call(catalog -> catalog.asOf(instant));
    }

    /** Does nothing: the list of cubes closes the stores of all cubes. */
    @Override
    public void close() {}
}
