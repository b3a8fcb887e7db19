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
import io.volute.versioning.StoreCubes.Phase;
import io.volute.versioning.StoreException;
import io.volute.versioning.read.SectionPages;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.BucketRef;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.KeyRange;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectVersion;
import io.volute.versioning.value.VersionSelector;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * All cubes as they were at an instant. The cube of a bucket at that time can be another one than
 * that of a present bucket of the same name. Thread-safe.
 */
final class CubedPast implements ObjectReader {
    private final CubeRegistry cubes;
    private final CubeRouting routing;
    private final Instant instant;
    private final ObjectReader first;
    private final Map<Integer, ObjectReader> pasts = new ConcurrentHashMap<>();

    /**
     * Creates a reader.
     *
     * @throws StoreException INVALID_ARGUMENT for an instant that is not over
     */
    CubedPast(CubeRegistry cubes, CubeRouting routing, Instant instant) throws IOException {
        this.cubes = cubes;
        this.routing = routing;
        this.instant = instant;
        this.first = past(cubes.first());
    }

    private ObjectReader past(CubeSlot slot) throws IOException {
        ObjectReader known = pasts.get(slot.number());
        if (known == null) {
            known = slot.call(catalog -> catalog.asOf(instant));
            pasts.put(slot.number(), known);
        }
        return known;
    }

    /** Reads the past of a cube; that of another node's in a view, which ends with the read. */
    private <T> T in(CubeSlot slot, Read<T> read) throws IOException {
        return routing.isViewed(slot)
                ? routing.on(slot, catalog -> read.of(catalog.asOf(instant)))
                : read.of(past(slot));
    }

    /** Returns a bucket of a past that can be read here. */
    private Optional<BucketInfo> readable(CubeSlot slot, BucketName bucket) throws IOException {
        return slot.phase() == Phase.ELSEWHERE && !routing.isViewed(slot)
                ? Optional.empty()
                : in(slot, past -> past.bucket(bucket));
    }

    /** The keys of a bucket that one cube has. */
    private record Part(KeyRange range, CubeSlot slot) {}

    /** Returns the parts of the bucket that had a name, in the order of their keys. */
    private List<Part> parts(BucketName bucket) throws IOException {
        PlacementRow row = routing.placement(bucket);
        CubeSlot home = routing.slot(row.cube());
        // A bucket whose placement is no more has none, and an open cube may have had it.
        Optional<BucketInfo> found = readable(home, bucket);
        boolean isPresent =
                found.isPresent()
                        && routing.on(home, catalog -> catalog.bucket(bucket))
                                .filter(now -> now.id() == found.get().id())
                                .isPresent();
        if (isPresent) {
            return row.sections().stream()
                    .map(each -> new Part(each.range(), routing.slot(each.cube())))
                    .toList();
        }
        List<CubeSlot> had = had(bucket);
        return had.size() == 1
                ? List.of(new Part(KeyRange.ALL, had.getFirst()))
                : ofDeleted(bucket, had);
    }

    /** Returns the cubes that had a bucket which is no more; the system cube if none had it. */
    private List<CubeSlot> had(BucketName bucket) throws IOException {
        List<CubeSlot> had = new ArrayList<>();
        OptionalLong id = OptionalLong.empty();
        Optional<CubeUnavailableException> missing = Optional.empty();
        for (CubeSlot slot : cubes.slots()) {
            try {
                Optional<BucketInfo> there = in(slot, past -> past.bucket(bucket));
                if (there.isPresent() && id.orElse(there.get().id()) == there.get().id()) {
                    id = OptionalLong.of(there.get().id());
                    had.add(slot);
                }
            } catch (CubeUnavailableException e) {
                missing = Optional.of(e);
            }
        }
        if (had.isEmpty() && missing.isPresent()) {
            throw missing.get();
        }
        return had.isEmpty() ? List.of(cubes.system()) : had;
    }

    /** Orders the parts of a bucket whose placement is no more by the first version of each. */
    private List<Part> ofDeleted(BucketName bucket, List<CubeSlot> had) throws IOException {
        NavigableMap<ObjectKey, CubeSlot> firsts = new TreeMap<>();
        VersionQuery first = new VersionQuery("", "", "", Optional.empty(), 1);
        for (CubeSlot slot : had) {
            in(slot, past -> past.listVersions(Caller.ofTask("", "past"), bucket, first))
                    .versions()
                    .forEach(version -> firsts.put(version.key(), slot));
        }
        if (firsts.isEmpty()) {
            return List.of(new Part(KeyRange.ALL, had.getFirst()));
        }
        List<Part> parts = new ArrayList<>();
        firsts.forEach(
                (key, slot) ->
                        parts.add(
                                new Part(
                                        new KeyRange(
                                                parts.isEmpty()
                                                        ? Optional.empty()
                                                        : Optional.of(key),
                                                Optional.ofNullable(firsts.higherKey(key))),
                                        slot)));
        return parts;
    }

    /** Returns the cube that has the past of a key. */
    CubeSlot slotOf(BucketRef bucket, ObjectKey key) throws IOException {
        return parts(bucket.name()).stream()
                .filter(part -> part.range().contains(key))
                .findFirst()
                .orElseThrow()
                .slot();
    }

    /** A read of a past. */
    @FunctionalInterface
    private interface Read<T> {
        T of(ObjectReader past) throws IOException;
    }

    /** Reads the past of a key, and again when the bucket moved meanwhile. */
    private <T> T read(BucketRef bucket, ObjectKey key, Read<T> read) throws IOException {
        return routing.attemptRead(bucket, row -> in(slotOf(bucket, key), read));
    }

    private <T> T pages(Caller caller, BucketRef bucket, SectionPages.Listing<T> listing)
            throws IOException {
        return routing.attemptRead(
                bucket,
                row ->
                        listing.of(
                                new SectionPages(
                                        caller,
                                        bucket,
                                        parts(bucket.name()).stream()
                                                .map(
                                                        part ->
                                                                new SectionPages.Section(
                                                                        part.range(),
                                                                        () -> past(part.slot())))
                                                .toList())));
    }

    @Override
    public Optional<BucketInfo> bucket(BucketName name) {
        try {
            return routing.attemptRead(
                    name, row -> in(parts(name).getFirst().slot(), past -> past.bucket(name)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public List<BucketInfo> listBuckets(
            Optional<String> owner, String prefix, String after, int max) {
        try {
            List<BucketInfo> all = new ArrayList<>();
            for (CubeSlot slot : cubes.listed()) {
                all.addAll(past(slot).listBuckets(owner, prefix, after, max));
            }
            all.sort(Comparator.comparing(bucket -> bucket.name().value()));
            // Each part of a divided bucket has the past of its settings.
            Set<Long> ids = new HashSet<>();
            return all.stream().filter(each -> ids.add(each.id())).limit(max).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public Optional<ObjectVersion> head(
            Caller caller, BucketRef bucket, ObjectKey key, VersionSelector selector)
            throws IOException {
        return read(bucket, key, past -> past.head(caller, bucket, key, selector));
    }

    @Override
    public ObjectVersion lastKnown(BucketRef bucket, ObjectVersion version) throws IOException {
        return read(bucket, version.key(), past -> past.lastKnown(bucket, version));
    }

    @Override
    public OpenObject open(Caller caller, BucketRef bucket, ObjectKey key, VersionSelector selector)
            throws IOException {
        return routing.attempt(
                bucket,
                row -> in(slotOf(bucket, key), past -> past.open(caller, bucket, key, selector)));
    }

    @Override
    public List<PartInfo> parts(Caller caller, BucketRef bucket, ObjectVersion version)
            throws IOException {
        return read(bucket, version.key(), past -> past.parts(caller, bucket, version));
    }

    @Override
    public ObjectPage listObjects(Caller caller, BucketRef bucket, ObjectQuery query)
            throws IOException {
        return pages(caller, bucket, pages -> pages.objects(query));
    }

    @Override
    public VersionPage listVersions(Caller caller, BucketRef bucket, VersionQuery query)
            throws IOException {
        return pages(caller, bucket, pages -> pages.versions(query));
    }

    @Override
    public UploadInfo upload(Caller caller, BucketRef bucket, ObjectKey key, String uploadId) {
        return first.upload(caller, bucket, key, uploadId);
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
        return first.listParts(caller, bucket, key, uploadId, afterPart, max);
    }

    @Override
    public UploadPage listUploads(Caller caller, BucketRef bucket, UploadQuery query)
            throws IOException {
        return pages(caller, bucket, pages -> pages.uploads(query));
    }
}
