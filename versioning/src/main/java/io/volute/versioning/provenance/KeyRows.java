package io.volute.versioning.provenance;

import static io.volute.versioning.rows.Families.BATCHES;
import static io.volute.versioning.rows.Families.BUCKETS;
import static io.volute.versioning.rows.Families.CHECKPOINTS;
import static io.volute.versioning.rows.Families.ENTRIES;
import static io.volute.versioning.rows.Families.KEY_LIST;
import static io.volute.versioning.rows.Families.SEALED_KEYS;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.keys.KeyList;
import io.volute.provenance.keys.SealedKey;
import io.volute.provenance.keys.SigningKey;
import io.volute.provenance.record.SignerId;
import io.volute.storage.Cube;
import io.volute.storage.Family;
import io.volute.storage.RecordCursor;
import io.volute.storage.Transaction;
import io.volute.versioning.StoreOptions.ProvenanceSettings;
import io.volute.versioning.commit.Commits;
import io.volute.versioning.rows.RowKeys;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The rows of a store's key list and of its sealed signing keys. Thread-safe. */
record KeyRows(Cube cube, ProvenanceSettings settings) {
    private static final byte[] NOTHING = {};

    /** Returns the records of the key list, in their order. */
    List<Bytes> list() throws IOException {
        return details(KEY_LIST);
    }

    /** Returns the number of records of a key list. */
    static int count(Cube cube) {
        int count = 0;
        try (RecordCursor cursor = cube.scan(KEY_LIST, NOTHING, NOTHING)) {
            while (cursor.next()) {
                count++;
            }
        }
        return count;
    }

    /** Returns whether the store has a bucket. */
    boolean haveBuckets() throws IOException {
        try (RecordCursor cursor = cube.scan(BUCKETS, NOTHING, NOTHING)) {
            return cursor.next();
        }
    }

    /** Returns the sealed private keys. */
    List<Bytes> sealedKeys() throws IOException {
        return details(SEALED_KEYS);
    }

    private List<Bytes> details(Family family) throws IOException {
        List<Bytes> all = new ArrayList<>();
        try (RecordCursor cursor = cube.scan(family, NOTHING, NOTHING)) {
            while (cursor.next()) {
                all.add(Bytes.of(cube.readDetail(family, cursor.key(), cursor.record())));
            }
        }
        return all;
    }

    /**
     * Refuses a store whose key list was removed: otherwise it would silently sign as another
     * store.
     */
    void requireNoHistory() throws IOException {
        for (Family family : List.of(SEALED_KEYS, ENTRIES, BATCHES, CHECKPOINTS)) {
            try (RecordCursor cursor = cube.scan(family, NOTHING, NOTHING)) {
                if (cursor.next()) {
                    throw new IOException(
                            "the key list of this store is missing, but its signed history ("
                                    + family.name()
                                    + ") exists: the data directory was changed. Restore it"
                                    + " from a copy; an auditor has the list as the file keys");
                }
            }
        }
    }

    /**
     * Writes records of the list from one on and new private keys, and destroys old ones, in one
     * commit.
     */
    void write(KeyList list, int from, List<SigningKey> fresh, List<SignerId> ended)
            throws IOException {
        // Also on a full store, which must open before anything can be deleted from it.
        Transaction transaction = new Transaction().makingRoom();
        for (int number = from; number < list.size(); number++) {
            byte[] record = list.record(number).toArray();
            transaction.put(KEY_LIST, RowKeys.number(number), NOTHING, record, List.of());
        }
        for (SigningKey key : fresh) {
            byte[] sealed =
                    SealedKey.seal(key, list.storeId(), settings.master(), settings.random())
                            .encode()
                            .toArray();
            transaction.put(SEALED_KEYS, key.id().keyId().toArray(), NOTHING, sealed, List.of());
        }
        ended.forEach(each -> transaction.delete(SEALED_KEYS, each.keyId().toArray()));
        Commits.join(cube, transaction);
    }
}
