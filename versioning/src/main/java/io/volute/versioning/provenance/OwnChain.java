package io.volute.versioning.provenance;

import static io.volute.versioning.rows.Families.CURRENT;
import static io.volute.versioning.rows.Families.ENTRIES;
import static io.volute.versioning.rows.Families.HISTORY;
import static io.volute.versioning.rows.Families.KEY_LIST;
import static io.volute.versioning.rows.Families.VERSIONS;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.record.Field;
import io.volute.storage.Cube;
import io.volute.storage.Family;
import io.volute.storage.RecordCursor;
import io.volute.versioning.provenance.EntryRows.Found;
import java.io.IOException;
import java.util.SortedMap;
import java.util.stream.Stream;

/**
 * Distinguishes a store whose own chain was taken out from one that is older than such chains.
 * Signed entries decide: those of programs with such a chain have details that older ones lack. A
 * store without any entry is older if no version is younger than its signing keys, as after a crash
 * behind their commit.
 */
record OwnChain(Cube cube, EntryRows rows) {
    private static final byte[] NOTHING = {};

    /** Returns whether the chain is missing from a store that had one. */
    boolean wasTakenOut() {
        return rows.last(StoreSettings.BUCKET.id(), StoreSettings.KEY).isEmpty() && hadOne();
    }

    private boolean hadOne() {
        boolean hasEntries = false;
        try (RecordCursor cursor = cube.scan(ENTRIES, NOTHING, NOTHING)) {
            while (cursor.next()) {
                hasEntries = true;
                if (isOfLaterProgram(Found.of(cursor.key(), cursor.record()))) {
                    return true;
                }
            }
        }
        return !hasEntries && hasVersionsBehind(keysMade());
    }

    /** Returns whether a later program made an entry. An unreadable one does not prove any age. */
    private boolean isOfLaterProgram(Found found) {
        SortedMap<Bytes, Field> details;
        try {
            details = rows.read(found).entry().details();
        } catch (IOException e) {
            return true;
        }
        return details.containsKey(ProvenanceRecorder.ATTRIBUTES)
                || details.containsKey(ProvenanceRecorder.DELETED)
                || details.containsKey(ProvenanceRecorder.UNSIGNED);
    }

    private long keysMade() {
        try (RecordCursor cursor = cube.scan(KEY_LIST, NOTHING, NOTHING)) {
            return cursor.next() ? cursor.record().sequence() : Long.MAX_VALUE;
        }
    }

    private boolean hasVersionsBehind(long sequence) {
        return Stream.of(CURRENT, VERSIONS, HISTORY).anyMatch(each -> isBehind(each, sequence));
    }

    private boolean isBehind(Family family, long sequence) {
        try (RecordCursor cursor = cube.scan(family, NOTHING, NOTHING)) {
            while (cursor.next()) {
                if (cursor.record().sequence() > sequence) {
                    return true;
                }
            }
        }
        return false;
    }
}
