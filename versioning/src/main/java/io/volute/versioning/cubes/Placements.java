package io.volute.versioning.cubes;

import static io.volute.versioning.rows.Families.PLACEMENTS;

import io.volute.storage.RecordCursor;
import io.volute.storage.RecordStore;
import io.volute.storage.Transaction;
import io.volute.versioning.commit.Commits;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.value.BucketName;
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
 * The cubes of the buckets that are not in the system cube, all in memory. Thread-safe for readers;
 * the caller orders changes.
 */
final class Placements {
    private static final byte[] OPEN_END = {};

    private final RecordStore system;
    private final ConcurrentNavigableMap<BucketName, PlacementRow> rows =
            new ConcurrentSkipListMap<>();

    Placements(RecordStore system) {
        this.system = system;
        try (RecordCursor cursor = system.scan(PLACEMENTS, OPEN_END, OPEN_END)) {
            while (cursor.next()) {
                BucketName name = new BucketName(new String(cursor.key(), StandardCharsets.UTF_8));
                rows.put(name, PlacementRow.decode(cursor.record().summary()));
            }
        }
    }

    Optional<PlacementRow> find(BucketName bucket) {
        return Optional.ofNullable(rows.get(bucket));
    }

    /** Returns the placements, by name. */
    NavigableMap<BucketName, PlacementRow> all() {
        return new TreeMap<>(rows);
    }

    /** Returns the placements of names behind another, by name. */
    Map<BucketName, PlacementRow> after(String name) {
        return name.isEmpty() ? rows : rows.tailMap(new BucketName(name), false);
    }

    long count(int cube) {
        return rows.values().stream().filter(row -> row.cube() == cube).count();
    }

    int size() {
        return rows.size();
    }

    /** Makes a placement durable. */
    void put(BucketName bucket, PlacementRow row) throws IOException {
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
    void remove(BucketName bucket) throws IOException {
        Commits.join(system, new Transaction().delete(PLACEMENTS, RowKeys.bucket(bucket)));
        rows.remove(bucket);
    }
}
