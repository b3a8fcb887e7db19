package io.volute.storage.log.segment;

import io.volute.storage.io.StoredFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;

/**
 * Reads small entries of unchanging segments with what lies behind them, for these are asked for
 * next: each call of the system costs more than what it copies. Used by one thread.
 */
public final class ReadAhead implements EntryReading.Source, AutoCloseable {
    public static final int WINDOW_BYTES = 64 << 10;

    /** What is larger is read alone, and not what is dead behind it. */
    private static final int ENTRY_BYTES_MAX = 8 << 10;

    /**
     * Segments that are read side by side: where they are more, the one of the longest rest ends.
     */
    private static final int WINDOWS_MAX = 64;

    private final BufferShelf shelf;
    private final LinkedHashMap<Long, Window> windows = new LinkedHashMap<>(16, 0.75f, true);

    public ReadAhead(BufferShelf shelf) {
        this.shelf = shelf;
    }

    /** What was read of a segment from an offset on, up to the limit. */
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
            return shelf.take();
        }
        return windows.pollFirstEntry().getValue().bytes();
    }

    private Window fill(ByteBuffer buffer, long segmentId, StoredFile file, long offset) {
        buffer.clear();
        try {
            int filled = file.read(buffer, offset);
            buffer.limit(Math.max(0, filled));
        } catch (IOException e) {
            // What cannot be read may be dead: whoever asks for just that is told.
            buffer.limit(0);
        }
        Window window = new Window(offset, buffer);
        windows.put(segmentId, window);
        return window;
    }

    @Override
    public void close() {
        windows.values().forEach(window -> shelf.give(window.bytes()));
        windows.clear();
    }
}
