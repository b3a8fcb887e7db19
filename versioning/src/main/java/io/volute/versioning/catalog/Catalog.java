package io.volute.versioning.catalog;

import io.volute.storage.BlobWriter;
import io.volute.storage.Cube;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.CubeUnavailableException.Reason;
import io.volute.storage.PendingBlob;
import io.volute.versioning.ClockState;
import io.volute.versioning.Damages;
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
import io.volute.versioning.StoreOptions;
import io.volute.versioning.VersionedStore;
import io.volute.versioning.bucket.BucketChanges;
import io.volute.versioning.bucket.BucketDirectory;
import io.volute.versioning.bucket.UploadListing;
import io.volute.versioning.bucket.Uploads;
import io.volute.versioning.causality.HistoryPolicy;
import io.volute.versioning.event.Membership;
import io.volute.versioning.history.CatalogHistory;
import io.volute.versioning.history.RemovedKeys;
import io.volute.versioning.outbox.OutboxRows;
import io.volute.versioning.provenance.ContentHash;
import io.volute.versioning.provenance.ProvenanceLog;
import io.volute.versioning.provenance.audit.StoreProvenance;
import io.volute.versioning.read.ObjectListing;
import io.volute.versioning.read.ObjectReads;
import io.volute.versioning.read.PageCollector;
import io.volute.versioning.read.PastInstants;
import io.volute.versioning.read.VersionListing;
import io.volute.versioning.state.KeyLocks;
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
import io.volute.versioning.write.Causality;
import io.volute.versioning.write.WriteBatchFactory;
import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.Function;

/** The object store on one cube. The opener of the cube closes it, after the store. Thread-safe. */
public final class Catalog implements VersionedStore {
    private final Cube cube;
    private final Causality causality;
    private final Optional<Provenance> provenance;
    private final PastInstants instants;
    private final BucketDirectory buckets;
    private final ObjectReads reads;
    private final ObjectWrites writes;
    private final Copies copies;
    private final Uploads uploads;
    private final UploadCompletion completion;
    private final HistoryParts past;
    private final OutboxRows outbox;
    private volatile boolean closed;

    /** Opens a store; fails with the next step when its signing keys cannot be used. */
    public Catalog(StoreOptions options, Membership membership) throws IOException {
        KeyLocks locks = new KeyLocks();
        this.cube = options.cube();
        InstantSource clock = options.clock();
        this.instants = new PastInstants(cube, clock);
        this.causality = new Causality(options, membership);
        Optional<ProvenanceLog> log = ProvenanceLog.open(options);
        this.provenance = StoreProvenance.of(cube, log, clock, locks::holding);
        this.outbox = new OutboxRows(cube, clock, options.changes());
        WriteBatchFactory batches =
                new WriteBatchFactory(cube, causality, log, outbox, instants.watch());
        this.reads = ObjectReads.ofPresent(cube, causality);
        this.writes = new ObjectWrites(options, locks, batches);
        this.uploads = new Uploads(options, locks);
        this.completion = new UploadCompletion(options, locks, uploads, reads, batches);
        this.buckets =
                new BucketDirectory(options, membership, uploads, ProvenanceLog.settings(log));
        this.past = HistoryParts.of(options, membership, buckets, locks, instants, batches, log);
        this.copies = new Copies(options, buckets, instants, reads, locks, batches);
    }

    /** Migrates an older store, and resumes the restores that were running at its close. */
    public void resume() {
        RemovedKeys.complete(cube);
        buckets.beginExactness();
        instants.watch().lookOrWarn();
        past.join();
        past.restore().resume();
    }

    @Override
    public CatalogHistory history() {
        return past.history();
    }

    public BucketDirectory buckets() {
        return buckets;
    }

    public Copies copies() throws IOException {
        return open(copies);
    }

    @Override
    public Outbox outbox() {
        return outbox;
    }

    @Override
    public BucketChanges settings() {
        return buckets.settings();
    }

    @Override
    public Restore restore() {
        return past.restore();
    }

    @Override
    public Optional<Provenance> provenance() {
        return provenance;
    }

    @Override
    public Damages damages() {
        return past.damages();
    }

    @Override
    public Retention retention() throws IOException {
        return open(past).retention();
    }

    @Override
    public BucketInfo createBucket(
            Caller caller, BucketName name, boolean locking, Map<BucketDocument, String> documents)
            throws IOException {
        return opened().create(caller, name, locking, documents);
    }

    @Override
    public Optional<BucketInfo> bucket(BucketName name) {
        return buckets.find(name);
    }

    @Override
    public List<BucketInfo> listBuckets(
            Optional<String> owner, String prefix, String after, int max) {
        return buckets.list(owner, prefix, after, max);
    }

    @Override
    public void deleteBucket(Caller caller, BucketRef bucket) throws IOException {
        opened().delete(bucket);
    }

    @Override
    public void setVersioning(Caller caller, BucketRef bucket, VersioningState state)
            throws IOException {
        opened().settings().setVersioning(bucket, state);
    }

    @Override
    public void setObjectLock(Caller caller, BucketRef bucket, BucketLock lock) throws IOException {
        opened().settings().setObjectLock(bucket, lock);
    }

    @Override
    public void setHistoryPolicy(Caller caller, BucketRef bucket, HistoryPolicy policy)
            throws IOException {
        opened().settings().setHistory(bucket, policy);
    }

    @Override
    public BlobWriter newBody(
            BucketRef bucket, ObjectKey key, OptionalLong expectedBytes, BodyHash hash)
            throws IOException {
        writes.requireRoomFor(expectedBytes, opened().require(bucket, key));
        BlobWriter writer = cube.newBlob(expectedBytes);
        return provenance.isPresent() ? ContentHash.over(writer, hash) : writer;
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
            return writes.put(
                    caller, opened().require(bucket, key), key, body, attributes, condition);
        }
    }

    @Override
    public Optional<ObjectVersion> head(
            Caller caller, BucketRef bucket, ObjectKey key, VersionSelector selector)
            throws IOException {
        return reads.head(buckets.require(bucket, key), key, selector);
    }

    @Override
    public OpenObject open(Caller caller, BucketRef bucket, ObjectKey key, VersionSelector selector)
            throws IOException {
        return reads.open(caller, buckets.require(bucket, key), key, selector);
    }

    @Override
    public DeleteResult delete(Caller caller, BucketRef bucket, DeleteTarget target)
            throws IOException {
        return writes.delete(caller, opened().require(bucket, target.key()), target);
    }

    @Override
    public List<DeleteOutcome> deleteAll(
            Caller caller, BucketRef bucket, List<DeleteTarget> targets) throws IOException {
        return writes.deleteAll(caller, opened().requireAll(bucket, targets), targets);
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
        ObjectWrites.CopyTarget target =
                new ObjectWrites.CopyTarget(
                        opened().require(bucket, key), key, sourceCheck, attributes, condition);
        return writes.copy(caller, CopySource.of(source, cube, buckets, instants), target);
    }

    @Override
    public ObjectVersion setMetadata(
            Caller caller,
            BucketRef bucket,
            ObjectKey key,
            VersionSelector selector,
            MetadataChange change)
            throws IOException {
        return writes.setMetadata(caller, opened().require(bucket, key), key, selector, change);
    }

    @Override
    public ObjectVersion setLock(
            Caller caller,
            BucketRef bucket,
            ObjectKey key,
            VersionSelector selector,
            ObjectLock.Change change)
            throws IOException {
        return writes.setLock(caller, opened().require(bucket, key), key, selector, change);
    }

    @Override
    public List<PartInfo> parts(Caller caller, BucketRef bucket, ObjectVersion version)
            throws IOException {
        return reads.parts(caller, buckets.require(bucket, version.key()), version);
    }

    @Override
    public ObjectPage listObjects(Caller caller, BucketRef bucket, ObjectQuery query) {
        PageCollector.require(query.max());
        return new ObjectListing(cube, buckets.require(bucket), query).page();
    }

    @Override
    public VersionPage listVersions(Caller caller, BucketRef bucket, VersionQuery query) {
        PageCollector.require(query.max());
        return new VersionListing(cube, buckets.require(bucket), query).page();
    }

    @Override
    public UploadInfo createUpload(
            Caller caller, BucketRef bucket, ObjectKey key, ObjectAttributes attributes)
            throws IOException {
        return uploads.create(caller, opened().require(bucket, key), key, attributes);
    }

    @Override
    public UploadInfo upload(Caller caller, BucketRef bucket, ObjectKey key, String uploadId) {
        return uploads.require(buckets.require(bucket, key), key, uploadId);
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
            return uploads.putPart(opened().require(bucket, key), key, uploadId, part, body);
        }
    }

    @Override
    public ObjectVersion completeUpload(
            Caller caller,
            BucketRef bucket,
            ObjectKey key,
            String uploadId,
            List<PartChoice> choices,
            Completion attributes,
            WriteCondition condition)
            throws IOException {
        return completion.complete(
                caller,
                opened().require(bucket, key),
                new UploadCompletion.UploadName(key, uploadId),
                choices,
                attributes,
                condition);
    }

    @Override
    public void abortUpload(Caller caller, BucketRef bucket, ObjectKey key, String uploadId)
            throws IOException {
        uploads.abort(opened().require(bucket, key), key, uploadId);
    }

    @Override
    public PartPage listParts(
            Caller caller,
            BucketRef bucket,
            ObjectKey key,
            String uploadId,
            OptionalInt afterPart,
            int max) {
        PageCollector.require(max);
        return uploads.listParts(buckets.require(bucket, key), key, uploadId, afterPart, max);
    }

    @Override
    public UploadPage listUploads(Caller caller, BucketRef bucket, UploadQuery query) {
        PageCollector.require(query.max());
        return new UploadListing(cube, buckets.require(bucket), query).page();
    }

    @Override
    public ObjectReader asOf(Instant instant) throws IOException {
        return new PastCatalog(cube, opened(), causality, past.ahead(), instants.lastAt(instant));
    }

    @Override
    public void close() throws IOException {
        closed = true;
        past.leave();
        past.restore().close();
        past.ahead().close();
        buckets.awaitWriters();
        causality.events().close();
    }

    @Override
    public ClockState clock() {
        instants.watch().lookOrWarn();
        return instants.watch().state();
    }

    private BucketDirectory opened() throws CubeUnavailableException {
        return open(buckets);
    }

    private <T> T open(T part) throws CubeUnavailableException {
        if (closed) {
            throw new CubeUnavailableException(Reason.CLOSED, "the object store is closed");
        }
        return part;
    }
}
