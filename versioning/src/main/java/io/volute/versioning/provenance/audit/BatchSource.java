package io.volute.versioning.provenance.audit;

import static io.volute.versioning.rows.Families.BATCHES;

import io.volute.provenance.chain.BatchTree;
import io.volute.provenance.chain.Spiral;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.record.BatchRecord;
import io.volute.provenance.record.Entry;
import io.volute.provenance.record.EntryRecord;
import io.volute.storage.RecordCursor;
import io.volute.storage.RecordStore;
import io.volute.versioning.rows.BatchRow;
import io.volute.versioning.rows.RowKeys;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Finds the signed batch of entries and their place in it. Not thread-safe. */
final class BatchSource {
    private static final int BATCHES_MAX = 1024;
    private static final byte[] NOTHING = {};

    private final RecordStore cube;

    /** WriteBatchFactory in memory, by the sequence in their key. */
    private final TreeMap<Long, Signed> known = new TreeMap<>();

    BatchSource(RecordStore cube) {
        this.cube = cube;
    }

    /**
     * An entry with its path, if its batch was found.
     *
     * @param record bytes of the entry's record, with the path if it was found
     * @param entry empty when it cannot be read
     */
    record Placed(Bytes record, Optional<EntryRecord> entry, Optional<BatchRecord> batch) {}

    private record Signed(BatchRecord record, BatchTree tree, Map<Hash, Integer> places) {}

    /**
     * Completes a record with the path in its batch.
     *
     * @param record without its path
     * @param sequence of the commit that wrote it
     */
    Placed place(Bytes record, long sequence) {
        try {
            EntryRecord entry = EntryRecord.decode(record);
            Hash link =
                    Spiral.signedLink(
                            entry.entry().placement().shape(),
                            Entry.hash(entry.encoded()),
                            entry.links());
            Optional<Signed> signed = signed(sequence, link);
            if (signed.isEmpty()) {
                return new Placed(record, Optional.of(entry), Optional.empty());
            }
            int place = signed.get().places.get(link);
            EntryRecord placed = entry.with(signed.get().tree.path(place));
            return new Placed(
                    placed.encode(), Optional.of(placed), Optional.of(signed.get().record));
        } catch (RefusedException e) {
            return new Placed(record, Optional.empty(), Optional.empty());
        }
    }

    /** Returns the first batch behind a commit, if it has that link. */
    private Optional<Signed> signed(long sequence, Hash link) {
        Map.Entry<Long, Signed> near = known.ceilingEntry(sequence);
        if (near != null && near.getValue().places.containsKey(link)) {
            return Optional.of(near.getValue());
        }
        return read(sequence).filter(batch -> batch.places.containsKey(link));
    }

    private Optional<Signed> read(long sequence) {
        try (RecordCursor cursor = cube.scan(BATCHES, RowKeys.number(sequence), NOTHING)) {
            if (!cursor.next()) {
                return Optional.empty();
            }
            BatchRow row = BatchRow.decode(cube.readDetail(BATCHES, cursor.key(), cursor.record()));
            Map<Hash, Integer> places = HashMap.newHashMap(row.links().size());
            for (int i = 0; i < row.links().size(); i++) {
                places.put(row.links().get(i), i);
            }
            Signed signed = new Signed(row.batch(), new BatchTree(row.links()), places);
            if (known.size() == BATCHES_MAX) {
                known.pollFirstEntry();
            }
            known.put(RowKeys.lastNumber(cursor.key()), signed);
            return Optional.of(signed);
        } catch (IOException e) {
            // The audit reports an entry without a batch.
            return Optional.empty();
        }
    }
}
