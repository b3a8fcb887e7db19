package io.volute.versioning.cubes;

import io.volute.storage.CubeUnavailableException;
import io.volute.versioning.StoreCubes.Elsewhere;
import io.volute.versioning.StoreCubes.Phase;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.value.BucketDocument;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.BucketRef;
import io.volute.versioning.value.Caller;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The buckets of cubes that other nodes have: their placements, and calls of their owners. The
 * caller holds the lock of changes of buckets.
 */
record ForeignBuckets(CubeRegistry cubes, Placements placements, Elsewhere owners) {
    private static final Logger LOG = LoggerFactory.getLogger(ForeignBuckets.class);

    /** Refusals of a bucket that is there: the placements did not have it. */
    private static final Set<Reason> EXISTING =
            Set.of(Reason.BUCKET_OWNED_BY_CALLER, Reason.BUCKET_OWNED_BY_OTHER);

    /**
     * Creates a bucket: its placement, then the bucket. After a failure whose outcome is not known
     * the placement stays, until {@link #reconcile} compares it.
     */
    BucketInfo create(
            CubeSlot slot,
            PlacementRow row,
            Caller caller,
            BucketName name,
            boolean locking,
            Map<BucketDocument, String> documents)
            throws IOException {
        placements.put(name, row);
        try {
            return owners.createBucket(slot.name(), caller, name, locking, documents);
        } catch (IOException | RuntimeException e) {
            Optional<List<BucketInfo>> known =
                    isRefused(e) ? Optional.of(List.of()) : buckets(slot, e);
            if (known.isEmpty()) {
                throw e;
            }
            Optional<BucketInfo> there = find(known.get(), name);
            if (there.isEmpty()) {
                placements.remove(name);
                throw e;
            }
            if (!there.get().owner().equals(caller.principal())) {
                placements.put(name, OwnBuckets.row(slot, there.get()));
                throw e;
            }
            return there.get();
        }
    }

    /** Returns whether the owner refused before it changed anything. */
    private static boolean isRefused(Exception e) {
        return switch (e) {
            case StoreException refusal -> !EXISTING.contains(refusal.reason());
            case CubeUnavailableException refusal ->
                    switch (refusal.reason()) {
                        case NOT_OPEN, BUSY, FULL -> true;
                        case READ_ONLY, CLOSED -> false;
                    };
            default -> false;
        };
    }

    /** Returns the buckets of a cube after a failure; empty when its owner does not answer. */
    private Optional<List<BucketInfo>> buckets(CubeSlot slot, Exception after) {
        try {
            return Optional.of(owners.buckets(slot.name()));
        } catch (IOException | RuntimeException e) {
            LOG.warn(
                    "the owner of cube {} does not answer; its buckets are compared when it does",
                    slot.name(),
                    e);
            after.addSuppressed(e);
            return Optional.empty();
        }
    }

    private static Optional<BucketInfo> find(List<BucketInfo> buckets, BucketName name) {
        return buckets.stream().filter(bucket -> bucket.name().equals(name)).findFirst();
    }

    /** Deletes a bucket with its parts, then its placement. */
    void delete(CubeSlot home, PlacementRow row, Caller caller, BucketRef bucket)
            throws IOException {
        BucketName name = bucket.name();
        try {
            owners.deleteBucket(home.name(), caller, bucket);
        } catch (StoreException e) {
            if (!row.isDivided() && e.reason() == Reason.NO_SUCH_BUCKET) {
                // An earlier call deleted it, and its outcome was not known.
                placements.remove(name);
            }
            throw e;
        } catch (IOException | RuntimeException e) {
            // The parts of a divided bucket may be there although its home is not.
            boolean isGone =
                    !row.isDivided()
                            && !isRefused(e)
                            && buckets(home, e)
                                    .filter(all -> find(all, name).isEmpty())
                                    .isPresent();
            if (!isGone) {
                throw e;
            }
        }
        placements.remove(name);
    }

    /** Removes the placement of a bucket that its owner has deleted; false if it is here. */
    boolean forget(BucketName bucket) throws IOException {
        boolean isElsewhere =
                placements.find(bucket).isPresent()
                        && cubes.buckets().routing().home(bucket).phase() == Phase.ELSEWHERE;
        if (isElsewhere) {
            placements.remove(bucket);
        }
        return isElsewhere;
    }

    /**
     * Compares the placements with the buckets of a cube that its owner serves; returns false if
     * the cube is here.
     */
    boolean reconcile(CubeSlot slot) throws IOException {
        if (slot.phase() != Phase.ELSEWHERE) {
            return false;
        }
        List<BucketInfo> there = owners.buckets(slot.name());
        for (Map.Entry<BucketName, PlacementRow> each : placements.all().entrySet()) {
            BucketName name = each.getKey();
            PlacementRow row = each.getValue();
            if (row.cube() == slot.number()
                    && find(there, name).isEmpty()
                    && (!row.isDivided() || isNowhere(name, row))) {
                LOG.info("{} is no bucket of cube {}", name.value(), slot.name());
                placements.remove(name);
            }
        }
        for (BucketInfo bucket : there) {
            cubes.buckets().adopt(slot, bucket);
        }
        return true;
    }

    /** Returns whether no part of a divided bucket is left. */
    private boolean isNowhere(BucketName name, PlacementRow row) throws IOException {
        for (CubeSlot slot : cubes.buckets().routing().slots(row)) {
            if (slot.phase() != Phase.ELSEWHERE
                    || find(owners.buckets(slot.name()), name).isPresent()) {
                return false;
            }
        }
        return true;
    }
}
