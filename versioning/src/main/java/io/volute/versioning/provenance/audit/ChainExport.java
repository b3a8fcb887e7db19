package io.volute.versioning.provenance.audit;

import static io.volute.versioning.rows.Families.AUDITOR_TREES;

import io.volute.provenance.chain.ExportWriter;
import io.volute.provenance.chain.Withholding;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.provenance.record.BatchRecord;
import io.volute.provenance.record.EntryRecord;
import io.volute.provenance.secrecy.KeySlot;
import io.volute.provenance.secrecy.SharedTree;
import io.volute.storage.RecordStore;
import io.volute.storage.StoredRecord;
import io.volute.versioning.Provenance.Selection;
import java.io.IOException;
import java.io.OutputStream;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Writes chains or their summaries, each batch and tree of auditors before the first entry that
 * needs it. Not thread-safe.
 */
final class ChainExport {
    private final RecordStore cube;
    private final Withholding withheld;
    private final ChainExcerpt excerpt;
    private final ExportWriter writer;
    private final BatchSource batches;
    private final RecentBatches written = new RecentBatches();
    private final Set<Hash> trees = new HashSet<>();

    ChainExport(RecordStore cube, Selection selection, OutputStream target) throws IOException {
        this.cube = cube;
        withheld = selection.withheld();
        excerpt = new ChainExcerpt(selection.summary());
        writer = new ExportWriter(target);
        batches = new BatchSource(cube);
    }

    void add(ChainSource chain) throws IOException {
        writer.chain(chain.identity());
        excerpt.read(
                chain,
                (record, sequence) -> {
                    add(batches.place(record, sequence));
                    return true;
                });
        writer.end();
    }

    private void add(BatchSource.Placed placed) throws IOException {
        if (placed.batch().filter(written::isNew).isPresent()) {
            writer.batch(placed.batch().get());
        }
        if (placed.entry().isEmpty()) {
            writer.record(placed.record());
            return;
        }
        EntryRecord exported = withheld.applyTo(placed.entry().get());
        for (Bytes slot : exported.disclosure().slots().values()) {
            writeTree(slot);
        }
        writer.entry(exported);
    }

    private void writeTree(Bytes slot) throws IOException {
        Optional<SharedTree> tree = newTree(slot);
        if (tree.isPresent()) {
            writer.tree(tree.get());
        }
    }

    /** Returns the tree of a slot the first time. A damaged tree does not end the export. */
    private Optional<SharedTree> newTree(Bytes slot) {
        try {
            Hash id = KeySlot.decode(slot).treeId();
            Optional<StoredRecord> row =
                    trees.add(id) ? cube.get(AUDITOR_TREES, id.toArray()) : Optional.empty();
            if (row.isEmpty()) {
                return Optional.empty();
            }
            byte[] tree = cube.readDetail(AUDITOR_TREES, id.toArray(), row.get());
            return Optional.of(SharedTree.decode(Bytes.of(tree)));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** The batches that a reader of the export keeps, in the order in which they were written. */
    static final class RecentBatches {
        private final Map<Bytes, Boolean> batches =
                new LinkedHashMap<>() {
                    private static final long serialVersionUID = 1;

                    @Override
                    protected boolean removeEldestEntry(Map.Entry<Bytes, Boolean> eldest) {
                        return size() > ExportWriter.BATCHES_REMEMBERED;
                    }
                };

        boolean isNew(BatchRecord batch) {
            return batches.putIfAbsent(batch.encode(), true) == null;
        }
    }
}
