package io.volute.versioning.provenance.audit;

import io.volute.provenance.chain.ExportWriter;
import io.volute.provenance.chain.Withholding;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.record.BatchRecord;
import io.volute.provenance.record.EntryRecord;
import io.volute.provenance.secrecy.KeySlot;
import io.volute.provenance.secrecy.SharedTree;
import io.volute.storage.RecordStore;
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
    private final Withholding withheld;
    private final ChainExcerpt excerpt;
    private final ExportWriter writer;
    private final BatchSource batches;
    private final RecentBatches written = new RecentBatches();
    private final Set<Hash> named = new HashSet<>();
    private final StoredTrees trees;

    ChainExport(RecordStore cube, Selection selection, OutputStream target) throws IOException {
        trees = new StoredTrees(cube);
        withheld = selection.withheld();
        excerpt = new ChainExcerpt(selection);
        writer = new ExportWriter(target);
        batches = new BatchSource(cube);
    }

    /** Adds a chain, or what is selected of it. */
    void add(ChainSource chain) throws IOException {
        if (!excerpt.leavesOut(chain)) {
            add(chain, excerpt);
        }
    }

    /** Adds a whole chain. */
    void addWhole(ChainSource chain) throws IOException {
        add(chain, new ChainExcerpt(Selection.ALL));
    }

    private void add(ChainSource chain, ChainExcerpt selected) throws IOException {
        writer.chain(chain.identity());
        selected.read(
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

    /** Writes the tree of a slot the first time. A damaged tree does not end the export. */
    private void writeTree(Bytes slot) throws IOException {
        try {
            Hash id = KeySlot.decode(slot).treeId();
            Optional<SharedTree> tree = named.add(id) ? trees.find(id) : Optional.empty();
            if (tree.isPresent()) {
                writer.tree(tree.get());
            }
        } catch (RefusedException e) {
            // The slot is damaged; the record goes out as it is, and an audit finds it.
            return;
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
