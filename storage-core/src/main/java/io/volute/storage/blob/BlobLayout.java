package io.volute.storage.blob;

import io.volute.storage.rows.BlobRow;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;

/**
 * The leaves of a blob in order: blobs that have bytes of their own. They are kept as encoded rows,
 * because a composed blob can have many. Immutable, thread-safe.
 */
final class BlobLayout {
    private final long bytes;
    private final int count;
    private final long[] ids;
    private final long[] starts;
    private final int[] rowEnds;
    private final byte[] rows;

    private BlobLayout(Builder builder) {
        this.bytes = builder.bytes;
        this.count = builder.count;
        this.ids = Arrays.copyOf(builder.ids, count);
        this.starts = Arrays.copyOf(builder.starts, count);
        this.rowEnds = Arrays.copyOf(builder.rowEnds, count);
        this.rows = Arrays.copyOf(builder.rows, builder.rowBytes);
    }

    /**
     * A leaf.
     *
     * @param start offset of its first byte in the whole
     */
    record Leaf(long blobId, long start, BlobRow row) {
        boolean has(long offset) {
            return offset >= start && offset < start + row.bytes();
        }
    }

    /** Collects leaves and their segments. Not thread-safe. */
    static final class Builder {
        private final Set<Long> segments = new HashSet<>();
        private long bytes;
        private int count;
        private int rowBytes;
        private long[] ids = new long[1];
        private long[] starts = new long[1];
        private int[] rowEnds = new int[1];
        private byte[] rows = new byte[64];

        void add(long id, BlobRow row) {
            byte[] encoded = row.encode();
            if (count == ids.length) {
                ids = Arrays.copyOf(ids, 2 * count);
                starts = Arrays.copyOf(starts, 2 * count);
                rowEnds = Arrays.copyOf(rowEnds, 2 * count);
            }
            if (rowBytes + encoded.length > rows.length) {
                rows = Arrays.copyOf(rows, 2 * rows.length + encoded.length);
            }
            System.arraycopy(encoded, 0, rows, rowBytes, encoded.length);
            rowBytes += encoded.length;
            ids[count] = id;
            starts[count] = bytes;
            rowEnds[count] = rowBytes;
            count++;
            bytes += row.bytes();
            if (row.content() instanceof BlobRow.Stream stream) {
                stream.extents().forEach(extent -> segments.add(extent.segmentId()));
            } else {
                segments.add(row.entry().segmentId());
            }
        }

        /** Adds a segment that the reader needs besides those of the leaves. */
        void addSegment(long segmentId) {
            segments.add(segmentId);
        }

        int count() {
            return count;
        }

        long bytes() {
            return bytes;
        }

        Set<Long> segments() {
            return segments;
        }

        BlobLayout build() {
            return new BlobLayout(this);
        }
    }

    long bytes() {
        return bytes;
    }

    boolean isEmpty() {
        return count == 0;
    }

    /** Returns the leaf that has an offset; the last one for an offset behind the end. */
    Leaf leafAt(long offset) {
        int found = Arrays.binarySearch(starts, offset);
        int number = found >= 0 ? found : Math.max(0, -found - 2);
        int begin = number == 0 ? 0 : rowEnds[number - 1];
        BlobRow row = BlobRow.decode(Arrays.copyOfRange(rows, begin, rowEnds[number]));
        return new Leaf(ids[number], starts[number], row);
    }

    /** Returns the approximate heap bytes. */
    long heapBytes() {
        return 160 + 20L * count + rows.length;
    }
}
