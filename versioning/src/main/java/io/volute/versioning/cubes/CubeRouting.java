package io.volute.versioning.cubes;

import io.volute.storage.CubeUnavailableException;
import io.volute.storage.MissingBlobException;
import io.volute.versioning.StoreCubes;
import io.volute.versioning.StoreException;
import io.volute.versioning.body.GoneException;
import io.volute.versioning.read.SectionPages;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ObjectKey;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Finds the cube of a bucket or of a key, and calls it. A call that meets a move is repeated in the
 * new cube. Thread-safe.
 */
final class CubeRouting {
    private final CubeRegistry cubes;
    private final Placements placements;

    /** Buckets of which keys moved since the start of the process. */
    private final Set<BucketName> moved = ConcurrentHashMap.newKeySet();

    /** Buckets whose new placement is being committed, or failed to be. */
    private final Set<BucketName> undecided = ConcurrentHashMap.newKeySet();

    CubeRouting(CubeRegistry cubes, Placements placements) {
        this.cubes = cubes;
        this.placements = placements;
    }

    /** An attempt under a placement. */
    @FunctionalInterface
    interface Attempt<T> {
        T under(PlacementRow row) throws IOException;
    }

    /** Attempts something, and again when it failed under a placement that changed meanwhile. */
    <T> T attempt(BucketName bucket, Attempt<T> attempt) throws IOException {
        while (true) {
            PlacementRow row = placements.of(bucket);
            try {
                return attempt.under(row);
            } catch (StoreException | GoneException | MissingBlobException e) {
                requireDecided(bucket);
                if (placements.of(bucket).equals(row)) {
                    throw e;
                }
            }
        }
    }

    /** Attempts a read, and again when the placement changed meanwhile. */
    <T> T attemptRead(BucketName bucket, Attempt<T> attempt) throws IOException {
        while (true) {
            PlacementRow row = placements.of(bucket);
            T result = attempt(bucket, attempt);
            if (placements.of(bucket).equals(row)) {
                return result;
            }
        }
    }

    /** Calls the home cube of a bucket, and again when the bucket moved before the call began. */
    <T> T call(BucketName bucket, CubeSlot.Call<T> call) throws IOException {
        return attempt(bucket, row -> slot(row.cube()).call(call));
    }

    /** Calls the cube of a key, as {@link #call(BucketName, CubeSlot.Call)} does. */
    <T> T call(BucketName bucket, ObjectKey key, CubeSlot.Call<T> call) throws IOException {
        return attempt(bucket, row -> slot(row, key).call(call));
    }

    /** Reads in the home cube of a bucket, and again when the bucket moved meanwhile. */
    <T> T read(BucketName bucket, CubeSlot.Call<T> call) throws IOException {
        return attemptRead(bucket, row -> slot(row.cube()).call(call));
    }

    /** Reads in the cube of a key, as {@link #read(BucketName, CubeSlot.Call)} does. */
    <T> T read(BucketName bucket, ObjectKey key, CubeSlot.Call<T> call) throws IOException {
        return attemptRead(bucket, row -> slot(row, key).call(call));
    }

    /**
     * Calls the cube of a key with a body that was written to it.
     *
     * @throws CubeUnavailableException BUSY when the key moved meanwhile: the request can be
     *     repeated
     */
    <T> T callWithBody(BucketName bucket, ObjectKey key, CubeSlot.Call<T> call) throws IOException {
        PlacementRow row = placements.of(bucket);
        try {
            return slot(row, key).call(call);
        } catch (StoreException | IllegalArgumentException e) {
            requireDecided(bucket);
            // A body belongs to the cube in which it was written.
            if (placements.of(bucket).equals(row)
                    && !(e instanceof IllegalArgumentException && moved.contains(bucket))) {
                throw e;
            }
            CubeUnavailableException again =
                    new CubeUnavailableException(
                            CubeUnavailableException.Reason.BUSY,
                            "bucket " + bucket.value() + " moved to another cube: try again");
            again.initCause(e);
            throw again;
        }
    }

    /** Notes that the new placement of a bucket is being committed. */
    void beginHandOver(BucketName bucket) {
        moved.add(bucket);
        undecided.add(bucket);
    }

    /** Notes that the new placement of a bucket is committed. */
    void endHandOver(BucketName bucket) {
        undecided.remove(bucket);
    }

    /**
     * Refuses requests for a bucket while only the next start can decide which cube has it.
     *
     * @throws CubeUnavailableException READ_ONLY
     */
    private void requireDecided(BucketName bucket) throws CubeUnavailableException {
        if (undecided.contains(bucket)) {
            throw new CubeUnavailableException(
                            CubeUnavailableException.Reason.READ_ONLY,
                            "the move of bucket "
                                    + bucket.value()
                                    + " was not recorded: repair the system cube, then restart")
                    .in(StoreCubes.SYSTEM);
        }
    }

    /** Reads a listing of a bucket, and again when keys moved meanwhile. */
    <T> T pages(Caller caller, BucketName bucket, SectionPages.Listing<T> listing)
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

    PlacementRow placement(BucketName bucket) {
        return placements.of(bucket);
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
        return slot(placements.of(bucket).cube());
    }

    /** Returns the cube of a key of a bucket. */
    CubeSlot home(BucketName bucket, ObjectKey key) {
        return slot(placements.of(bucket), key);
    }

    /** Returns the home cube of a bucket; empty when there is no such bucket. */
    Optional<CubeSlot> slotOf(BucketName bucket) {
        return Optional.of(home(bucket))
                .filter(slot -> slot != cubes.system() || has(slot, bucket));
    }

    private static boolean has(CubeSlot slot, BucketName bucket) {
        return slot.open().flatMap(open -> open.catalog().bucket(bucket)).isPresent();
    }

    /**
     * Returns the cubes of a bucket, or of the last bucket that had this name, in no order; the
     * system cube when there never was one.
     */
    List<CubeSlot> lastHomes(BucketName bucket) {
        if (slotOf(bucket).isPresent()) {
            return slots(placements.of(bucket));
        }
        List<CubeSlot> had =
                cubes.slots().stream().filter(slot -> lastId(slot, bucket) != 0).toList();
        return had.isEmpty()
                ? List.of(cubes.system())
                : had.stream()
                        .filter(slot -> lastId(slot, bucket) == lastId(had.getFirst(), bucket))
                        .toList();
    }

    /** Returns the id of the last bucket of a name in a cube; 0 when there was none. */
    private static long lastId(CubeSlot slot, BucketName bucket) {
        return slot.open()
                .flatMap(open -> open.catalog().findLast(bucket))
                .map(info -> info.id())
                .orElse(0L);
    }
}
