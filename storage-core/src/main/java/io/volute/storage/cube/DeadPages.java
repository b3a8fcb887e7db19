package io.volute.storage.cube;

import io.volute.storage.Place;
import io.volute.storage.format.InlineHole;
import io.volute.storage.index.IndexBatch;
import io.volute.storage.index.IndexCursor;
import io.volute.storage.index.IndexTable;
import io.volute.storage.index.KeyValueIndex;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Bytes of whole pages inside dead inline blobs, by head or survivor segment: what punching can
 * give back there, holes included that are there already. Follows the same rules as {@link
 * SegmentAccounts}, of which it is a part.
 *
 * <pre>
 *   'h' segment              bytes
 * </pre>
 */
final class DeadPages {
    private static final byte PAGES = 'h';

    private final KeyValueIndex index;
    private final IndexTable meta;
    private final Map<Long, Long> pages = new HashMap<>();

    private final int bytesMin;

    /**
     * @param bytesMin smaller holes are not made
     */
    DeadPages(KeyValueIndex index, IndexTable meta, int bytesMin) {
        this.index = index;
        this.meta = meta;
        this.bytesMin = bytesMin;
    }

    /** Reads the rows of the index. */
    synchronized void load() {
        try (IndexCursor rows = index.cursor(meta, new byte[] {PAGES}, new byte[] {PAGES + 1})) {
            while (rows.next()) {
                long segment = ByteBuffer.wrap(rows.key()).getLong(1);
                pages.put(segment, new RowReader(rows.value()).number());
            }
        }
    }

    synchronized long of(long segment) {
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

        /** An inline blob that is dead from here on. */
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
            added.forEach(
                    (segment, bytes) ->
                            batch.put(
                                    meta,
                                    key(segment),
                                    new RowWriter(16).number(of(segment) + bytes).toBytes()));
            forgotten.forEach(segment -> batch.delete(meta, key(segment)));
        }

        void publish() {
            synchronized (DeadPages.this) {
                added.forEach((segment, bytes) -> pages.merge(segment, bytes, Long::sum));
                pages.keySet().removeAll(forgotten);
                added.clear();
            }
        }
    }

    private static byte[] key(long segment) {
        return ByteBuffer.allocate(1 + Long.BYTES).put(PAGES).putLong(segment).array();
    }
}
