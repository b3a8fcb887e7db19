package io.volute.versioning.catalog;

import io.volute.storage.Cube;
import io.volute.storage.Family;
import io.volute.storage.StoredRecord;
import java.io.IOException;
import java.util.Optional;

/** Reads the details of records whose place may change meanwhile. */
final class Details {
    /** How often a record may be moved under one read before the read gives up. */
    static final int ATTEMPTS_MAX = 100;

    private static final byte[] NONE = {};

    private Details() {}

    /** The detail of a record that does not change, though it may be moved in the log. */
    static byte[] read(Cube cube, Family family, byte[] key, StoredRecord record)
            throws IOException {
        if (record.detailBytes() == 0) {
            return NONE;
        }
        StoredRecord known = record;
        for (int attempt = 1; ; attempt++) {
            try {
                return cube.readDetail(family, key, known);
            } catch (IOException e) {
                Optional<StoredRecord> now = cube.get(family, key);
                boolean moved =
                        now.isPresent()
                                && now.get().sequence() == known.sequence()
                                && !isSame(now.get(), known);
                if (attempt == ATTEMPTS_MAX || !moved) {
                    throw e;
                }
                known = now.get();
            }
        }
    }

    /** Whether both are the same record at the same place. */
    static boolean isSame(StoredRecord a, StoredRecord b) {
        return a.sequence() == b.sequence() && a.place().equals(b.place());
    }
}
