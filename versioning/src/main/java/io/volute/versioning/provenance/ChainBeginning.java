package io.volute.versioning.provenance;

import static io.volute.versioning.rows.Families.ENTRIES;

import io.volute.storage.RecordCursor;
import io.volute.storage.RecordStore;
import io.volute.versioning.provenance.EntryRows.Found;
import io.volute.versioning.rows.EntryRow;
import io.volute.versioning.rows.RowKeys;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * The first entries of a chain.
 *
 * @param rows some of them, consecutive
 * @param more number of entries behind those, counted up to the reach of the spiral
 */
record ChainBeginning(List<Found> rows, int more) {
    /**
     * Reads the beginning of a chain.
     *
     * @param base common beginning of the keys of its rows
     * @param max maximum number of entries in {@code rows}
     */
    static ChainBeginning read(RecordStore cube, byte[] base, int max) {
        List<Found> rows = new ArrayList<>();
        int more = 0;
        try (RecordCursor cursor = cube.scan(ENTRIES, base, RowKeys.behindPrefix(base))) {
            int reach = 1;
            while (more < reach && cursor.next()) {
                if (rows.size() < max) {
                    rows.add(Found.of(cursor.key(), cursor.record()));
                    reach = rows.getFirst().row().shape().reach();
                } else {
                    more++;
                }
            }
        }
        return new ChainBeginning(rows, more);
    }

    private long commit(int index) {
        return rows.get(index).record().sequence();
    }

    /**
     * Returns the number of first entries that can be removed. An entry must be covered by the
     * checkpoint of a commit and must not be the last covered one, which the checkpoint contains.
     * It must not be about a present version, or follow an entry that is. No future entry may link
     * to it by distance.
     *
     * @param isNeeded whether an entry is about a present version
     */
    int removable(long upToCommit, Predicate<EntryRow> isNeeded) {
        int count = 0;
        // The last row may be the head of the chain.
        while (count < rows.size() - 1
                && commit(count + 1) <= upToCommit
                && isNext(count)
                && !isNeeded.test(rows.get(count).row())) {
            count++;
        }
        int reach = rows.isEmpty() ? 0 : rows.getFirst().row().shape().reach();
        return Math.max(0, Math.min(count, rows.size() + more - reach));
    }

    private boolean isNext(int index) {
        return rows.get(index).sequence() == rows.getFirst().sequence() + index;
    }
}
