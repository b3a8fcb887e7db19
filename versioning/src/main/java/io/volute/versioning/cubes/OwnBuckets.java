package io.volute.versioning.cubes;

import io.volute.versioning.state.BucketEntry;
import io.volute.versioning.value.BucketDocument;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.BucketRef;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.KeyRange;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The buckets of the open cubes by their catalogs, which are right before the placements of a view
 * are. Thread-safe.
 */
record OwnBuckets(CubeRegistry cubes, Placements placements) {
    /**
     * Returns the placement of a bucket: an open cube that has the bucket is its cube, whatever the
     * view has. The cubes of a divided bucket have one owner, so the view has its ranges.
     */
    PlacementRow placement(BucketName bucket) {
        PlacementRow known = placements.of(bucket);
        Optional<PlacementRow> own = Optional.empty();
        for (CubeSlot slot : cubes.slots()) {
            Optional<BucketEntry> entry =
                    slot.open().flatMap(open -> open.catalog().buckets().entry(bucket));
            if (entry.isPresent()) {
                KeyRange range = entry.get().range();
                if (known.rangeIn(slot.number()).equals(Optional.of(range))) {
                    return known;
                }
                if (range.equals(KeyRange.ALL)) {
                    BucketInfo info = entry.get().info();
                    own = Optional.of(row(slot, info));
                }
            }
        }
        return own.orElse(known);
    }

    /** Returns the placement of a bucket whose keys are all in one cube. */
    static PlacementRow row(CubeSlot slot, BucketInfo bucket) {
        return new PlacementRow(slot.number(), bucket.created(), bucket.owner());
    }

    /** Lists the buckets of the open cubes, as {@link CubeBuckets#list} does. */
    List<BucketInfo> list(Optional<String> owner, String prefix, String after, int max) {
        // A divided bucket is in several cubes.
        NavigableMap<BucketName, BucketInfo> found = new TreeMap<>();
        for (CubeSlot slot : cubes.slots()) {
            slot.open().stream()
                    .flatMap(open -> open.catalog().listBuckets(owner, prefix, after, max).stream())
                    .forEach(bucket -> found.putIfAbsent(bucket.name(), bucket));
        }
        return found.values().stream().limit(max).toList();
    }

    /** Returns the buckets of a cube, after a change of them that is under way. */
    List<BucketInfo> of(CubeSlot slot) throws IOException {
        return changing(
                slot, catalog -> catalog.listBuckets(Optional.empty(), "", "", Integer.MAX_VALUE));
    }

    private <T> T changing(CubeSlot slot, CubeSlot.Call<T> call) throws IOException {
        return cubes.buckets().whileUnchanged(() -> slot.call(call));
    }

    /** Creates a bucket that has its placement, or returns the one of the caller that is there. */
    BucketInfo create(
            CubeSlot slot,
            Caller caller,
            BucketName name,
            boolean locking,
            Map<BucketDocument, String> documents)
            throws IOException {
        return changing(
                slot,
                catalog -> {
                    Optional<BucketInfo> there =
                            catalog.bucket(name)
                                    .filter(each -> each.owner().equals(caller.principal()));
                    return there.isPresent()
                            ? there.get()
                            : catalog.createBucket(caller, name, locking, documents);
                });
    }

    /** Deletes a bucket with all its parts, but not its placement. */
    void delete(CubeSlot slot, Caller caller, BucketRef bucket) throws IOException {
        boolean unused =
                changing(
                        slot,
                        catalog -> {
                            PlacementRow row = placement(bucket.name());
                            if (row.isDivided() && row.rangeIn(slot.number()).isPresent()) {
                                cubes.buckets().parts().deleteEntries(bucket, row);
                            } else {
                                catalog.deleteBucket(caller, bucket);
                            }
                            return true;
                        });
    }
}
