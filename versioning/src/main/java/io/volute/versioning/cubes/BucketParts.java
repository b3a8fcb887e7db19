package io.volute.versioning.cubes;

import io.volute.versioning.StoreException;
import io.volute.versioning.bucket.BucketDirectory;
import io.volute.versioning.state.BucketEntry;
import io.volute.versioning.state.ScopedHold;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.BucketRef;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The parts of divided buckets: gives them the settings of the home cube, and deletes them
 * together. The caller holds the lock of changes of buckets.
 */
record BucketParts(CubeRegistry cubes, CubeRouting routing, Placements placements) {
    private static final Logger LOG = LoggerFactory.getLogger(BucketParts.class);

    /**
     * Changes the settings of a bucket in its home cube, then in its parts.
     *
     * @throws io.volute.storage.CubeUnavailableException before any change, when a part is not open
     */
    void change(BucketName bucket, PlacementRow row, CubeSlot.Call<Boolean> change)
            throws IOException {
        for (CubeSlot slot : routing.slots(row)) {
            boolean unused = slot.call(catalog -> catalog.bucket(bucket).isPresent());
        }
        CubeSlot home = routing.slot(row.cube());
        boolean isChanged = home.call(change);
        Optional<BucketInfo> info = home.call(catalog -> catalog.bucket(bucket));
        if (isChanged && info.isPresent()) {
            follow(row, info.get());
        }
    }

    private void follow(PlacementRow row, BucketInfo home) throws IOException {
        for (PlacementRow.Part part : row.parts()) {
            CubeSlot slot = routing.slot(part.cube());
            if (slot.open().isPresent()) {
                boolean unused =
                        slot.call(
                                catalog -> {
                                    catalog.settings().follow(home);
                                    return true;
                                });
            }
        }
    }

    /**
     * Deletes a divided bucket: in the home cube, in its parts, then its placement, unless that is
     * another server's. After a failure behind the first step a repeated call finishes it, and so
     * does {@link #reconcile}.
     *
     * @throws io.volute.versioning.StoreException BUCKET_NOT_EMPTY before any change
     */
    void delete(BucketRef bucket, PlacementRow row) throws IOException {
        deleteEntries(bucket, row);
        if (cubes.hasSystem()) {
            placements.remove(bucket.name());
        }
    }

    /** Deletes a divided bucket in its cubes; see {@link #delete}. */
    void deleteEntries(BucketRef bucket, PlacementRow row) throws IOException {
        record Held(BucketDirectory buckets, BucketEntry entry, ScopedHold hold) {}
        List<Held> held = new ArrayList<>();
        try {
            for (CubeSlot slot : routing.slots(row)) {
                BucketDirectory buckets = BucketMoves.side(slot).buckets();
                Optional<BucketEntry> entry = buckets.entry(bucket.name());
                if (entry.isPresent()) {
                    if (!bucket.means(entry.get().id())) {
                        throw StoreException.noSuchBucket(bucket.name());
                    }
                    held.add(new Held(buckets, entry.get(), buckets.excludeEmpty(entry.get())));
                }
            }
            for (Held each : held) {
                each.buckets().remove(each.entry());
            }
        } finally {
            held.forEach(each -> each.hold().close());
        }
    }

    /**
     * Continues what a process left between two cubes, when one of them was opened: a change of
     * settings or a deletion.
     */
    void reconcile(CubeSlot opened) {
        for (Map.Entry<BucketName, PlacementRow> each : placements.all().entrySet()) {
            PlacementRow row = each.getValue();
            if (row.isDivided() && row.rangeIn(opened.number()).isPresent()) {
                try {
                    reconcile(each.getKey(), row);
                } catch (IOException | RuntimeException e) {
                    LOG.warn(
                            "the parts of bucket {} differ; repair the cause, then reopen cube {}",
                            each.getKey().value(),
                            opened.name(),
                            e);
                }
            }
        }
    }

    private void reconcile(BucketName bucket, PlacementRow row) throws IOException {
        Optional<CubeSlot.Open> home = routing.slot(row.cube()).open();
        if (home.isEmpty()) {
            return;
        }
        Optional<BucketInfo> info = home.get().catalog().bucket(bucket);
        if (info.isPresent()) {
            follow(row, info.get());
        } else if (routing.slots(row).stream().allMatch(slot -> slot.open().isPresent())) {
            LOG.info("the parts of the deleted bucket {} are removed", bucket.value());
            delete(bucket, row);
        }
    }
}
