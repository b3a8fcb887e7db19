package io.volute.storage.log.migration;

import io.volute.storage.format.SegmentFormat;
import io.volute.storage.io.StoredFile;
import io.volute.storage.io.WriteCause;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Copies the bytes of a segment, except for pages of zeros. Used by one thread. */
final class SegmentCopy {
    private static final int PIECE_BYTES = 1 << 20;
    private static final ByteBuffer ZEROS = ByteBuffer.allocate(SegmentFormat.PAGE_BYTES);

    private final ByteBuffer piece = ByteBuffer.allocateDirect(PIECE_BYTES);
    private long bytes;

    /** Takes the bytes of each copied piece. */
    interface Watch {
        void copied(long bytes) throws IOException;
    }

    /**
     * Copies a file and forces the copy.
     *
     * @param end bytes to copy from the beginning on
     */
    void copy(StoredFile from, long end, StoredFile to, Watch watch) throws IOException {
        for (long at = 0; at < end; at += PIECE_BYTES) {
            long before = bytes;
            piece.clear().limit((int) Math.min(PIECE_BYTES, end - at));
            from.read(piece, at);
            write(piece.flip(), at, to);
            watch.copied(bytes - before);
        }
        to.force();
    }

    /** Writes the runs of pages that are not all zeros. */
    private void write(ByteBuffer content, long offset, StoredFile to) throws IOException {
        int limit = content.limit();
        int begin = 0;
        for (int page = 0; page <= limit; page += SegmentFormat.PAGE_BYTES) {
            int end = Math.min(limit, page + SegmentFormat.PAGE_BYTES);
            if (page >= limit || isZero(content.slice(page, end - page))) {
                if (begin < page) {
                    int runEnd = Math.min(page, limit);
                    bytes += runEnd - begin;
                    to.write(
                            content.slice(begin, runEnd - begin),
                            offset + begin,
                            WriteCause.CHECKPOINT);
                }
                begin = page + SegmentFormat.PAGE_BYTES;
            }
        }
        if (begin < limit) {
            bytes += limit - begin;
            to.write(content.slice(begin, limit - begin), offset + begin, WriteCause.CHECKPOINT);
        }
    }

    private static boolean isZero(ByteBuffer page) {
        return page.equals(ZEROS.slice(0, page.remaining()));
    }

    /** Returns the number of bytes written so far. */
    long bytes() {
        return bytes;
    }
}
