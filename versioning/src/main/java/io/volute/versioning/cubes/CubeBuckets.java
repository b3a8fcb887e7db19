package io.volute.versioning.cubes;

import io.volute.storage.CubeUnavailableException;
import io.volute.versioning.StoreCubes.Phase;
import io.volute.versioning.StoreException;
import io.volute.versioning.StoreException.Reason;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.catalog.Catalog;
import io.volute.versioning.value.BucketDocument;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.BucketRef;
import io.volute.versioning.value.Caller;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The buckets of all cubes, and the cube of each. Thread-safe. */
final class CubeBuckets {
    private static final Logger LOG = LoggerFactory.getLogger(CubeBuckets.class);

    private final CubeRegistry cubes;
    private final Placements placements;
    private final Placing placing;
    private final StoreOptions options;

    /** Held while a bucket is created or deleted: names are unique over all cubes. */
    private final ReentrantLock changes = new ReentrantLock();

    /** Numbers of cubes that take no more buckets, because they are being deleted. */
    private final Set<Integer> closed = new HashSet<>();

    private final BucketMoves moves;
    private final CubeRouting routing;
    private final BucketParts parts;
    private final OwnBuckets own;
    private final ForeignBuckets foreign;

    CubeBuckets(
            CubeRegistry cubes,
            Placements placements,
            Placing placing,
            ForeignBuckets foreign,
            StoreOptions options) {
        this.cubes = cubes;
        this.placements = placements;
        this.placing = placing;
        this.foreign = foreign;
        this.options = options;
        this.own = new OwnBuckets(cubes, placements);
        this.routing =
                new CubeRouting(
                        cubes,
                        bucket -> cubes.hasSystem() ? placements.of(bucket) : own.placement(bucket),
                        placements::isUndecided);
        this.moves = new BucketMoves(cubes, this, placements, options.clock());
        this.parts = new BucketParts(cubes, routing, placements);
    }

    /** Returns whether open cubes sign, in a store whose system cube is elsewhere. */
    boolean areSigned() {
        return options.provenance().isPresent();
    }

    BucketMoves moves() {
        return moves;
    }

    OwnBuckets own() {
        return own;
    }

    BucketParts parts() {
        return parts;
    }

    /** Returns the calls of the cubes of buckets and keys. */
    CubeRouting routing() {
        return routing;
    }

    /** Runs while no bucket is created, deleted or handed over to another cube. */
    <T> T whileUnchanged(CubeSlot.Task<T> task) throws IOException {
        changes.lock();
        try {
            return task.run();
        } finally {
            changes.unlock();
        }
    }

    /** Returns the number of buckets of a cube; 0 for a system cube that is elsewhere. */
    long count(CubeSlot slot) {
        return slot == cubes.system()
                ? inSystem(Optional.empty(), "", "", Integer.MAX_VALUE).size()
                : placements.count(slot.number());
    }

    private List<BucketInfo> inSystem(
            Optional<String> owner, String prefix, String after, int max) {
        return cubes.system()
                .open()
                .map(open -> open.catalog().listBuckets(owner, prefix, after, max))
                .orElse(List.of());
    }

    /** Returns a present bucket. */
    static Optional<BucketInfo> find(CubeRouting routing, BucketName bucket) {
        try {
            return routing.read(bucket, catalog -> catalog.bucket(bucket));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Lists buckets. Of a cube that is not open, they have name, owner and time of creation. */
    List<BucketInfo> list(Optional<String> owner, String prefix, String after, int max) {
        if (!cubes.hasSystem()) {
            return own.list(owner, prefix, after, max);
        }
        List<BucketInfo> found = new ArrayList<>(inSystem(owner, prefix, after, max));
        if (placements.isEmpty()) {
            return found;
        }
        // A bucket that is being handed over may be in two cubes.
        found.removeIf(each -> placements.find(each.name()).isPresent());
        placements.all().entrySet().stream()
                .filter(each -> each.getKey().value().startsWith(prefix))
                .filter(each -> each.getKey().value().compareTo(after) > 0)
                .filter(each -> owner.isEmpty() || owner.get().equals(each.getValue().owner()))
                .limit(max)
                .flatMap(each -> info(each.getKey(), each.getValue()).stream())
                .forEach(found::add);
        return found.stream()
                .sorted(Comparator.comparing(bucket -> bucket.name().value()))
                .limit(max)
                .toList();
    }

    private Optional<BucketInfo> info(BucketName name, PlacementRow row) {
        Optional<CubeSlot.Open> open = cubes.find(row.cube()).flatMap(CubeSlot::open);
        if (open.isEmpty()) {
            return Optional.of(row.info(name));
        }
        Optional<BucketInfo> there = open.get().catalog().bucket(name);
        return there.isPresent() || placements.find(name).equals(Optional.of(row))
                ? there
                : find(routing, name);
    }

    BucketInfo create(
            Caller caller,
            BucketName name,
            boolean locking,
            Map<BucketDocument, String> documents,
            Optional<String> cube)
            throws IOException {
        requirePlacements();
        changes.lock();
        try {
            refuseExisting(name, caller);
            CubeSlot slot = placing.of(cube, this::count);
            CubeSlot.Call<BucketInfo> creation =
                    catalog -> catalog.createBucket(caller, name, locking, documents);
            if (slot == cubes.system()) {
                requireRoom();
                return slot.call(creation);
            }
            requireRoom();
            if (slot.phase() == Phase.ELSEWHERE) {
                requireOpenForNew(slot);
                PlacementRow row = newRow(slot, caller);
                return foreign.create(slot, row, caller, name, locking, documents);
            }
            return create(slot, name, caller, creation);
        } finally {
            changes.unlock();
        }
    }

    private BucketInfo create(
            CubeSlot slot, BucketName name, Caller caller, CubeSlot.Call<BucketInfo> creation)
            throws IOException {
        Catalog catalog = slot.catalog();
        requireOpenForNew(slot);
        boolean isCreated = false;
        placements.put(name, newRow(slot, caller));
        try {
            BucketInfo created = slot.call(creation);
            isCreated = true;
            return created;
        } finally {
            if (!isCreated && catalog.bucket(name).isEmpty()) {
                // After a failed force the next start of the cube knows better: see reconcile.
                placements.remove(name);
            }
        }
    }

    private PlacementRow newRow(CubeSlot slot, Caller caller) {
        Instant now = options.clock().instant().truncatedTo(ChronoUnit.MILLIS);
        return new PlacementRow(slot.number(), now, caller.principal());
    }

    /** Refuses to change placements that another server has. */
    private void requirePlacements() throws CubeUnavailableException {
        if (!cubes.hasSystem()) {
            Catalog unused = cubes.system().catalog();
        }
    }

    /** Refuses when a cube takes no more buckets. The caller holds the lock of changes. */
    void requireOpenForNew(CubeSlot slot) {
        if (closed.contains(slot.number())) {
            throw CubeRegistry.refused("cube " + slot.name() + " is being deleted");
        }
    }

    private void refuseExisting(BucketName name, Caller caller) {
        Optional<String> owner =
                placements
                        .find(name)
                        .map(PlacementRow::owner)
                        .or(
                                () ->
                                        cubes.system()
                                                .open()
                                                .flatMap(open -> open.catalog().bucket(name))
                                                .map(BucketInfo::owner));
        if (owner.isPresent()) {
            throw new StoreException(
                    owner.get().equals(caller.principal())
                            ? Reason.BUCKET_OWNED_BY_CALLER
                            : Reason.BUCKET_OWNED_BY_OTHER,
                    "bucket " + name.value() + " exists already");
        }
    }

    private void requireRoom() {
        long all = count(cubes.system()) + placements.countOutside();
        if (all >= options.limits().bucketsMax()) {
            throw new StoreException(Reason.TOO_MANY_BUCKETS, "there are " + all + " buckets");
        }
    }

    void delete(Caller caller, BucketRef bucket) throws IOException {
        if (!cubes.hasSystem()) {
            // The server with the placements removes the one of this bucket.
            own.delete(routing.home(bucket.name()), caller, bucket);
            return;
        }
        changes.lock();
        try {
            PlacementRow row = placements.of(bucket.name());
            CubeSlot slot = routing.slot(row.cube());
            if (slot.phase() == Phase.ELSEWHERE) {
                foreign.delete(slot, row, caller, bucket);
                return;
            }
            if (row.isDivided()) {
                parts.delete(bucket, row);
                return;
            }
            boolean isDeleted =
                    slot.call(
                            catalog -> {
                                catalog.deleteBucket(caller, bucket);
                                return true;
                            });
            if (isDeleted && slot != cubes.system()) {
                placements.remove(bucket.name());
            }
        } finally {
            changes.unlock();
        }
    }

    /** Compares the placements with the buckets of a cube of another server. */
    void reconcileElsewhere(CubeSlot slot) throws IOException {
        requirePlacements();
        boolean unused = whileUnchanged(() -> foreign.reconcile(slot));
    }

    void deletedElsewhere(BucketName bucket) throws IOException {
        requirePlacements();
        boolean unused = whileUnchanged(() -> foreign.forget(bucket));
    }

    /** Changes the settings of a bucket, in all its parts. */
    void change(BucketRef bucket, CubeSlot.Call<Boolean> change) throws IOException {
        boolean unused =
                routing.attempt(
                        bucket,
                        row ->
                                row.isDivided()
                                        ? whileUnchanged(() -> changeParts(bucket, row, change))
                                        : routing.slot(row.cube()).call(change));
    }

    private boolean changeParts(BucketRef bucket, PlacementRow row, CubeSlot.Call<Boolean> change)
            throws IOException {
        if (!routing.placement(bucket).equals(row)) {
            // The caller attempts it again under the new placement.
            throw StoreException.noSuchBucket(bucket.name());
        }
        parts.change(bucket.name(), row, change);
        return true;
    }

    /** Lets a cube take no more buckets, unless it has some; returns their number. */
    long closeForNew(CubeSlot slot) {
        changes.lock();
        try {
            long buckets = placements.count(slot.number());
            for (BucketName moving : placements.moving(slot.number())) {
                throw CubeRegistry.refused(
                        "bucket "
                                + moving.value()
                                + " is being moved from or to cube "
                                + slot.name()
                                + ": wait for the end of the move");
            }
            if (buckets == 0) {
                closed.add(slot.number());
            }
            return buckets;
        } finally {
            changes.unlock();
        }
    }

    /** Lets a cube take buckets again. */
    void openForNew(CubeSlot slot) {
        changes.lock();
        try {
            closed.remove(slot.number());
        } finally {
            changes.unlock();
        }
    }

    /**
     * Compares the placements with the buckets of a cube that was opened. A process may have ended
     * between the two commits of a creation or a deletion. Where the placements are another
     * server's, only the parts of divided buckets are compared.
     */
    void reconcile(CubeSlot slot) throws IOException {
        changes.lock();
        try {
            if (!cubes.hasSystem()) {
                parts.reconcile(slot);
                return;
            }
            Catalog catalog = slot.catalog();
            for (Map.Entry<BucketName, PlacementRow> each : placements.all().entrySet()) {
                if (each.getValue().cube() == slot.number()
                        && !each.getValue().isDivided()
                        && catalog.bucket(each.getKey()).isEmpty()) {
                    LOG.info("{} is no bucket of cube {}", each.getKey().value(), slot.name());
                    placements.remove(each.getKey());
                }
            }
            for (BucketInfo bucket :
                    catalog.listBuckets(Optional.empty(), "", "", Integer.MAX_VALUE)) {
                adopt(slot, bucket);
            }
            parts.reconcile(slot);
            moves.resume(slot);
        } finally {
            changes.unlock();
        }
    }

    /** Adds the placement of a bucket, if it is missing. */
    void adopt(CubeSlot slot, BucketInfo bucket) throws IOException {
        Optional<CubeSlot> known = routing.slotOf(bucket.name());
        if (known.isEmpty()) {
            LOG.info("bucket {} is in cube {}", bucket.name().value(), slot.name());
            placements.put(bucket.name(), OwnBuckets.row(slot, bucket));
        } else if (placements.of(bucket.name()).rangeIn(slot.number()).isEmpty()) {
            LOG.error(
                    "bucket {} is in cube {} and in cube {}, which serves it: one of the two"
                            + " directories is an older copy",
                    bucket.name().value(),
                    slot.name(),
                    known.get().name());
        }
    }
}
