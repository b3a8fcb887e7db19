package io.volute.server.config;

import io.volute.server.Wiring;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Bytes of a segment. Reserves are counted in segments, so that in a small store large ones would
 * leave little for clients. Each segment file records its own size, so another setting affects new
 * files only.
 */
final class SegmentSize {
    static final long BYTES_MIN = 4L << 20;
    static final long BYTES_MAX = 64L << 20;
    private static final int SHARE = 128;

    private SegmentSize() {}

    /**
     * A power of two, at most a 128th of the capacity, but for room for two pieces.
     *
     * @param capacity bytes; 0 for that of the file system
     * @param pieceBytes of the longest body or chunk
     * @param data the directory of the store, which need not exist yet
     */
    static long fitting(long capacity, long pieceBytes, Path data) {
        return of(capacity > 0 ? capacity : fileSystemBytes(data), pieceBytes);
    }

    static long of(long capacity, long pieceBytes) {
        long share = Math.clamp(Long.highestOneBit(capacity / SHARE), BYTES_MIN, BYTES_MAX);
        long pieces = Long.highestOneBit(Math.max(1, 4 * pieceBytes - 1));
        return Math.max(share, pieces);
    }

    @Wiring
    private static long fileSystemBytes(Path data) {
        Path existing = data.toAbsolutePath();
        while (!Files.exists(existing) && existing.getParent() != null) {
            existing = existing.getParent();
        }
        try {
            return Files.getFileStore(existing).getTotalSpace();
        } catch (IOException e) {
            // The later opening of the store reports the error.
            return Long.MAX_VALUE;
        }
    }
}
