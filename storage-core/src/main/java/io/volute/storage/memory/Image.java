package io.volute.storage.memory;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32C;

/**
 * A memory segment: entries in seglets. One thread at a time appends; any thread reads, between
 * {@link #enter} and {@link #leave}. Its seglets return to the pool when it is closed and the last
 * reader has left.
 */
final class Image {
    static final int HEADER_BYTES = 24;

    /** The result of reading an entry. */
    enum Entry {
        INTACT,
        DAMAGED
    }

    private static final int LENGTH = 8;
    private static final int CHECKSUM = 12;
    private static final int LAST_READ = 16;
    private static final int IMAGE = 20;
    private static final int ALIGNMENT = 8;

    private static final long ONE_INSIDE = 1;
    private static final long INSIDE = (1L << 20) - 1;
    private static final long ONE_READ = 1L << 20;
    private static final int READS_SHIFT = 20;
    private static final long READS_MAX = 1L << 40;
    private static final long CLOSED = Long.MIN_VALUE;

    private final SegletPool pool;
    private final int slot;
    private final long generation;
    private final int[] seglets;
    private final AtomicInteger dead = new AtomicInteger();

    /** Closed (1 bit), recent reads (43), readers inside (20). */
    private final AtomicLong state = new AtomicLong();

    private final AtomicBoolean returned = new AtomicBoolean();
    private int segletCount;
    private volatile int used;
    private volatile boolean sealed;

    /**
     * Creates an image.
     *
     * @param generation number that is never used for another image
     */
    Image(SegletPool pool, int slot, long generation, int imageSeglets) {
        this.pool = pool;
        this.slot = slot;
        this.generation = generation;
        this.seglets = new int[imageSeglets];
    }

    int slot() {
        return slot;
    }

    long generation() {
        return generation;
    }

    // ---- appending

    /** Returns the bytes of an entry, without the loss at a seglet's end. */
    static int entryBytes(int contentBytes) {
        return HEADER_BYTES + (contentBytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }

    /** Returns the offset of the next entry when this many bytes are used. */
    private static int placeAfter(int usedBytes) {
        int left = SegletPool.SEGLET_BYTES - usedBytes % SegletPool.SEGLET_BYTES;
        return left < HEADER_BYTES ? usedBytes + left : usedBytes;
    }

    /** Returns whether an entry can fit, with seglets that are not taken yet. */
    boolean fits(int entryBytes) {
        return placeAfter(used) + entryBytes <= seglets.length * SegletPool.SEGLET_BYTES;
    }

    /** Takes the seglets that an entry needs; returns false when the pool has none. */
    boolean prepare(int entryBytes, SegletPool.Use use) {
        int end = placeAfter(used) + entryBytes;
        while (segletCount * SegletPool.SEGLET_BYTES < end) {
            int seglet = pool.take(use);
            if (seglet == SegletPool.NONE) {
                return false;
            }
            seglets[segletCount++] = seglet;
        }
        return true;
    }

    /**
     * Appends an entry after {@link #prepare}.
     *
     * @param content content; position and limit stay as they are
     * @return offset of the entry
     */
    int append(long blobId, ByteBuffer content, int checksum, int lastRead) {
        int offset = placeAfter(used);
        dead.addAndGet(offset - used);
        int bytes = content.remaining();
        ByteBuffer slab = slabAt(offset);
        int at = indexAt(offset);
        slab.putLong(at, blobId);
        slab.putInt(at + LENGTH, bytes);
        slab.putInt(at + CHECKSUM, checksum);
        slab.putInt(at + LAST_READ, lastRead);
        slab.putInt(at + IMAGE, (int) generation);
        int from = offset + HEADER_BYTES;
        for (int done = 0; done < bytes; ) {
            int piece = Math.min(bytes - done, leftInSeglet(from + done));
            slabAt(from + done)
                    .put(indexAt(from + done), content, content.position() + done, piece);
            done += piece;
        }
        used = offset + entryBytes(bytes);
        return offset;
    }

    /** Ends the appends. */
    void seal() {
        sealed = true;
    }

    boolean isSealed() {
        return sealed;
    }

    private ByteBuffer slabAt(int offset) {
        return pool.slab(seglets[offset / SegletPool.SEGLET_BYTES]);
    }

    private int indexAt(int offset) {
        return SegletPool.base(seglets[offset / SegletPool.SEGLET_BYTES])
                + offset % SegletPool.SEGLET_BYTES;
    }

    private static int leftInSeglet(int offset) {
        return SegletPool.SEGLET_BYTES - offset % SegletPool.SEGLET_BYTES;
    }

    // ---- readers

    /**
     * Enters as a reader, which keeps the bytes in place until {@link #leave}; returns false when
     * the image is closed.
     */
    boolean enter() {
        return entered(state.addAndGet(ONE_INSIDE));
    }

    /** Enters as a reader and counts a read. */
    boolean enterToRead() {
        long now = state.addAndGet(ONE_INSIDE + ONE_READ);
        if (now >= 0 && now >>> READS_SHIFT > READS_MAX) {
            halveReads();
        }
        return entered(now);
    }

    private boolean entered(long now) {
        if (now < 0) {
            leave();
            return false;
        }
        return true;
    }

    void leave() {
        returnWhenEmpty(state.addAndGet(-ONE_INSIDE));
    }

    /**
     * Refuses further readers. The seglets return to the pool when the present readers have left.
     */
    void close() {
        returnWhenEmpty(state.updateAndGet(now -> now | CLOSED));
    }

    private void returnWhenEmpty(long now) {
        if (now < 0 && (now & INSIDE) == 0 && returned.compareAndSet(false, true)) {
            pool.giveBack(seglets, segletCount);
        }
    }

    /** Returns the reads since the image was made; older reads count less. */
    long reads() {
        return (state.get() & ~CLOSED) >>> READS_SHIFT;
    }

    void halveReads() {
        state.updateAndGet(now -> now - ((now & ~CLOSED) >>> READS_SHIFT) / 2 * ONE_READ);
    }

    /** Adds reads of entries that were copied here. */
    void inheritReads(long count) {
        state.getAndAdd(Math.min(count, READS_MAX / 2) * ONE_READ);
    }

    // ---- entries; only inside, or by the thread that alone may close the image

    /**
     * Copies an entry's content into the target from index 0, sets position and limit to it, and
     * verifies the copy.
     */
    Entry read(int offset, long blobId, int bytes, ByteBuffer target) {
        ByteBuffer slab = slabAt(offset);
        int at = indexAt(offset);
        if (slab.getLong(at) != blobId
                || slab.getInt(at + LENGTH) != bytes
                || slab.getInt(at + IMAGE) != (int) generation) {
            return Entry.DAMAGED;
        }
        int from = offset + HEADER_BYTES;
        for (int done = 0; done < bytes; ) {
            int piece = Math.min(bytes - done, leftInSeglet(from + done));
            target.put(done, slabAt(from + done), indexAt(from + done), piece);
            done += piece;
        }
        target.position(0).limit(bytes);
        return checksum(blobId, target) == slab.getInt(at + CHECKSUM)
                ? Entry.INTACT
                : Entry.DAMAGED;
    }

    /** Returns the CRC32C of blob id and content. Position and limit stay as they are. */
    static int checksum(long blobId, ByteBuffer content) {
        CRC32C crc = new CRC32C();
        for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
            crc.update((int) (blobId >>> shift));
        }
        int position = content.position();
        crc.update(content);
        content.position(position);
        return (int) crc.getValue();
    }

    /** Records the time of a read of an entry. */
    void touch(int offset, int tick) {
        int at = indexAt(offset) + LAST_READ;
        ByteBuffer slab = slabAt(offset);
        if (slab.getInt(at) != tick) {
            slab.putInt(at, tick);
        }
    }

    int lastRead(int offset) {
        return slabAt(offset).getInt(indexAt(offset) + LAST_READ);
    }

    /** The header of the entry at an offset. */
    record Header(long blobId, int offset, int contentBytes, int checksum, int lastRead) {
        int entryBytes() {
            return Image.entryBytes(contentBytes);
        }
    }

    /** Returns the offset of the entry after one that ends there, or of the first entry for 0. */
    static int next(int end) {
        return placeAfter(end);
    }

    Header header(int offset) {
        ByteBuffer slab = slabAt(offset);
        int at = indexAt(offset);
        return new Header(
                slab.getLong(at),
                offset,
                slab.getInt(at + LENGTH),
                slab.getInt(at + CHECKSUM),
                slab.getInt(at + LAST_READ));
    }

    /**
     * Returns whether the walk may go on behind a header: it belongs to this image and ends inside
     * it.
     */
    boolean isPlausible(Header header) {
        return slabAt(header.offset()).getInt(indexAt(header.offset()) + IMAGE) == (int) generation
                && header.contentBytes() > 0
                && header.contentBytes() <= used - header.offset() - HEADER_BYTES;
    }

    // ---- accounting

    /** Counts the entry at this offset as dead. */
    void died(int offset) {
        Header header = header(offset);
        if (isPlausible(header)) {
            dead.addAndGet(header.entryBytes());
        }
    }

    int usedBytes() {
        return used;
    }

    int deadBytes() {
        return dead.get();
    }

    int liveBytes() {
        return Math.max(0, used - dead.get());
    }
}
