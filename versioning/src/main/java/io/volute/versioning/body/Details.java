package io.volute.versioning.body;

import io.volute.storage.Family;
import io.volute.storage.RecordStore;
import io.volute.storage.StoredRecord;
import java.io.IOException;
import java.util.Optional;

/** Reads the details of records whose place may change meanwhile. */
public final class Details {
    /** How often a record may be moved under one read before the read gives up. */
    public static final int ATTEMPTS_MAX = 100;

    private static final byte[] NONE = {};

    private Details() {}

    /**
     * The detail of a record, which may be moved in the log meanwhile.
     *
     * @throws GoneException when there is another record now, or none
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

    /** Whether both are the same record at the same place. */
    public static boolean isSame(StoredRecord a, StoredRecord b) {
        return a.sequence() == b.sequence() && a.place().equals(b.place());
    }
}
