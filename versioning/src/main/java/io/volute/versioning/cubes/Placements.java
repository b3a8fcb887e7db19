package io.volute.versioning.cubes;

import static io.volute.versioning.rows.Families.MOVES;
import static io.volute.versioning.rows.Families.PLACEMENTS;

import io.volute.storage.CubeState;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.RecordCursor;
import io.volute.storage.RecordStore;
import io.volute.storage.Transaction;
import io.volute.versioning.commit.Commits;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.KeyRange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * The cubes of the buckets that are not in the system cube alone, and the moves of buckets, all in
 * memory. Thread-safe for readers; the caller orders changes.
 */
final class Placements {
    private static final byte[] OPEN_END = {};

    private final RecordStore system;
    private final ConcurrentNavigableMap<BucketName, PlacementRow> rows =
            new ConcurrentSkipListMap<>();
    private final ConcurrentNavigableMap<BucketName, MoveRow> moves = new ConcurrentSkipListMap<>();

    /**
     * Moves whose new placement may be committed or not. The commit made the system cube read-only,
     * so only the next start can decide, and no bucket is added after the first.
     */
    private final ConcurrentNavigableMap<BucketName, MoveRow> undecided =
            new ConcurrentSkipListMap<>();

    /** Reads the placements and moves in the system cube. */
    public Placements(RecordStore system) {
        this.system = system;
        try (RecordCursor cursor = system.scan(PLACEMENTS, OPEN_END, OPEN_END)) {
            while (cursor.next()) {
                BucketName name = new BucketName(new String(cursor.key(), StandardCharsets.UTF_8));
                rows.put(name, PlacementRow.decode(cursor.record().summary()));
            }
        }
        try (RecordCursor cursor = system.scan(MOVES, OPEN_END, OPEN_END)) {
            while (cursor.next()) {
                BucketName name = new BucketName(new String(cursor.key(), StandardCharsets.UTF_8));
                moves.put(name, MoveRow.decode(cursor.record().summary()));
            }
        }
    }

    /** Takes placements and moves that were read later. */
    public void replace(Placements later) {
        rows.keySet().retainAll(later.rows.keySet());
        rows.putAll(later.rows);
        moves.keySet().retainAll(later.moves.keySet());
        moves.putAll(later.moves);
    }

    /** Returns the moves that have not ended, by the name of the bucket. */
    public NavigableMap<BucketName, MoveRow> moves() {
        return copy(moves);
    }

    /**
     * Copies a map whose entries may go meanwhile, which the constructor of a map does not take.
     */
    private static <T> NavigableMap<BucketName, T> copy(Map<BucketName, T> changing) {
        TreeMap<BucketName, T> all = new TreeMap<>();
        changing.forEach(all::put);
        return all;
    }

    /**
     * Returns the buckets that move from or to a cube.
     *
     * @param cube its number
     */
    public List<BucketName> moving(int cube) {
        return moves.entrySet().stream()
                .filter(each -> each.getValue().involves(cube))
                .map(Map.Entry::getKey)
                .toList();
    }

    /** Makes the phase of a move durable. */
    public void putMove(BucketName bucket, MoveRow move) throws IOException {
        Commits.join(system, with(new Transaction(), bucket, move));
        moves.put(bucket, move);
    }

    private static Transaction with(Transaction transaction, BucketName bucket, MoveRow move) {
        return transaction
                .makingRoom()
                .put(MOVES, RowKeys.bucket(bucket), move.encode(), new byte[0], List.of());
    }

    public void removeMove(BucketName bucket) throws IOException {
        Commits.join(system, new Transaction().delete(MOVES, RowKeys.bucket(bucket)));
        moves.remove(bucket);
    }

    /** Returns whether only the next start can decide which cube has a bucket that moved. */
    public boolean isUndecided(BucketName bucket) {
        return undecided.containsKey(bucket);
    }

    /** Returns whether {@link #isUndecided} is true for some bucket. */
    public boolean areUndecided() {
        return !undecided.isEmpty();
    }

    /**
     * Refuses to open a cube while only the next start can decide whether it has a bucket.
     *
     * @param cube its number
     */
    public void requireDecided(int cube) throws IOException {
        for (Map.Entry<BucketName, MoveRow> each : undecided.entrySet()) {
            if (each.getValue().involves(cube)) {
                throw new IOException(
                        "the move of bucket "
                                + each.getKey().value()
                                + " was not recorded: repair the system cube, then restart");
            }
        }
    }

    /**
     * Makes another cube the one of a bucket, together with the new phase of its move. After a
     * refusal everything is as before. After a failure of unknown outcome the placement is as
     * before, and the bucket is undecided.
     *
     * @param row empty for the system cube
     * @param serving runs after the commit, before the placement is visible
     */
    public void relocate(
            BucketName bucket, Optional<PlacementRow> row, MoveRow move, Runnable serving)
            throws IOException {
        Transaction transaction = with(new Transaction(), bucket, move);
        byte[] key = RowKeys.bucket(bucket);
        if (row.isPresent()) {
            transaction.put(PLACEMENTS, key, row.get().encode(), new byte[0], List.of());
        } else {
            transaction.delete(PLACEMENTS, key);
        }
        // A cube that is read-only already writes nothing.
        boolean isDecided = system.state() != CubeState.HEALTHY;
        try {
            Commits.join(system, transaction);
            isDecided = true;
        } catch (CubeUnavailableException e) {
            isDecided |= e.leavesLogAsItWas();
            throw e;
        } finally {
            if (!isDecided) {
                undecided.put(bucket, move);
            }
        }
        serving.run();
        moves.put(bucket, move);
        if (row.isPresent()) {
            rows.put(bucket, row.get());
        } else {
            rows.remove(bucket);
        }
    }

    public Optional<PlacementRow> find(BucketName bucket) {
        return Optional.ofNullable(rows.get(bucket));
    }

    /** Returns the placements, by name. */
    public NavigableMap<BucketName, PlacementRow> all() {
        return copy(rows);
    }

    /** Returns the placement of a bucket, {@link PlacementRow#SYSTEM} when it has no row. */
    public PlacementRow of(BucketName bucket) {
        return rows.getOrDefault(bucket, PlacementRow.SYSTEM);
    }

    /** Returns the buckets of which several cubes have keys, by name. */
    public List<BucketName> divided() {
        return rows.entrySet().stream()
                .filter(each -> each.getValue().isDivided())
                .map(Map.Entry::getKey)
                .toList();
    }

    /** Returns the ranges of keys that a cube has of divided buckets. */
    public Map<BucketName, KeyRange> rangesIn(int cube) {
        Map<BucketName, KeyRange> ranges = new TreeMap<>();
        rows.forEach(
                (name, row) -> {
                    if (row.isDivided()) {
                        row.rangeIn(cube).ifPresent(range -> ranges.put(name, range));
                    }
                });
        return ranges;
    }

    /** Returns the number of buckets of which a cube has keys. */
    public long count(int cube) {
        return rows.values().stream().filter(row -> row.rangeIn(cube).isPresent()).count();
    }

    /** Returns the number of buckets whose home is not the system cube. */
    public long countOutside() {
        return rows.values().stream().filter(row -> row.cube() != 0).count();
    }

    public boolean isEmpty() {
        return rows.isEmpty();
    }

    /** Makes a placement durable. */
    public void put(BucketName bucket, PlacementRow row) throws IOException {
        Commits.join(
                system,
                new Transaction()
                        .put(
                                PLACEMENTS,
                                RowKeys.bucket(bucket),
                                row.encode(),
                                new byte[0],
                                List.of()));
        rows.put(bucket, row);
    }

    /** Removes a placement, also on a full store. */
    public void remove(BucketName bucket) throws IOException {
        Commits.join(system, new Transaction().delete(PLACEMENTS, RowKeys.bucket(bucket)));
        rows.remove(bucket);
    }
}
