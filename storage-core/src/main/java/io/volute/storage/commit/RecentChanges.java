package io.volute.storage.commit;

import io.volute.storage.rows.RecordKey;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Which rows of the index the last batches changed. Who has read a row before the committing thread
 * needs it says when; if it has not changed since, it need not be read again.
 */
public final class RecentChanges {
    private static final int ROWS_MAX = 1 << 16;

    /** By {@link RecordKey} or blob id: the last batch that changed it. */
    private final Map<Object, Long> changed = new HashMap<>();

    private final AtomicInteger watchers = new AtomicInteger();
    private volatile long batches;

    /** Of batches up to this one it is not known what they changed. */
    private long unknown;

    /** From here on changes are noted, until {@link #unwatch}. */
    public void watch() {
        watchers.incrementAndGet();
    }

    public void unwatch() {
        watchers.decrementAndGet();
    }

    /** What is read after this call has all changes up to this stamp. From any thread. */
    public long stamp() {
        return batches;
    }

    /** What a batch changes in the index; listed only while somebody watches. */
    interface ChangedRows {
        /** Keys of the records whose rows it changes. */
        Collection<RecordKey> changedRecords();

        /** Ids of the blobs whose rows it changes; a blob that is new has none yet. */
        Collection<Long> changedBlobs();
    }

    /**
     * Notes what a batch changed, after the index has it. By the committing thread.
     *
     * @param publish makes visible what else is known of the batch: a stamp vouches for that too
     */
    void applied(ChangedRows rows, Runnable publish) {
        publish.run();
        long batch = batches + 1;
        if (watchers.get() == 0) {
            // Who begins to watch from now on reads what this batch left, or a stamp before it.
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

    /** Whether a row that was read after this stamp is still so. By the committing thread. */
    boolean isUnchanged(Object row, long stamp) {
        return stamp >= unknown && changed.getOrDefault(row, 0L) <= stamp;
    }
}
