package io.volute.storage.rows;

import io.volute.storage.Place;
import io.volute.storage.index.IndexBatch;
import io.volute.storage.index.IndexCursor;
import io.volute.storage.index.IndexTable;
import io.volute.storage.index.KeyValueIndex;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * The extents of live stream blobs by segment, so that the live part of a stream segment is one
 * range of rows. A row is added and removed in the same batch as the row of its blob:
 *
 * <pre>
 *   'x' segment, offset      bytes, blob id
 * </pre>
 */
public final class ExtentRows {
    private static final byte EXTENT = 'x';

    private final KeyValueIndex index;
    private final IndexTable meta;

    ExtentRows(KeyValueIndex index, IndexTable meta) {
        this.index = index;
        this.meta = meta;
    }

    /** Adds the rows of a stream blob to the batch; other blobs have none. */
    public void put(IndexBatch batch, long blobId, BlobRow blob) {
        for (Place extent : blob.extents()) {
            batch.put(
                    meta,
                    key(extent.segmentId(), extent.offset()),
                    new RowWriter(16).number(extent.bytes()).number(blobId).toBytes());
        }
    }

    /** Adds the removal of a blob's rows to the batch. */
    public void delete(IndexBatch batch, BlobRow blob) {
        for (Place extent : blob.extents()) {
            batch.delete(meta, key(extent.segmentId(), extent.offset()));
        }
    }

    /** Returns the live extents of a segment, ascending. */
    public List<Place> live(long segment) {
        List<Place> extents = new ArrayList<>();
        try (IndexCursor rows = index.cursor(meta, key(segment, 0), key(segment + 1, 0))) {
            while (rows.next()) {
                long offset = ByteBuffer.wrap(rows.key()).getLong(1 + Long.BYTES);
                extents.add(new Place(segment, offset, new RowReader(rows.value()).number()));
            }
        }
        return extents;
    }

    /** Returns blob ids by the offset of their extents in a segment, ascending. */
    public NavigableMap<Long, Long> owners(long segment) {
        NavigableMap<Long, Long> owners = new TreeMap<>();
        try (IndexCursor rows = index.cursor(meta, key(segment, 0), key(segment + 1, 0))) {
            while (rows.next()) {
                RowReader row = new RowReader(rows.value());
                row.number();
                owners.put(ByteBuffer.wrap(rows.key()).getLong(1 + Long.BYTES), row.number());
            }
        }
        return owners;
    }

    private static byte[] key(long segment, long offset) {
        return ByteBuffer.allocate(1 + 2 * Long.BYTES)
                .put(EXTENT)
                .putLong(segment)
                .putLong(offset)
                .array();
    }
}
