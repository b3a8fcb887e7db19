package io.volute.versioning.history;

import static io.volute.versioning.rows.Families.CURRENT;
import static io.volute.versioning.rows.Families.HISTORY;
import static io.volute.versioning.rows.Families.REMOVED;

import io.volute.storage.RecordCursor;
import io.volute.storage.RecordStore;
import io.volute.storage.Transaction;
import io.volute.versioning.commit.Commits;
import io.volute.versioning.rows.HistoryRow;
import io.volute.versioning.rows.RemovedRow;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.write.WriteBatch;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The migration that writes the rows of {@code removed}, once, in a store of an earlier version.
 * Without these rows, listings of the past lack the keys removed under that version. Runs at the
 * start, before all else.
 */
public final class RemovedKeys {
    private static final Logger LOG = LoggerFactory.getLogger(RemovedKeys.class);
    private static final byte[] NO_KEY = {};

    /** Key of the row that marks the migration as done; sorts before the keys of all buckets. */
    private static final byte[] DONE = {0};

    private final RecordStore cube;
    private Transaction transaction = new Transaction();
    private long bytes;

    private RemovedKeys(RecordStore cube) {
        this.cube = cube;
    }

    public static void complete(RecordStore cube) {
        try {
            new RemovedKeys(cube).run();
        } catch (IOException e) {
            LOG.warn(
                    "Cannot write the rows of removed keys. Listings of the past may lack such keys"
                            + " until a start succeeds in this: {}",
                    e.getMessage());
        }
    }

    private void run() throws IOException {
        if (cube.get(REMOVED, DONE).isPresent()) {
            return;
        }
        byte[] last = NO_KEY;
        try (RecordCursor kept = cube.scan(HISTORY, NO_KEY, NO_KEY)) {
            while (kept.next()) {
                byte[] key = kept.key();
                byte[] base = Arrays.copyOf(key, key.length - RowKeys.NUMBER_BYTES);
                // The newest state of a key sorts first.
                if (!Arrays.equals(base, last)) {
                    last = base;
                    if (cube.get(CURRENT, base).isEmpty() && cube.get(REMOVED, base).isEmpty()) {
                        put(base, HistoryRow.decode(kept.record().summary()).state().number());
                    }
                }
            }
        }
        if (last.length > 0) {
            put(DONE, 0);
            commit();
        }
    }

    private void put(byte[] key, long number) throws IOException {
        transaction.put(REMOVED, key, new RemovedRow(number).encode(), NO_KEY, List.of());
        bytes += key.length + WriteBatch.CHANGE_OVERHEAD_BYTES;
        if (bytes > WriteBatch.bytesMax(cube)) {
            commit();
        }
    }

    private void commit() throws IOException {
        Commits.join(cube, transaction);
        transaction = new Transaction();
        bytes = 0;
    }
}
