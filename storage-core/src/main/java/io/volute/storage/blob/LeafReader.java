package io.volute.storage.blob;

import io.volute.storage.BlobReader;
import io.volute.storage.DamagedException;
import io.volute.storage.Transaction;
import io.volute.storage.log.SegmentReads;
import io.volute.storage.rows.BlobRow;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Reads a blob that is a sequence of leaves: one for a plain blob, any number for a composed one.
 */
final class LeafReader implements BlobReader {

    /**
     * A blob that has bytes of its own.
     *
     * @param start offset of its first byte in the whole
     */
    record Leaf(long blobId, long start, BlobRow row) {}

    private final SegmentReads log;
    private final CubeImages images;
    private final long bytes;
    private final List<Transaction.Part> parts;
    private final List<Leaf> leaves;
    private final SegmentReads.Pin pin;
    private boolean closed;

    /**
     * Creates a reader.
     *
     * @param leaves leaves in order, none empty unless the whole blob is
     * @param pin pin of all their segments; closed with this reader
     */
    LeafReader(
            SegmentReads log,
            CubeImages images,
            long bytes,
            List<Transaction.Part> parts,
            List<Leaf> leaves,
            SegmentReads.Pin pin) {
        this.log = log;
        this.images = images;
        this.bytes = bytes;
        this.parts = parts;
        this.leaves = leaves;
        this.pin = pin;
    }

    @Override
    public long bytes() {
        return bytes;
    }

    @Override
    public List<Transaction.Part> parts() {
        return parts;
    }

    @Override
    public int bufferBytes(long offset) {
        if (leaves.isEmpty()) {
            return 0;
        }
        BlobRow row = leafAt(offset).row();
        return row.content() instanceof BlobRow.Stream stream
                ? log.chunkBufferBytes(stream.chunkBytes())
                : log.inlineBufferBytes(row.entry());
    }

    @Override
    public void read(long offset, long endOffset, ByteBuffer target) throws IOException {
        if (closed) {
            throw new IllegalStateException("the reader is closed");
        }
        if (offset < 0 || offset >= endOffset || endOffset > bytes) {
            throw new IllegalArgumentException(
                    "no range " + offset + " to " + endOffset + " in " + bytes + " bytes");
        }
        Leaf leaf = leafAt(offset);
        long within = offset - leaf.start();
        long end = Math.min(endOffset - leaf.start(), leaf.row().bytes());
        if (leaf.row().content() instanceof BlobRow.Stream stream) {
            long chunk = within / stream.chunkBytes();
            log.readChunk(
                    leaf.blobId(),
                    stream.extents(),
                    leaf.row().bytes(),
                    stream.chunkBytes(),
                    chunk,
                    target);
            long chunkStart = chunk * stream.chunkBytes();
            narrow(target, leaf, within - chunkStart, end - chunkStart);
        } else if (images.read(leaf.blobId(), leaf.row().bytes(), target)) {
            narrow(target, leaf, within, end);
        } else {
            log.readInline(leaf.row().entry(), leaf.blobId(), target);
            if (target.remaining() != leaf.row().bytes()) {
                throw new DamagedException(
                        "segment " + leaf.row().entry().segmentId(),
                        leaf.row().entry().offset(),
                        "blob "
                                + leaf.blobId()
                                + " has "
                                + target.remaining()
                                + " bytes, its index row has "
                                + leaf.row().bytes());
            }
            images.readFromDisk(leaf.blobId(), target);
            narrow(target, leaf, within, end);
        }
    }

    /** Cuts {@code [from, to)} out of the content between position and limit. */
    private static void narrow(ByteBuffer target, Leaf leaf, long from, long to)
            throws DamagedException {
        int content = target.remaining();
        if (from >= content) {
            target.limit(target.position());
            throw new DamagedException(
                    "segment " + leaf.row().entry().segmentId(),
                    leaf.row().entry().offset(),
                    "blob " + leaf.blobId() + " is shorter than in its index row");
        }
        int begin = target.position();
        target.limit(begin + (int) Math.min(to, content));
        target.position(begin + (int) from);
    }

    private Leaf leafAt(long offset) {
        int low = 0;
        int high = leaves.size() - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (leaves.get(middle).start() <= offset) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return leaves.get(low);
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            pin.close();
        }
    }
}
