package io.volute.versioning.provenance.audit;

import static io.volute.versioning.rows.Families.AUDITOR_TREES;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.Hash;
import io.volute.provenance.secrecy.SharedTree;
import io.volute.storage.RecordStore;
import io.volute.storage.StoredRecord;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** The auditors' trees of a store, for one audit or export. Thread-safe. */
final class StoredTrees {
    private final RecordStore cube;
    private final Map<Hash, Optional<SharedTree>> read = new ConcurrentHashMap<>();

    StoredTrees(RecordStore cube) {
        this.cube = cube;
    }

    /** Returns a tree; empty if it is missing, damaged, or not the one of this id. */
    Optional<SharedTree> find(Hash id) {
        return read.computeIfAbsent(id, this::read);
    }

    private Optional<SharedTree> read(Hash id) {
        try {
            Optional<StoredRecord> row = cube.get(AUDITOR_TREES, id.toArray());
            if (row.isEmpty()) {
                return Optional.empty();
            }
            byte[] tree = cube.readDetail(AUDITOR_TREES, id.toArray(), row.get());
            return Optional.of(SharedTree.decode(Bytes.of(tree)))
                    .filter(each -> each.tree().id().equals(id));
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
