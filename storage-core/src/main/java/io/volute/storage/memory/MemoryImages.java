package io.volute.storage.memory;

import io.volute.storage.CubeOptions.MemorySettings;
import io.volute.storage.report.ImageStats;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A log-structured cache of small immutable blobs outside the heap, within a budget; with budget 0
 * it holds nothing. Every content served was verified after it was copied. Thread-safe.
 *
 * <p>Admission: blobs that were just committed, and blobs read from the disk for the second time
 * within a window ({@link RereadDetector}). Eviction: blobs that died, and when memory is low,
 * blobs that were not read lately ({@link ImageBalance}).
 *
 * <p>A reader that was opened before a blob died may add the blob after its death. It is not read
 * again, so it is evicted as the coldest.
 */
public final class MemoryImages implements AutoCloseable {
    /** Number of attempts of a read: an entry may move while it is looked up, but seldom twice. */
    private static final int ATTEMPTS = 4;

    private final long budgetBytes;
    private final ImageLayout layout;
    private final Executor executor;
    private final SegletPool pool;
    private final ImageTable images;
    private final EntryIndex index;
    private final RereadDetector firstReads;
    private final ReentrantLock upkeepLock = new ReentrantLock();
    private final ImageUpkeep upkeep;
    private final AtomicBoolean isUpkeepAsked = new AtomicBoolean();
    private final ReentrantLock appendLock = new ReentrantLock();
    private final ImageAppender head;
    private volatile int tick;
    private volatile boolean closed;

    private final LongAdder hits = new LongAdder();
    private final LongAdder misses = new LongAdder();
    private final LongAdder mismatches = new LongAdder();
    private final LongAdder written = new LongAdder();
    private final LongAdder admitted = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder busy = new LongAdder();
    private final LongAdder died = new LongAdder();

    /**
     * Creates empty images.
     *
     * @param executor runs compaction and eviction, one task at a time; no task waits for I/O
     */
    public MemoryImages(MemorySettings settings, Executor executor) {
        this(settings, ImageLayout.of(settings), new NativeSlabs(), executor);
    }

    MemoryImages(MemorySettings settings, ImageLayout layout, Slabs slabs, Executor executor) {
        this.budgetBytes = settings.imageBytes();
        this.layout = layout;
        this.executor = executor;
        this.pool = new SegletPool(slabs, layout.seglets(), layout.reserveSeglets());
        this.images = new ImageTable(pool, layout.slots(), layout.imageSeglets());
        this.index = new EntryIndex(layout.indexBytes());
        this.firstReads = new RereadDetector(layout.firstReads(), layout.segletBytes());
        this.head = new ImageAppender(images, SegletPool.Use.APPEND);
        this.upkeep = new ImageUpkeep(pool, images, index, layout);
    }

    private boolean takes(int bytes) {
        return bytes > 0 && bytes <= layout.contentBytesMax() && !closed;
    }

    /**
     * Reads a blob into the target from index 0 and sets position and limit to it.
     *
     * @param bytes length of the blob
     * @param target buffer with at least that capacity
     * @return false when the blob is not there or not intact; then content, position and limit of
     *     the target are undefined
     */
    public boolean read(long blobId, int bytes, ByteBuffer target) {
        if (!takes(bytes)) {
            return false;
        }
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            long place = index.get(blobId);
            if (place == EntryIndex.NONE) {
                break;
            }
            Optional<Image> found = images.at(place);
            if (found.isPresent() && found.get().enterToRead()) {
                return readInside(found.get(), place, blobId, bytes, target);
            }
        }
        misses.increment();
        return false;
    }

    private boolean readInside(Image image, long place, long blobId, int bytes, ByteBuffer target) {
        int offset = ImageTable.offset(place);
        try {
            target.clear();
            if (image.read(offset, blobId, bytes, target) == Image.Entry.INTACT) {
                image.touch(offset, tick);
                hits.increment();
                return true;
            }
            mismatches.increment();
            if (index.remove(blobId, place)) {
                image.died(offset);
            }
            return false;
        } finally {
            image.leave();
        }
    }

    /**
     * Adds a blob that has become durable.
     *
     * @param content content; position and limit stay as they are
     */
    public void written(long blobId, ByteBuffer content) {
        if (!takes(content.remaining())) {
            return;
        }
        ByteBuffer source = content.duplicate();
        int checksum = Image.checksum(blobId, source);
        boolean isLower;
        appendLock.lock();
        try {
            isLower = append(blobId, source, checksum, written);
        } finally {
            appendLock.unlock();
        }
        askForUpkeep(isLower);
    }

    /**
     * Adds a blob that was read from the disk and verified, if it was read from there before not
     * long ago.
     *
     * @param content whole content; position and limit stay as they are
     */
    public void readFromDisk(long blobId, ByteBuffer content) {
        if (!takes(content.remaining()) || !firstReads.isSecond(blobId, content.remaining())) {
            return;
        }
        ByteBuffer source = content.duplicate();
        int checksum = Image.checksum(blobId, source);
        boolean isLower;
        if (!appendLock.tryLock()) {
            busy.increment();
            return;
        }
        try {
            isLower = append(blobId, source, checksum, admitted);
        } finally {
            appendLock.unlock();
        }
        askForUpkeep(isLower);
    }

    /** Appends a blob unless it is there; returns whether memory may be too low now. */
    private boolean append(long blobId, ByteBuffer content, int checksum, LongAdder counter) {
        if (closed || index.get(blobId) != EntryIndex.NONE) {
            return false;
        }
        int now = tick + 1;
        tick = now;
        long before = pool.appended();
        Optional<Image> room = head.room(Image.entryBytes(content.remaining()));
        if (room.isEmpty()) {
            refused.increment();
            return true;
        }
        Image image = room.get();
        int offset = image.append(blobId, content, checksum, now);
        if (!index.insert(blobId, ImageTable.place(image, offset))) {
            image.died(offset);
            refused.increment();
            return true;
        }
        counter.increment();
        return pool.appended() != before
                || ImageBalance.isIndexFull(index.entries(), index.entriesMax());
    }

    /** Requests upkeep. Called outside all locks: the executor may run it at once. */
    private void askForUpkeep(boolean isLower) {
        if (isLower
                && !isUpkeepAsked.get()
                && upkeep.isDue()
                && isUpkeepAsked.compareAndSet(false, true)) {
            executor.execute(this::runUpkeep);
        }
    }

    private void runUpkeep() {
        upkeepLock.lock();
        try {
            isUpkeepAsked.set(false);
            if (!closed) {
                upkeep.run(tick);
            }
        } finally {
            upkeepLock.unlock();
        }
    }

    /** Removes a blob that will not be read again. */
    public void died(long blobId) {
        long place = index.remove(blobId);
        if (place == EntryIndex.NONE) {
            return;
        }
        died.increment();
        Optional<Image> found = images.at(place);
        // An image that is closed by now needs no accounting: its copies are made by comparing.
        if (found.isPresent() && found.get().enter()) {
            try {
                found.get().died(ImageTable.offset(place));
            } finally {
                found.get().leave();
            }
        }
    }

    /** Returns the counters and the present content. */
    public ImageStats stats() {
        if (layout.seglets() == 0) {
            return ImageStats.OFF;
        }
        List<Image> all = images.all();
        return new ImageStats(
                new ImageStats.Reads(
                        hits.sum(), misses.sum(), mismatches.sum() + upkeep.mismatches()),
                new ImageStats.Writes(
                        written.sum(), admitted.sum(), refused.sum(), busy.sum(), died.sum()),
                upkeep.stats(),
                new ImageStats.Space(
                        budgetBytes,
                        closed ? pool.allocatedBytes() : allocatedBytes(),
                        all.stream().mapToLong(Image::liveBytes).sum(),
                        all.stream().mapToLong(Image::deadBytes).sum(),
                        index.entries(),
                        all.size()));
    }

    private long allocatedBytes() {
        return pool.allocatedBytes() + index.bytes() + layout.fixedBytes();
    }

    /** Drops everything. The memory is freed at once, or when the last read under way has ended. */
    @Override
    public void close() {
        upkeepLock.lock();
        appendLock.lock();
        try {
            closed = true;
            index.clear();
            images.closeAll();
            pool.close();
        } finally {
            appendLock.unlock();
            upkeepLock.unlock();
        }
    }
}
