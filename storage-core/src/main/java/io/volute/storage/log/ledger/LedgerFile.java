package io.volute.storage.log.ledger;

import io.volute.storage.format.SegmentFormat;
import io.volute.storage.io.StoredFile;
import io.volute.storage.io.WriteCause;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A segment on a ledger, as the log sees a file. Padding is not written: bytes that were never
 * written read as zeros.
 */
final class LedgerFile implements StoredFile {
    private final LedgerSegment segment;
    private final Runnable onClose;
    private final AtomicBoolean closed = new AtomicBoolean();

    /**
     * Opens a segment.
     *
     * @param onClose runs once, when this file is closed
     */
    LedgerFile(LedgerSegment segment, Runnable onClose) {
        this.segment = segment;
        this.onClose = onClose;
    }

    @Override
    public void write(ByteBuffer source, long offset, WriteCause cause) throws IOException {
        segment.write(source, offset, cause);
    }

    @Override
    public void writePadded(ByteBuffer source, long offset, WriteCause cause, int padding)
            throws IOException {
        int limit = source.limit();
        segment.write(source.limit(limit - padding), offset, cause);
        source.limit(limit).position(limit);
    }

    @Override
    public int read(ByteBuffer target, long offset) throws IOException {
        return segment.read(target, offset);
    }

    @Override
    public void force() throws IOException {
        segment.force();
    }

    @Override
    public boolean punch(long offset, long bytes) {
        return false;
    }

    /** {@inheritDoc} Padding takes none, but counts: the log knows holes of whole pages. */
    @Override
    public long allocatedBytes(long offset, long bytes) {
        long end = SegmentFormat.pageUp(segment.end());
        return Math.max(0, Math.min(end, offset + bytes) - offset);
    }

    @Override
    public long size() {
        return segment.segmentBytes();
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            onClose.run();
        }
    }
}
