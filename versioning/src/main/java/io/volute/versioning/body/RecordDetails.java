package io.volute.versioning.body;

import io.volute.storage.Family;
import io.volute.storage.RecordStore;
import io.volute.storage.StoredRecord;
import java.io.IOException;
import java.util.Optional;

/** Reads the details of records that the cleaner may move meanwhile. */
public final class RecordDetails {
    /** Number of moves of a record during one read after which the read fails. */
    public static final int ATTEMPTS_MAX = 100;

    private static final byte[] NONE = {};

    private RecordDetails() {}

    /**
     * Returns the detail of a record, which may be moved in the log meanwhile.
     *
     * @throws GoneException when the record was removed or replaced
     */
    public static byte[] read(RecordStore cube, Family family, byte[] key, StoredRecord record)
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
                if (now.isEmpty() || now.get().sequence() != known.sequence()) {
                    throw new GoneException(e);
                }
                if (attempt == ATTEMPTS_MAX || isSame(now.get(), known)) {
                    throw e;
                }
                known = now.get();
            }
        }
    }

    /** Returns whether both are the same record at the same place. */
    public static boolean isSame(StoredRecord a, StoredRecord b) {
        return a.sequence() == b.sequence() && a.place().equals(b.place());
    }
}
