package io.volute.storage.commit;

import io.volute.storage.rows.RecordKey;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The rows of the index that the last batches changed. A cleaner that has read a row passes the
 * stamp of its read to the committing thread. If the row has not changed since, it need not be read
 * again.
 */
public final class RecentChanges {
    private static final int ROWS_MAX = 1 << 16;

    /** The last batch that changed each row, by {@link RecordKey} or blob id. */
    private final Map<Object, Long> changed = new HashMap<>();

    private final AtomicInteger watchers = new AtomicInteger();
    private volatile long batches;

    /** The last batch whose changes are unknown, like those of all batches before it. */
    private long unknown;

    /** Begins to record changes, until {@link #unwatch}. */
    public void watch() {
        watchers.incrementAndGet();
    }

    public void unwatch() {
        watchers.decrementAndGet();
    }

    /**
     * Returns a stamp: rows that are read after this call have all changes up to it. From any
     * thread.
     */
    public long stamp() {
        return batches;
    }

    /** The rows that a batch changes in the index. Listed only while changes are recorded. */
    interface ChangedRows {
        /** Returns the keys of the records whose rows it changes. */
        Collection<RecordKey> changedRecords();

        /** Returns the ids of the blobs whose rows it changes; a new blob has no row yet. */
        Collection<Long> changedBlobs();
    }

    /**
     * Records the changes of a batch, after the index has them. Called by the committing thread.
     *
     * @param publish publishes what else belongs to the batch: a stamp covers that too
     */
    void applied(ChangedRows rows, Runnable publish) {
        publish.run();
        long batch = batches + 1;
        if (watchers.get() == 0) {
            // A watcher that begins now reads the rows after this batch, or takes a stamp before
            // it.
            changed.clear();
            unknown = batch;
        } else {
            if (changed.size() > ROWS_MAX) {
                changed.clear();
                unknown = batch - 1;
            }
            rows.changedRecords().forEach(key -> changed.put(key, batch));
            rows.changedBlobs().forEach(id -> changed.put(id, batch));
        }
        batches = batch;
    }

    /**
     * Returns whether a row that was read after this stamp is unchanged. Called by the committing
     * thread.
     */
    boolean isUnchanged(Object row, long stamp) {
        return stamp >= unknown && changed.getOrDefault(row, 0L) <= stamp;
    }
}
