package io.volute.storage.check;

import io.volute.storage.DamagedException;
import io.volute.storage.Place;
import io.volute.storage.index.IndexCursor;
import io.volute.storage.log.PhasedCount;
import io.volute.storage.log.SegmentGoneException;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.report.CheckReport.Kind;
import io.volute.storage.rows.BlobRow;
import io.volute.storage.rows.CubeIndex;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongPredicate;
import java.util.stream.Collectors;

/** Reads the chunks of every stream blob, which verifies them. Holds no segment for long. */
final class ChunkCheck {
    /** Number of blob ids that are read from the index at once. */
    private static final int PAGE_BLOBS = 1000;

    /** Number of chunks that are read while their segments are pinned. */
    private static final int PINNED_CHUNKS = 64;

    private static final int ATTEMPTS_MAX = 100;

    private final SegmentLog log;
    private final CubeIndex index;
    private final PhasedCount lookups;
    private final CheckFindings notes;
    private ByteBuffer buffer = ByteBuffer.allocateDirect(0);

    /** Damaged chunks of the present blob. Its first one is named. */
    private long damaged;

    ChunkCheck(SegmentLog log, CubeIndex index, PhasedCount lookups, CheckFindings notes) {
        this.log = log;
        this.index = index;
        this.lookups = lookups;
        this.notes = notes;
    }

    /** Reads the chunks of the blobs that have some in these segments. */
    void run(LongPredicate some) throws IOException {
        long from = 0;
        List<Long> page;
        do {
            page = streamBlobs(from, some);
            for (long blob : page) {
                check(blob);
                from = blob + 1;
            }
        } while (!page.isEmpty());
    }

    /** Returns the next stream blobs, by a cursor of its own: reading their chunks takes long. */
    private List<Long> streamBlobs(long from, LongPredicate some) throws IOException {
        List<Long> found = new ArrayList<>();
        try (IndexCursor rows = index.allBlobs()) {
            boolean isThere = rows.seek(CubeIndex.blobKey(from));
            while (isThere && found.size() < PAGE_BLOBS) {
                byte[] value = rows.value();
                notes.read(value.length);
                boolean isWanted =
                        BlobRow.decode(value).extents().stream()
                                .anyMatch(each -> some.test(each.segmentId()));
                if (isWanted) {
                    found.add(CubeIndex.blobId(rows.key()));
                }
                isThere = rows.next();
            }
        }
        return found;
    }

    private void check(long blob) throws IOException {
        long chunk = 0;
        long chunks = 1;
        int attempt = 0;
        damaged = 0;
        while (chunk < chunks) {
            int phase = lookups.enter();
            SegmentLog.Pin pinned;
            BlobRow row;
            try {
                Optional<BlobRow> found = index.blob(blob);
                if (found.isEmpty()) {
                    return;
                }
                row = found.get();
                pinned = log.pin(segments(row));
            } catch (SegmentGoneException e) {
                if (++attempt == ATTEMPTS_MAX) {
                    notes.problem(Kind.REFERENCE, "blob " + blob, e.getMessage());
                    return;
                }
                continue;
            } finally {
                lookups.leave(phase);
            }
            try (SegmentLog.Pin pin = pinned) {
                chunks = row.content() instanceof BlobRow.Stream stream ? chunks(row, stream) : 0;
                long end = Math.min(chunks, chunk + PINNED_CHUNKS);
                while (chunk < end) {
                    read(blob, row, chunk);
                    chunk++;
                }
            }
        }
    }

    private static Set<Long> segments(BlobRow row) {
        return row.extents().stream().map(Place::segmentId).collect(Collectors.toSet());
    }

    private static long chunks(BlobRow row, BlobRow.Stream stream) {
        return (row.bytes() + stream.chunkBytes() - 1) / stream.chunkBytes();
    }

    private void read(long blob, BlobRow row, long chunk) throws IOException {
        if (!(row.content() instanceof BlobRow.Stream stream)) {
            return;
        }
        int needed = log.chunkBufferBytes(stream.chunkBytes());
        if (buffer.capacity() < needed) {
            buffer = ByteBuffer.allocateDirect(needed);
        }
        notes.read(Math.min(stream.chunkBytes(), row.bytes()));
        try {
            log.readChunk(
                    blob,
                    stream.extents(),
                    row.bytes(),
                    stream.chunkBytes(),
                    chunk,
                    buffer.clear());
        } catch (DamagedException e) {
            damaged++;
            if (damaged == 1) {
                String where = "blob " + blob + ", chunk " + chunk;
                boolean unused = notes.damaged(blob, where, e.getMessage());
            }
        }
    }
}
