package io.volute.storage.log.segment;

import io.volute.storage.io.StoredFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;

/**
 * Reads small entries of unchanging segments together with the bytes behind them, which are read
 * next: a system call costs more than the copy. Used by one thread.
 */
public final class ReadAhead implements EntryReader.Source, AutoCloseable {
    public static final int WINDOW_BYTES = 64 << 10;

    /**
     * Longest entry that is read ahead. Larger ones are read alone, without dead bytes behind them.
     */
    private static final int ENTRY_BYTES_MAX = 8 << 10;

    /**
     * Greatest number of segments that are read side by side. With more, the window that was not
     * used for longest is dropped.
     */
    private static final int WINDOWS_MAX = 64;

    private final BufferPool buffers;
    private final LinkedHashMap<Long, Window> windows = new LinkedHashMap<>(16, 0.75f, true);

    public ReadAhead(BufferPool buffers) {
        this.buffers = buffers;
    }

    /** The bytes of a segment from an offset on, up to the limit of the buffer. */
    private record Window(long begin, ByteBuffer bytes) {
        boolean holds(long offset, int count) {
            return offset >= begin && offset + count <= begin + bytes.limit();
        }
    }

    @Override
    public int read(long segmentId, StoredFile file, long offset, ByteBuffer target)
            throws IOException {
        int count = target.remaining();
        if (count > ENTRY_BYTES_MAX) {
            return file.read(target, offset);
        }
        Window window = windows.get(segmentId);
        if (window == null || !window.holds(offset, count)) {
            window = fill(window == null ? takeBuffer() : window.bytes(), segmentId, file, offset);
        }
        if (!window.holds(offset, count)) {
            return file.read(target, offset);
        }
        target.put(target.position(), window.bytes(), (int) (offset - window.begin()), count);
        return count;
    }

    private ByteBuffer takeBuffer() {
        if (windows.size() < WINDOWS_MAX) {
            return buffers.take();
        }
        return windows.pollFirstEntry().getValue().bytes();
    }

    private Window fill(ByteBuffer buffer, long segmentId, StoredFile file, long offset) {
        buffer.clear();
        try {
            int filled = file.read(buffer, offset);
            buffer.limit(Math.max(0, filled));
        } catch (IOException e) {
            // Bytes that cannot be read may be dead. A caller that needs exactly these gets the
            // failure.
            buffer.limit(0);
        }
        Window window = new Window(offset, buffer);
        windows.put(segmentId, window);
        return window;
    }

    @Override
    public void close() {
        windows.values().forEach(window -> buffers.give(window.bytes()));
        windows.clear();
    }
}
