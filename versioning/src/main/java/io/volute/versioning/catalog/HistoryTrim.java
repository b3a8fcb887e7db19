package io.volute.versioning.catalog;

import static io.volute.versioning.rows.Families.EVENTS;
import static io.volute.versioning.rows.Families.HISTORY;

import io.volute.storage.CommitTime;
import io.volute.storage.Cube;
import io.volute.storage.RecordCursor;
import io.volute.storage.Transaction;
import io.volute.versioning.rows.Event;
import io.volute.versioning.rows.HistoryRow;
import io.volute.versioning.rows.RowKeys;
import java.io.IOException;
import java.time.Instant;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Removes what has been kept for long enough. The events are in the order of time and tell what was
 * kept when, so that nothing else needs to be looked at. Thread-safe.
 */
final class HistoryTrim {
    private static final int RECORDS_MAX = 1000;

    private final Cube cube;

    /** Whoever removes: the same row is never removed twice at a time. */
    private final ReentrantLock removing = new ReentrantLock();

    HistoryTrim(Cube cube) {
        this.cube = cube;
    }

    /**
     * Removes events from before an instant, and states that had ended by then.
     *
     * @return how many states
     */
    long trim(Instant before) throws IOException {
        return trim(CommitTime.lastAt(before), Long.MAX_VALUE);
    }

    /** Removes the oldest events, and about so many states. */
    long trimOldest(long states) throws IOException {
        return trim(Long.MAX_VALUE, states);
    }

    private long trim(long sequence, long statesMax) throws IOException {
        removing.lock();
        try {
            Removal removal = new Removal();
            new EventScan(cube)
                    .forward(
                            0,
                            rows -> {
                                if (rows.sequence() > sequence || removal.states >= statesMax) {
                                    return false;
                                }
                                for (Event event : rows.events()) {
                                    if (event instanceof Event.Kept kept) {
                                        removal.state(
                                                RowKeys.history(
                                                        kept.bucketId(), kept.key(), kept.began()));
                                    }
                                }
                                // Last: after a crash in between its states are found once more.
                                removal.event(RowKeys.number(rows.number()));
                                return true;
                            });
            removal.commit();
            return removal.states;
        } finally {
            removing.unlock();
        }
    }

    /** Removes the states of a bucket that ended before a sequence, or with it. */
    long purge(long bucketId, long sequence) throws IOException {
        removing.lock();
        try {
            Removal removal = new Removal();
            byte[] from = RowKeys.bucketStart(bucketId);
            try (RecordCursor cursor = cube.scan(HISTORY, from, RowKeys.behindPrefix(from))) {
                while (cursor.next()) {
                    HistoryRow row = HistoryRow.decode(cursor.record().summary());
                    if (row.ended(cursor.record().sequence()) <= sequence) {
                        removal.state(cursor.key());
                    }
                }
            }
            removal.commit();
            return removal.states;
        } finally {
            removing.unlock();
        }
    }

    private final class Removal {
        private final long bytesMax = WriteBatch.bytesMax(cube);
        private Transaction transaction = new Transaction();
        private int records;
        private long bytes;
        private long states;

        void state(byte[] key) throws IOException {
            transaction.delete(HISTORY, key);
            states++;
            added(key);
        }

        void event(byte[] key) throws IOException {
            transaction.delete(EVENTS, key);
            added(key);
        }

        private void added(byte[] key) throws IOException {
            records++;
            bytes += key.length + WriteBatch.CHANGE_OVERHEAD_BYTES;
            if (records == RECORDS_MAX || bytes > bytesMax) {
                commit();
            }
        }

        void commit() throws IOException {
            if (records > 0) {
                WriteBatch.join(cube.commit(transaction));
                transaction = new Transaction();
                records = 0;
                bytes = 0;
            }
        }
    }
}
