package io.volute.versioning.provenance;

import static io.volute.versioning.rows.Families.CURRENT;
import static io.volute.versioning.rows.Families.HISTORY;
import static io.volute.versioning.rows.Families.VERSIONS;

import io.volute.provenance.record.EventKind;
import io.volute.storage.RecordCursor;
import io.volute.storage.RecordStore;
import io.volute.versioning.rows.EntryRow;
import io.volute.versioning.rows.HistoryRow;
import io.volute.versioning.rows.ObjectRow;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.value.ObjectKey;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * The versions of a key that exist, including kept states. Not thread-safe. The caller holds the
 * lock of the key.
 */
final class LiveVersions {
    private final RecordStore cube;
    private final long bucketId;
    private final ObjectKey key;

    /** Numbers in {@code current} and {@code history}; read on first use. */
    private Optional<Set<Long>> numbers = Optional.empty();

    LiveVersions(RecordStore cube, long bucketId, ObjectKey key) {
        this.cube = cube;
        this.bucketId = bucketId;
        this.key = key;
    }

    /**
     * Returns whether an audit of the existing versions needs an entry: one about such a version,
     * or one that excuses versions without an entry.
     */
    boolean needs(EntryRow entry) {
        return entry.kind() == EventKind.METADATA ? isAny() : has(entry.version());
    }

    private boolean isAny() {
        byte[] base = RowKeys.current(bucketId, key);
        try (RecordCursor cursor = cube.scan(VERSIONS, base, RowKeys.behindPrefix(base))) {
            return !numbers().isEmpty() || cursor.next();
        }
    }

    private boolean has(long number) {
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
