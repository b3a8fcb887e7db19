package io.volute.storage.blob;

import io.volute.storage.CubeUnavailableException;
import io.volute.storage.CubeUnavailableException.Reason;
import io.volute.storage.log.SegmentReads;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;

/**
 * The layouts of composed blobs that are being read. Readers of one blob share its layout and the
 * pin of its segments, and all layouts have a bound in bytes of heap. Thread-safe.
 */
final class SharedLayouts {
    /** Heap bytes of all layouts: 170 different blobs of 10,000 parts. */
    static final long BYTES_MAX = 96L << 20;

    /** Layouts up to this size are neither shared nor counted: about 100 leaves. */
    private static final long SMALL_BYTES = 8 << 10;

    /**
     * Readers that share a layout while there is space for another one. A layout keeps segments
     * that the cleaner has emptied since, so its readers must come to an end.
     */
    private static final int READERS_MAX = 64;

    /** Layouts that are made at the same moment, which are not counted yet. */
    private static final int MAKING_MAX = 2;

    private final long bytesMax;
    private final Semaphore making = new Semaphore(MAKING_MAX);

    /** The last layout of each blob. Guarded by this, as is the rest. */
    private final Map<Long, Shared> last = new HashMap<>();

    private long held;

    SharedLayouts(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** A layout and the pin of its segments. */
    record Pinned(BlobLayout layout, SegmentReads.Pin pin) {}

    /** Makes a layout. */
    @FunctionalInterface
    interface Making {
        Pinned make() throws IOException;
    }

    private final class Shared implements SegmentReads.Pin {
        private final long blob;
        private final Pinned pinned;
        private int joined = 1;
        private int readers = 1;

        Shared(long blob, Pinned pinned) {
            this.blob = blob;
            this.pinned = pinned;
        }

        @Override
        public void close() {
            if (leave(this)) {
                pinned.pin().close();
            }
        }
    }

    /**
     * Returns the layout of a blob with a pin of its own for the caller.
     *
     * @throws CubeUnavailableException BUSY when too many other layouts are being read
     */
    Pinned open(long blob, Making layout) throws IOException {
        Optional<Pinned> there = join(blob, false);
        if (there.isPresent()) {
            return there.get();
        }
        making.acquireUninterruptibly();
        try {
            there = join(blob, false);
            return there.isPresent() ? there.get() : add(blob, layout.make());
        } finally {
            making.release();
        }
    }

    private synchronized Optional<Pinned> join(long blob, boolean isFull) {
        Shared shared = last.get(blob);
        if (shared == null || (!isFull && shared.joined >= READERS_MAX && held < bytesMax / 2)) {
            return Optional.empty();
        }
        shared.joined++;
        shared.readers++;
        return Optional.of(new Pinned(shared.pinned.layout(), shared));
    }

    private Pinned add(long blob, Pinned made) throws IOException {
        long bytes = made.layout().heapBytes();
        if (bytes <= SMALL_BYTES) {
            return made;
        }
        Optional<Shared> added = reserve(blob, made, bytes);
        if (added.isPresent()) {
            return new Pinned(made.layout(), added.get());
        }
        made.pin().close();
        return join(blob, true)
                .orElseThrow(
                        () ->
                                new CubeUnavailableException(
                                        Reason.BUSY,
                                        "objects of many parts are being read, whose lists of"
                                                + " parts take "
                                                + bytesMax
                                                + " bytes: try again"));
    }

    private synchronized Optional<Shared> reserve(long blob, Pinned made, long bytes) {
        if (held + bytes > bytesMax) {
            return Optional.empty();
        }
        held += bytes;
        Shared shared = new Shared(blob, made);
        last.put(blob, shared);
        return Optional.of(shared);
    }

    /** Returns whether the last reader has left. */
    private synchronized boolean leave(Shared shared) {
        shared.readers--;
        if (shared.readers > 0) {
            return false;
        }
        last.remove(shared.blob, shared);
        held -= shared.pinned.layout().heapBytes();
        return true;
    }

    /** Returns the heap bytes of the layouts that are being read. */
    synchronized long heapBytes() {
        return held;
    }
}
