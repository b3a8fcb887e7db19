package io.volute.versioning.provenance;

import static io.volute.versioning.rows.Families.BATCHES;
import static io.volute.versioning.rows.Families.BATCH_REMOVALS;

import io.volute.provenance.format.Hash;
import io.volute.storage.RecordCursor;
import io.volute.storage.RecordStore;
import io.volute.storage.Transaction;
import io.volute.versioning.rows.BatchRemovalRow;
import io.volute.versioning.rows.BatchRow;
import io.volute.versioning.rows.RowKeys;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Counts the entries of each batch that one commit removes, so that a batch is removed with its
 * last entry. Not thread-safe.
 */
final class BatchRemovals {
    private static final byte[] NOTHING = {};

    private final RecordStore cube;
    private final TreeMap<Long, Counted> batches = new TreeMap<>();

    private static final class Counted {
        final Set<Hash> links;
        int removed;

        Counted(Set<Hash> links) {
            this.links = links;
        }
    }

    BatchRemovals(RecordStore cube) {
        this.cube = cube;
    }

    /**
     * Counts a removed entry.
     *
     * @param sequence sequence of its row
     */
    void add(long sequence, Hash link) {
        Map.Entry<Long, Counted> near = batches.ceilingEntry(sequence);
        if (near != null && near.getValue().links.contains(link)) {
            near.getValue().removed++;
        } else {
            read(sequence)
                    .filter(each -> each.links.contains(link))
                    .ifPresent(each -> each.removed++);
        }
    }

    /** Reads the first batch behind a commit. An unreadable batch is not counted and stays. */
    private Optional<Counted> read(long sequence) {
        try (RecordCursor cursor = cube.scan(BATCHES, RowKeys.number(sequence), NOTHING)) {
            if (!cursor.next()) {
                return Optional.empty();
            }
            byte[] detail = cube.readDetail(BATCHES, cursor.key(), cursor.record());
            Counted counted = new Counted(new HashSet<>(BatchRow.decode(detail).links()));
            Counted known = batches.putIfAbsent(RowKeys.lastNumber(cursor.key()), counted);
            return Optional.of(known == null ? counted : known);
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Adds the new counts, or the removal of a batch, to the commit. */
    void addTo(Transaction transaction) {
        batches.forEach(
                (number, counted) -> {
                    if (counted.removed > 0) {
                        addTo(transaction, RowKeys.number(number), counted);
                    }
                });
    }

    private void addTo(Transaction transaction, byte[] key, Counted counted) {
        Optional<Long> before =
                cube.get(BATCH_REMOVALS, key)
                        .map(row -> BatchRemovalRow.decode(row.summary()).entries());
        long removed = before.orElse(0L) + counted.removed;
        if (removed < counted.links.size()) {
            byte[] row = new BatchRemovalRow(removed).encode();
            transaction.put(BATCH_REMOVALS, key, row, NOTHING, List.of());
            return;
        }
        transaction.delete(BATCHES, key);
        if (before.isPresent()) {
            transaction.delete(BATCH_REMOVALS, key);
        }
    }
}
