package io.volute.storage.rows;

import io.volute.storage.index.IndexBatch;
import io.volute.storage.index.IndexCursor;
import io.volute.storage.index.IndexTable;
import io.volute.storage.index.KeyValueIndex;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

/**
 * The rows that count bytes of dead pages, one for each head or survivor segment that has any:
 *
 * <pre>
 *   'h' segment              bytes
 * </pre>
 */
public final class DeadPageRows {
    private static final byte PAGES = 'h';

    private final KeyValueIndex index;
    private final IndexTable meta;

    DeadPageRows(KeyValueIndex index, IndexTable meta) {
        this.index = index;
        this.meta = meta;
    }

    /** Reads all rows; returns bytes by segment. */
    public Map<Long, Long> load() {
        Map<Long, Long> pages = new HashMap<>();
        try (IndexCursor rows = index.cursor(meta, new byte[] {PAGES}, new byte[] {PAGES + 1})) {
            while (rows.next()) {
                long segment = ByteBuffer.wrap(rows.key()).getLong(1);
                pages.put(segment, new RowReader(rows.value()).number());
            }
        }
        return pages;
    }

    /** Adds the row of a segment to the batch. */
    public void put(IndexBatch batch, long segment, long bytes) {
        batch.put(meta, key(segment), new RowWriter(16).number(bytes).toBytes());
    }

    /** Adds the removal of a segment's row to the batch. */
    public void delete(IndexBatch batch, long segment) {
        batch.delete(meta, key(segment));
    }

    private static byte[] key(long segment) {
        return ByteBuffer.allocate(1 + Long.BYTES).put(PAGES).putLong(segment).array();
    }
}
