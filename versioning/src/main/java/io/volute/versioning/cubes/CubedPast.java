package io.volute.versioning.cubes;

import io.volute.storage.CubeUnavailableException;
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
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;

/**
 * All cubes as they were at an instant. The cube of a bucket at that time can be another one than
 * that of a present bucket of the same name. Thread-safe.
 */
final class CubedPast implements ObjectReader {
    private final CubeRegistry cubes;
    private final CubeBuckets buckets;
    private final Instant instant;
    private final ObjectReader system;
    private final Map<Integer, ObjectReader> pasts = new ConcurrentHashMap<>();

    /**
     * Creates a reader.
     *
     * @param system the past of the system cube
     */
    CubedPast(CubeRegistry cubes, CubeBuckets buckets, Instant instant, ObjectReader system) {
        this.cubes = cubes;
        this.buckets = buckets;
        this.instant = instant;
        this.system = system;
        pasts.put(0, system);
    }

    private ObjectReader past(CubeSlot slot) throws IOException {
        ObjectReader known = pasts.get(slot.number());
        if (known == null) {
            known = slot.call(catalog -> catalog.asOf(instant));
            pasts.put(slot.number(), known);
        }
        return known;
    }

    /** Returns the past of the cube that had this bucket; that of the system cube if none had. */
    private ObjectReader in(BucketName bucket) throws IOException {
        CubeSlot present = buckets.home(bucket);
        ObjectReader first = past(present);
        if (first.bucket(bucket).isPresent()) {
            return first;
        }
        Optional<CubeUnavailableException> missing = Optional.empty();
        for (CubeSlot slot : cubes.slots()) {
            try {
                ObjectReader past = past(slot);
                if (past.bucket(bucket).isPresent()) {
                    return past;
                }
            } catch (CubeUnavailableException e) {
                missing = Optional.of(e);
            }
        }
        if (missing.isPresent()) {
            throw missing.get();
        }
        return system;
    }

    /** A read of a past. */
    @FunctionalInterface
    private interface Read<T> {
        T of(ObjectReader past) throws IOException;
    }

    /** Reads the past of a bucket, and again when the bucket moved meanwhile. */
    private <T> T read(BucketName bucket, Read<T> read) throws IOException {
        while (true) {
            ObjectReader past = in(bucket);
            boolean isThere = past.bucket(bucket).isPresent();
            try {
                T result = read.of(past);
                if (!isThere || past.bucket(bucket).isPresent()) {
                    return result;
                }
            } catch (StoreException e) {
                if (!isThere || past.bucket(bucket).isPresent()) {
                    throw e;
                }
            }
        }
    }

    @Override
    public Optional<BucketInfo> bucket(BucketName name) {
        try {
            return read(name, past -> past.bucket(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public List<BucketInfo> listBuckets(
            Optional<String> owner, String prefix, String after, int max) {
        try {
            List<BucketInfo> all = new ArrayList<>();
            for (CubeSlot slot : cubes.slots()) {
                all.addAll(past(slot).listBuckets(owner, prefix, after, max));
            }
            all.sort(Comparator.comparing(bucket -> bucket.name().value()));
            return all.stream().limit(max).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public Optional<ObjectVersion> head(
            Caller caller, BucketName bucket, ObjectKey key, VersionSelector selector)
            throws IOException {
        return read(bucket, past -> past.head(caller, bucket, key, selector));
    }

    @Override
    public ObjectVersion lastKnown(BucketName bucket, ObjectVersion version) throws IOException {
        return read(bucket, past -> past.lastKnown(bucket, version));
    }

    @Override
    public OpenObject open(
            Caller caller, BucketName bucket, ObjectKey key, VersionSelector selector)
            throws IOException {
        return in(bucket).open(caller, bucket, key, selector);
    }

    @Override
    public List<PartInfo> parts(Caller caller, BucketName bucket, ObjectVersion version)
            throws IOException {
        return read(bucket, past -> past.parts(caller, bucket, version));
    }

    @Override
    public ObjectPage listObjects(Caller caller, BucketName bucket, ObjectQuery query)
            throws IOException {
        return read(bucket, past -> past.listObjects(caller, bucket, query));
    }

    @Override
    public VersionPage listVersions(Caller caller, BucketName bucket, VersionQuery query)
            throws IOException {
        return read(bucket, past -> past.listVersions(caller, bucket, query));
    }

    @Override
    public UploadInfo upload(Caller caller, BucketName bucket, ObjectKey key, String uploadId) {
        return system.upload(caller, bucket, key, uploadId);
    }

    @Override
    public PartPage listParts(
            Caller caller,
            BucketName bucket,
            ObjectKey key,
            String uploadId,
            OptionalInt afterPart,
            int max)
            throws IOException {
        return system.listParts(caller, bucket, key, uploadId, afterPart, max);
    }

    @Override
    public UploadPage listUploads(Caller caller, BucketName bucket, UploadQuery query)
            throws IOException {
        return read(bucket, past -> past.listUploads(caller, bucket, query));
    }
}
