package io.volute.storage.blob;

import io.volute.storage.BlobReader;
import io.volute.storage.DamagedException;
import io.volute.storage.Transaction;
import io.volute.storage.blob.BlobLayout.Leaf;
import io.volute.storage.log.SegmentReads;
import io.volute.storage.rows.BlobRow;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/**
 * Reads a blob that is a sequence of leaves: one for a plain blob, any number for a composed one.
 */
final class LeafReader implements BlobReader {

    private final SegmentReads log;
    private final CubeImages images;
    private final BlobLayout layout;
    private final PartSource parts;
    private final SegmentReads.Pin pin;
    private Optional<Leaf> last = Optional.empty();
    private boolean closed;

    /** Reads the parts of a composed blob. */
    @FunctionalInterface
    interface PartSource {
        List<Transaction.Part> read() throws IOException;
    }

    /**
     * Creates a reader.
     *
     * @param pinned the leaves, none empty unless the whole blob is, and the pin of all their
     *     segments; closed with this reader
     */
    LeafReader(SegmentReads log, CubeImages images, SharedLayouts.Pinned pinned, PartSource parts) {
        this.log = log;
        this.images = images;
        this.layout = pinned.layout();
        this.parts = parts;
        this.pin = pinned.pin();
    }

    @Override
    public long bytes() {
        return layout.bytes();
    }

    @Override
    public List<Transaction.Part> parts() throws IOException {
        return parts.read();
    }

    @Override
    public int bufferBytes(long offset) {
        if (layout.isEmpty()) {
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
        if (offset < 0 || offset >= endOffset || endOffset > layout.bytes()) {
            throw new IllegalArgumentException(
                    "no range " + offset + " to " + endOffset + " in " + layout.bytes() + " bytes");
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
        Leaf leaf = last.filter(each -> each.has(offset)).orElseGet(() -> layout.leafAt(offset));
        last = Optional.of(leaf);
        return leaf;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            pin.close();
        }
    }
}
