package io.volute.versioning.body;

import static io.volute.versioning.rows.Families.CURRENT;
import static io.volute.versioning.rows.Families.HISTORY;
import static io.volute.versioning.rows.Families.VERSIONS;

import io.volute.storage.Family;
import io.volute.storage.RecordCursor;
import io.volute.storage.RecordStore;
import io.volute.storage.StoredRecord;
import io.volute.versioning.rows.HistoryRow;
import io.volute.versioning.rows.ObjectRow;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.value.ObjectKey;
import java.util.ArrayList;
import java.util.List;

/** A version or kept state of a key with content, and its place. */
public record StoredState(Family family, byte[] rowKey, StoredRecord record, ObjectRow row) {

    /** Returns all states of a key: the current one, noncurrent versions, then kept states. */
    public static List<StoredState> of(RecordStore cube, long bucketId, ObjectKey key) {
        byte[] base = RowKeys.current(bucketId, key);
        List<StoredState> states = new ArrayList<>();
        cube.get(CURRENT, base).ifPresent(record -> add(states, CURRENT, base, record));
        for (Family family : List.of(VERSIONS, HISTORY)) {
            try (RecordCursor cursor = cube.scan(family, base, RowKeys.behindPrefix(base))) {
                while (cursor.next()) {
                    add(states, family, cursor.key(), cursor.record());
                }
            }
        }
        return states;
    }

    private static void add(
            List<StoredState> states, Family family, byte[] rowKey, StoredRecord record) {
        ObjectRow row =
                family.equals(HISTORY)
                        ? HistoryRow.decode(record.summary()).state()
                        : ObjectRow.decode(record.summary());
        if (!row.deleteMarker()) {
            states.add(new StoredState(family, rowKey, record, row));
        }
    }
}
