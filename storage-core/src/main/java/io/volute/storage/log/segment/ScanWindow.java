package io.volute.storage.log.segment;

import io.volute.storage.format.SegmentFormat;
import io.volute.storage.io.StoredFile;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A part of a file in memory, moved forward by a scan. Used by one thread. */
public final class ScanWindow {
    private static final int BYTES = 1 << 20;

    private ByteBuffer buffer;
    private StoredFile file;
    private long begin;
    private int filled;

    /**
     * Creates a window over a file.
     *
     * @param fileBytes size of the file; later files may be larger
     */
    public ScanWindow(StoredFile file, long fileBytes) {
        this.file = file;
        this.buffer = ByteBuffer.allocateDirect(Math.clamp(fileBytes, 4096, BYTES));
    }

    /** Moves the window to another file. */
    void reset(StoredFile next) {
        file = next;
        begin = 0;
        filled = 0;
    }

    public ByteBuffer buffer() {
        return buffer;
    }

    /** Returns the index in the buffer of this range of the file; -1 when the file ends before. */
    public int index(long offset, int bytes) throws IOException {
        if (offset >= begin && offset + bytes <= begin + filled) {
            return (int) (offset - begin);
        }
        if (bytes > buffer.capacity()) {
            buffer = ByteBuffer.allocateDirect((int) SegmentFormat.pageUp(bytes));
        }
        buffer.clear();
        filled = file.read(buffer, offset);
        begin = offset;
        buffer.clear();
        return filled >= bytes ? 0 : -1;
    }
}
