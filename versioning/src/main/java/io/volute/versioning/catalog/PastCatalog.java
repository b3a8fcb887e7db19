package io.volute.versioning.catalog;

import io.volute.storage.RecordStore;
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
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.bucket.BucketDirectory;
import io.volute.versioning.read.LastKnownVersions;
import io.volute.versioning.read.ObjectReads;
import io.volute.versioning.read.PageCollector;
import io.volute.versioning.read.PagesAhead;
import io.volute.versioning.read.PastListing;
import io.volute.versioning.read.PastVersionListing;
import io.volute.versioning.read.PastVersions;
import io.volute.versioning.state.BucketEntry;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.BucketRef;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import io.volute.versioning.write.Causality;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The object store as it was when all commits up to a sequence were visible; read-only.
 * Thread-safe.
 */
final class PastCatalog implements ObjectReader {
    private final RecordStore cube;
    private final BucketDirectory buckets;
    private final PagesAhead ahead;
    private final long sequence;
    private final ObjectReads reads;
    private final ObjectReads lastKnown;

    PastCatalog(
            RecordStore cube,
            BucketDirectory buckets,
            Causality causality,
            PagesAhead ahead,
            long sequence) {
        this.cube = cube;
        this.buckets = buckets;
        this.ahead = ahead;
        this.sequence = sequence;
        this.reads = new ObjectReads(cube, causality, new PastVersions(cube, sequence));
        this.lastKnown = new ObjectReads(cube, causality, new LastKnownVersions(cube));
    }

    @Override
    public Optional<BucketInfo> bucket(BucketName name) {
        return buckets.find(name, sequence).map(BucketDirectory.PastBucket::info);
    }

    @Override
    public List<BucketInfo> listBuckets(
            Optional<String> owner, String prefix, String after, int max) {
        return buckets.list(owner, prefix, after, max, sequence);
    }

    @Override
    public Optional<ObjectVersion> head(
            Caller caller, BucketRef bucket, ObjectKey key, VersionSelector selector)
            throws IOException {
        return reads.head(require(bucket), key, selector);
    }

    @Override
    public ObjectVersion lastKnown(BucketRef bucket, ObjectVersion version) throws IOException {
        VersionSelector same = new VersionSelector.Numbered(version.number());
        return lastKnown.head(require(bucket), version.key(), same).orElse(version);
    }

    @Override
    public OpenObject open(Caller caller, BucketRef bucket, ObjectKey key, VersionSelector selector)
            throws IOException {
        return reads.open(caller, require(bucket), key, selector);
    }

    @Override
    public List<PartInfo> parts(Caller caller, BucketRef bucket, ObjectVersion version)
            throws IOException {
        return reads.parts(caller, require(bucket), version);
    }

    @Override
    public ObjectPage listObjects(Caller caller, BucketRef bucket, ObjectQuery query) {
        PageCollector.require(query.max());
        BucketEntry entry = require(bucket);
        return ahead.page(
                new PagesAhead.Asked(entry.id(), sequence, query),
                each -> new PastListing(cube, entry, each, sequence).page());
    }

    @Override
    public VersionPage listVersions(Caller caller, BucketRef bucket, VersionQuery query) {
        PageCollector.require(query.max());
        return new PastVersionListing(cube, require(bucket), query, sequence).page();
    }

    private BucketEntry require(BucketRef bucket) {
        return buckets.requirePast(bucket, sequence);
    }

    /** Returns the error for an upload: past uploads in progress leave no history. */
    private static StoreException withoutUploads(String uploadId) {
        return new StoreException(Reason.NO_SUCH_UPLOAD, "no upload " + uploadId + " in the past");
    }

    @Override
    public UploadInfo upload(Caller caller, BucketRef bucket, ObjectKey key, String uploadId) {
        throw withoutUploads(uploadId);
    }

    @Override
    public PartPage listParts(
            Caller caller,
            BucketRef bucket,
            ObjectKey key,
            String uploadId,
            OptionalInt afterPart,
            int max) {
        throw withoutUploads(uploadId);
    }

    @Override
    public UploadPage listUploads(Caller caller, BucketRef bucket, UploadQuery query) {
        require(bucket);
        return new UploadPage(List.of(), List.of(), Optional.empty(), Optional.empty());
    }
}
