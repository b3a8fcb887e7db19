package io.volute.versioning.move;

import static io.volute.versioning.rows.Families.CURRENT;
import static io.volute.versioning.rows.Families.HISTORY;
import static io.volute.versioning.rows.Families.REMOVED;
import static io.volute.versioning.rows.Families.VERSIONS;

import io.volute.storage.Family;
import io.volute.storage.RecordCursor;
import io.volute.storage.RecordStore;
import io.volute.storage.StoredRecord;
import io.volute.versioning.body.RecordDetails;
import io.volute.versioning.rows.HistoryRow;
import io.volute.versioning.rows.ObjectRow;
import io.volute.versioning.rows.RemovedRow;
import io.volute.versioning.rows.RowKeys;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;

/**
 * The rows of one key in one cube, in the order of {@link #FAMILIES} and of their keys.
 *
 * @param base the key of the current row
 */
record KeyRows(byte[] base, List<Row> rows) {
    static final List<Family> FAMILIES = List.of(HISTORY, VERSIONS, CURRENT, REMOVED);

    /** A row of a key. */
    record Row(Family family, byte[] key, StoredRecord record) {
        boolean isState() {
            return !family.equals(REMOVED);
        }

        /** Returns whether clients of S3 see the state. */
        boolean isPresent() {
            return family.equals(CURRENT) || family.equals(VERSIONS);
        }

        ObjectRow state() {
            return family.equals(HISTORY)
                    ? HistoryRow.decode(record.summary()).state()
                    : ObjectRow.decode(record.summary());
        }

        /**
         * Returns the summary in another cube. There the record has a later sequence, so the
         * summary has those that this record has.
         */
        byte[] moved() {
            long sequence = record.sequence();
            if (family.equals(HISTORY)) {
                HistoryRow row = HistoryRow.decode(record.summary());
                return new HistoryRow(
                                row.written(),
                                row.ended(sequence),
                                row.hidden(sequence),
                                row.state())
                        .encode();
            }
            if (family.equals(REMOVED)) {
                RemovedRow row = RemovedRow.decode(record.summary());
                return new RemovedRow(row.number(), row.removed(sequence)).encode();
            }
            ObjectRow row = ObjectRow.decode(record.summary());
            return row.kept(row.nullBehind(), sequence);
        }

        boolean hasKeyOf(Row other) {
            return family.equals(other.family) && Arrays.equals(key, other.key);
        }

        /** Returns whether a row in another cube is what this one becomes there. */
        boolean isMovedTo(RecordStore own, Row there, RecordStore other) throws IOException {
            if (!hasKeyOf(there) || !Arrays.equals(moved(), there.record.summary())) {
                return false;
            }
            // With the content, the detail never changes: only extras can.
            boolean hasExtras = isState() && state().needsDetail();
            return !hasExtras || Arrays.equals(detail(own), there.detail(other));
        }

        byte[] detail(RecordStore cube) throws IOException {
            return RecordDetails.read(cube, family, key, record);
        }
    }

    /** Returns whether rows in another cube are what these become there. */
    static boolean areMovedTo(List<Row> rows, RecordStore own, List<Row> there, RecordStore other)
            throws IOException {
        for (int i = 0; i < rows.size(); i++) {
            if (i >= there.size() || !rows.get(i).isMovedTo(own, there.get(i), other)) {
                return false;
            }
        }
        return rows.size() == there.size();
    }

    /** Returns the number of bytes of a row key behind that of the current row. */
    static int suffixBytes(Family family) {
        return family.equals(HISTORY) || family.equals(VERSIONS) ? RowKeys.NUMBER_BYTES : 0;
    }

    static KeyRows read(RecordStore cube, byte[] base) {
        List<Row> rows = new ArrayList<>();
        for (Family family : FAMILIES) {
            if (suffixBytes(family) == 0) {
                cube.get(family, base).ifPresent(row -> rows.add(new Row(family, base, row)));
            } else {
                try (RecordCursor cursor = cube.scan(family, base, RowKeys.behindPrefix(base))) {
                    while (cursor.next()) {
                        rows.add(new Row(family, cursor.key(), cursor.record()));
                    }
                }
            }
        }
        return new KeyRows(base, rows);
    }

    /** Returns whether the rows in another cube are what these become there. */
    boolean isMovedTo(RecordStore own, KeyRows there, RecordStore other) throws IOException {
        return areMovedTo(rows, own, there.rows, other);
    }

    /** Returns the states by the numbers of their versions, those of one version in their order. */
    TreeMap<Long, List<Row>> byVersion() {
        TreeMap<Long, List<Row>> versions = new TreeMap<>();
        for (Row row : rows) {
            if (row.isState()) {
                List<Row> states =
                        versions.computeIfAbsent(row.state().number(), n -> new ArrayList<>());
                // Later states of the history sort first.
                int index = row.family.equals(HISTORY) ? 0 : states.size();
                states.add(index, row);
            }
        }
        return versions;
    }
}
