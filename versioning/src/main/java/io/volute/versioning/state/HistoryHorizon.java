package io.volute.versioning.state;

import static io.volute.versioning.rows.Families.REMOVED;

import io.volute.storage.RecordStore;
import io.volute.storage.Transaction;
import io.volute.versioning.rows.HistoryHorizonRow;
import io.volute.versioning.rows.RowKeys;
import java.util.List;

/**
 * The watermark up to which history has been removed. It distinguishes a key that did not exist at
 * an instant from a key whose state of that instant was removed.
 */
public final class HistoryHorizon {
    private static final byte[] NO_DETAIL = {};

    private HistoryHorizon() {}

    /**
     * Returns the horizon of a bucket: its states that ended later than this sequence are still
     * there.
     */
    public static long upTo(RecordStore cube, long bucketId) {
        return Math.max(
                upTo(cube, RowKeys.historyHorizon()), upTo(cube, RowKeys.historyHorizon(bucketId)));
    }

    private static long upTo(RecordStore cube, byte[] rowKey) {
        return cube.get(REMOVED, rowKey)
                .map(row -> HistoryHorizonRow.decode(row.summary()).sequence())
                .orElse(0L);
    }

    /**
     * Adds the new horizon to a transaction that removes states which had ended by this sequence.
     *
     * @param rowKey key of the row of the whole store or of a bucket
     */
    public static void add(
            RecordStore cube, Transaction transaction, byte[] rowKey, long sequence) {
        if (sequence > upTo(cube, rowKey)) {
            transaction.put(
                    REMOVED,
                    rowKey,
                    new HistoryHorizonRow(sequence).encode(),
                    NO_DETAIL,
                    List.of());
        }
    }
}
