package io.volute.versioning.provenance;

import static io.volute.versioning.rows.Families.CURRENT;
import static io.volute.versioning.rows.Families.HISTORY;
import static io.volute.versioning.rows.Families.VERSIONS;

import io.volute.storage.RecordCursor;
import io.volute.storage.RecordStore;
import io.volute.versioning.ObjectKey;
import io.volute.versioning.rows.HistoryRow;
import io.volute.versioning.rows.ObjectRow;
import io.volute.versioning.rows.RowKeys;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/** Which versions of a key are there, kept states included. Used under the lock of the key. */
final class LiveVersions {
    private final RecordStore cube;
    private final long bucketId;
    private final ObjectKey key;

    /** Of {@code current} and {@code history}; read when it is asked for. */
    private Optional<Set<Long>> numbers = Optional.empty();

    LiveVersions(RecordStore cube, long bucketId, ObjectKey key) {
        this.cube = cube;
        this.bucketId = bucketId;
        this.key = key;
    }

    /**
     * @param number of a version or delete marker; 0 for none
     */
    boolean has(long number) {
        return number != 0
                && (cube.get(VERSIONS, RowKeys.version(bucketId, key, number)).isPresent()
                        || numbers().contains(number));
    }

    private Set<Long> numbers() {
        if (numbers.isEmpty()) {
            byte[] base = RowKeys.current(bucketId, key);
            Set<Long> found = new HashSet<>();
            cube.get(CURRENT, base)
                    .ifPresent(row -> found.add(ObjectRow.decode(row.summary()).number()));
            try (RecordCursor cursor = cube.scan(HISTORY, base, RowKeys.behindPrefix(base))) {
                while (cursor.next()) {
                    found.add(HistoryRow.decode(cursor.record().summary()).state().number());
                }
            }
            numbers = Optional.of(found);
        }
        return numbers.get();
    }
}
