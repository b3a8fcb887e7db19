package io.volute.versioning.provenance;

import static io.volute.versioning.rows.Families.ENTRIES;

import io.volute.storage.RecordCursor;
import io.volute.storage.RecordStore;
import io.volute.versioning.provenance.EntryRows.Found;
import io.volute.versioning.rows.RowKeys;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongPredicate;

/**
 * The first entries of a chain.
 *
 * @param rows some of them, one behind the other
 * @param more how many come behind those, up to a reach
 */
record ChainBeginning(List<Found> rows, int more) {
    /**
     * @param base what the keys of its rows begin with
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
     * How many of them can go: those up to a commit, but for the last one of those, which a
     * checkpoint vouches for; none of or behind one of a version that is there; and none that the
     * next entries will be linked to by distance.
     */
    int removable(long upToCommit, LongPredicate isThere) {
        int count = 0;
        // Of the last one it is not known whether it is the head.
        while (count < rows.size() - 1
                && commit(count + 1) <= upToCommit
                && isNext(count)
                && !isThere.test(rows.get(count).row().version())) {
            count++;
        }
        int reach = rows.isEmpty() ? 0 : rows.getFirst().row().shape().reach();
        return Math.max(0, Math.min(count, rows.size() + more - reach));
    }

    private boolean isNext(int index) {
        return rows.get(index).sequence() == rows.getFirst().sequence() + index;
    }
}
