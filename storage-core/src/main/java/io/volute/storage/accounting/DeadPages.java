package io.volute.storage.accounting;

import io.volute.storage.Place;
import io.volute.storage.format.InlineHole;
import io.volute.storage.index.IndexBatch;
import io.volute.storage.rows.DeadPageRows;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The bytes of whole pages inside dead inline blobs, by head or survivor segment: the bytes that
 * punching can give back, existing holes included. A part of {@link SegmentAccounts}, with the same
 * rules.
 */
final class DeadPages {
    private final DeadPageRows rows;
    private final Map<Long, Long> pages = new HashMap<>();

    private final int bytesMin;

    /**
     * Creates empty counts; see {@link #load}.
     *
     * @param bytesMin smallest hole that is punched
     */
    DeadPages(DeadPageRows rows, int bytesMin) {
        this.rows = rows;
        this.bytesMin = bytesMin;
    }

    /** Reads the rows of the index. */
    public synchronized void load() {
        pages.putAll(rows.load());
    }

    public synchronized long of(long segment) {
        return pages.getOrDefault(segment, 0L);
    }

    Changes begin() {
        return new Changes();
    }

    /** Changes of one batch. Used by one thread. */
    final class Changes {
        private final Map<Long, Long> added = new HashMap<>();
        private final Set<Long> forgotten = new HashSet<>();

        private Changes() {}

        /** Counts an inline blob that is dead from here on. */
        void died(Place entry) {
            long bytes = InlineHole.bytes(entry, bytesMin);
            if (bytes > 0) {
                added.merge(entry.segmentId(), bytes, Long::sum);
            }
        }

        void forget(Set<Long> segments) {
            forgotten.addAll(segments);
            added.keySet().removeAll(segments);
        }

        void addRows(IndexBatch batch) {
            added.forEach((segment, bytes) -> rows.put(batch, segment, of(segment) + bytes));
            forgotten.forEach(segment -> rows.delete(batch, segment));
        }

        void publish() {
            synchronized (DeadPages.this) {
                added.forEach((segment, bytes) -> pages.merge(segment, bytes, Long::sum));
                pages.keySet().removeAll(forgotten);
                added.clear();
            }
        }
    }
}
