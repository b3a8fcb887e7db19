package io.volute.versioning.cubes;

import io.volute.storage.CubeUnavailableException;
import io.volute.storage.MissingBlobException;
import io.volute.versioning.StoreCubes;
import io.volute.versioning.StoreCubes.Phase;
import io.volute.versioning.StoreException;
import io.volute.versioning.body.GoneException;
import io.volute.versioning.read.SectionPages;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.BucketRef;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectKey;
import java.io.IOException;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Finds the cube of a bucket or of a key, and calls it. A call that meets a move is repeated in the
 * new cube. A routing for reading also calls views of the cubes that other nodes have. Thread-safe.
 */
final class CubeRouting {
    private final CubeRegistry cubes;
    private final Function<BucketName, PlacementRow> placements;

    /** Buckets of which keys moved since the start of the process. */
    private final Set<BucketName> moved;

    private final AtomicLong handOvers;

    private final Predicate<BucketName> isUndecided;

    /** The views that are read; empty if calls of cubes of other nodes are refused. */
    private final Optional<ViewCatalogs.Reading> views;

    /**
     * Creates a routing.
     *
     * @param placements returns the placement of a bucket
     * @param isUndecided returns whether only the next start can decide which cube has a bucket
     */
    CubeRouting(
            CubeRegistry cubes,
            Function<BucketName, PlacementRow> placements,
            Predicate<BucketName> isUndecided) {
        this.cubes = cubes;
        this.placements = placements;
        this.moved = ConcurrentHashMap.newKeySet();
        this.handOvers = new AtomicLong();
        this.isUndecided = isUndecided;
        this.views = Optional.empty();
    }

    private CubeRouting(CubeRouting of, ViewCatalogs.Reading views) {
        this.cubes = of.cubes;
        this.placements = of.placements;
        this.moved = of.moved;
        this.handOvers = of.handOvers;
        this.isUndecided = of.isUndecided;
        this.views = Optional.of(views);
    }

    /**
     * Returns a routing for one request that reads, which also reaches the cubes of other nodes. It
     * sees every commit that was acknowledged before this call.
     */
    CubeRouting anywhere() {
        return new CubeRouting(this, cubes.views().begin());
    }

    /** Calls a cube, or the view of a cube that another node has. */
    <T> T on(CubeSlot slot, CubeSlot.Call<T> call) throws IOException {
        return isViewed(slot)
                ? views.orElseThrow().call(slot.number(), slot.name(), call::on)
                : slot.call(call);
    }

    /** Returns whether calls of a cube are calls of its views. */
    boolean isViewed(CubeSlot slot) {
        return views.isPresent() && slot.phase() == Phase.ELSEWHERE;
    }

    /**
     * Returns the placement for an attempt. Placements that another node changes can be late,
     * unless an open cube has the bucket.
     */
    private PlacementRow current(BucketRef bucket) throws IOException {
        PlacementRow row = placement(bucket);
        if (views.isPresent() && !has(slot(row.cube()), bucket.name())) {
            views.get().awaitSystem();
            return placement(bucket);
        }
        return row;
    }

    /** Begins to read again: a bucket may have moved after its placement was read. */
    private void renew() {
        views.ifPresent(ViewCatalogs.Reading::renew);
    }

    /** An attempt under a placement. */
    @FunctionalInterface
    interface Attempt<T> {
        T under(PlacementRow row) throws IOException;
    }

    /** Attempts something, and again when it failed under a placement that changed meanwhile. */
    <T> T attempt(BucketRef bucket, Attempt<T> attempt) throws IOException {
        while (true) {
            PlacementRow row = current(bucket);
            try {
                return attempt.under(row);
            } catch (StoreException | GoneException | MissingBlobException e) {
                requireDecided(bucket, e);
                renew();
                if (current(bucket).equals(row)) {
                    throw e;
                }
            }
        }
    }

    /** Attempts a read, and again when the placement changed meanwhile. */
    <T> T attemptRead(BucketRef bucket, Attempt<T> attempt) throws IOException {
        while (true) {
            PlacementRow row = current(bucket);
            T result = attempt(bucket, attempt);
            if (result instanceof Optional<?> found && found.isEmpty()) {
                renew();
            }
            if (current(bucket).equals(row)) {
                return result;
            }
        }
    }

    /** Calls the home cube of a bucket, and again when the bucket moved before the call began. */
    <T> T call(BucketRef bucket, CubeSlot.Call<T> call) throws IOException {
        return attempt(bucket, row -> on(slot(row.cube()), call));
    }

    /** Calls the cube of a key, as {@link #call(BucketRef, CubeSlot.Call)} does. */
    <T> T call(BucketRef bucket, ObjectKey key, CubeSlot.Call<T> call) throws IOException {
        return attempt(bucket, row -> on(slot(row, key), call));
    }

    /** Reads in the home cube of a bucket, and again when the bucket moved meanwhile. */
    <T> T read(BucketRef bucket, CubeSlot.Call<T> call) throws IOException {
        return attemptRead(bucket, row -> on(slot(row.cube()), call));
    }

    /** Reads in the cube of a key, as {@link #read(BucketRef, CubeSlot.Call)} does. */
    <T> T read(BucketRef bucket, ObjectKey key, CubeSlot.Call<T> call) throws IOException {
        return attemptRead(bucket, row -> on(slot(row, key), call));
    }

    /**
     * Calls the cube of a key with a body that was written to it.
     *
     * @throws CubeUnavailableException BUSY when the key moved meanwhile: the request can be
     *     repeated
     */
    <T> T callWithBody(BucketRef bucket, ObjectKey key, CubeSlot.Call<T> call) throws IOException {
        PlacementRow row = placement(bucket);
        try {
            return slot(row, key).call(call);
        } catch (StoreException | IllegalArgumentException e) {
            requireDecided(bucket, e);
            // A body belongs to the cube in which it was written.
            if (placement(bucket).equals(row)
                    && !(e instanceof IllegalArgumentException && moved.contains(bucket.name()))) {
                throw e;
            }
            CubeUnavailableException again =
                    new CubeUnavailableException(
                            CubeUnavailableException.Reason.BUSY,
                            "bucket "
                                    + bucket.name().value()
                                    + " moved to another cube: try again");
            again.initCause(e);
            throw again;
        }
    }

    /**
     * Notes that the new placement of a bucket is being committed. Until it is, the target takes no
     * write, so refusals of the source are true.
     */
    void beginHandOver(BucketName bucket) {
        moved.add(bucket);
        handOvers.incrementAndGet();
    }

    /** Returns the number of hand-overs that have begun since the start. */
    long handOvers() {
        return handOvers.get();
    }

    /**
     * Refuses writes to a bucket while only the next start can decide which cube has it. They fail
     * in the source as if the bucket were deleted. Other failures are true: the source serves
     * reads.
     *
     * @throws CubeUnavailableException READ_ONLY
     */
    private void requireDecided(BucketRef bucket, Exception failure)
            throws CubeUnavailableException {
        if (failure instanceof StoreException refusal
                && refusal.reason() == StoreException.Reason.NO_SUCH_BUCKET
                && isUndecided.test(bucket.name())) {
            throw new CubeUnavailableException(
                            CubeUnavailableException.Reason.READ_ONLY,
                            "the move of bucket "
                                    + bucket.name().value()
                                    + " was not recorded: repair the system cube, then restart")
                    .in(StoreCubes.SYSTEM);
        }
    }

    /** Reads a listing of a bucket, and again when keys moved meanwhile. */
    <T> T pages(Caller caller, BucketRef bucket, SectionPages.Listing<T> listing)
            throws IOException {
        return attemptRead(
                bucket,
                row ->
                        listing.of(
                                new SectionPages(
                                        caller,
                                        bucket,
                                        row.sections().stream().map(this::pages).toList())));
    }

    private SectionPages.Section pages(PlacementRow.Section section) {
        return new SectionPages.Section(section.range(), slot(section.cube())::catalog);
    }

    /** Returns the placement of a bucket as this server knows it. */
    PlacementRow placement(BucketRef bucket) {
        return placements.apply(bucket.name());
    }

    /** Returns the cubes that have keys of a bucket, in the order of the keys. */
    List<CubeSlot> slots(PlacementRow row) {
        return row.sections().stream().map(section -> slot(section.cube())).toList();
    }

    CubeSlot slot(int cube) {
        return cubes.find(cube).orElse(cubes.system());
    }

    CubeSlot slot(PlacementRow row, ObjectKey key) {
        return slot(row.section(key).cube());
    }

    /** Returns the home cube of a bucket; the system cube when there is no such bucket. */
    CubeSlot home(BucketName bucket) {
        return slot(placement(bucket).cube());
    }

    /** Returns the cube of a key of a bucket. */
    CubeSlot home(BucketName bucket, ObjectKey key) {
        return slot(placement(bucket), key);
    }

    /** Returns the home cube of a bucket; empty when there is no such bucket. */
    Optional<CubeSlot> slotOf(BucketName bucket) {
        return Optional.of(home(bucket)).filter(slot -> isPlaced(slot) || has(slot, bucket));
    }

    /**
     * Returns whether all buckets with a placement in a cube are there. A view may be older than
     * the deletion of a bucket, and the system cube has buckets without a placement.
     */
    private boolean isPlaced(CubeSlot slot) {
        return slot != cubes.system() && (cubes.hasSystem() || slot.open().isEmpty());
    }

    private static boolean has(CubeSlot slot, BucketName bucket) {
        return slot.open().flatMap(open -> open.catalog().bucket(bucket)).isPresent();
    }

    /**
     * Returns the cubes of a bucket, or of the last bucket that had this name, in no order; the
     * system cube when there never was one. Past buckets of other nodes are found in views.
     */
    List<CubeSlot> lastHomes(BucketName bucket) throws IOException {
        PlacementRow row = current(bucket);
        if (slotOf(bucket).isPresent()) {
            return slots(row);
        }
        List<CubeSlot> had = hadLast(bucket);
        return had.isEmpty() ? List.of(cubes.system()) : had;
    }

    /**
     * Returns the cubes of the last bucket that had a name, in no order. A routing for reading
     * leaves out cubes that are open nowhere.
     *
     * @throws CubeUnavailableException when a cube cannot be read: it may have the last one
     */
    List<CubeSlot> hadLast(BucketName bucket) throws IOException {
        CubeRouting reading = views.isPresent() ? this : anywhere();
        return lastOf(
                cubes.slots().stream()
                        .filter(
                                slot ->
                                        views.isEmpty()
                                                || slot.open().isPresent()
                                                || isViewed(slot))
                        .toList(),
                slot -> reading.on(slot, catalog -> catalog.buckets().findLast(bucket)));
    }

    /** Finds the last bucket of a name in a cube. */
    @FunctionalInterface
    interface Finding {
        Optional<BucketInfo> in(CubeSlot slot) throws IOException;
    }

    /** Returns those of some cubes that have the last of the buckets that are found in them. */
    static List<CubeSlot> lastOf(List<CubeSlot> slots, Finding finding) throws IOException {
        Map<CubeSlot, BucketInfo> had = new LinkedHashMap<>();
        for (CubeSlot slot : slots) {
            finding.in(slot).ifPresent(info -> had.put(slot, info));
        }
        Optional<BucketInfo> last =
                had.values().stream().max(Comparator.comparing(BucketInfo::created));
        return had.keySet().stream()
                .filter(slot -> had.get(slot).id() == last.orElseThrow().id())
                .toList();
    }
}
