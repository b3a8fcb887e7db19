package io.volute.storage.log.space;

import io.volute.storage.CleaningSettings;
import io.volute.storage.io.FileSystem;
import io.volute.storage.log.LogOptions;
import io.volute.storage.log.SegmentFileName;
import io.volute.storage.log.SegmentLog;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files for new segments. The file of a head is written once over its whole length beforehand:
 * then a force of it moves no metadata of the file system. One such file is kept ready, so that a
 * roll does not wait for zeros.
 */
final class SparePool implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SparePool.class);

    /** Greatest number of spares that are kept, unless {@link #SPARES_SHARE} allows more. */
    private static final int SPARES_MIN = 16;

    /** The same as a fraction of the segments in use. */
    private static final double SPARES_SHARE = 0.15;

    private static final int ONE_FOR_THE_HEAD = 1;

    private final LogOptions options;
    private final LongSupplier usedBytes;
    private final CleaningSettings cleaning;
    private volatile SegmentReserve reserve;
    private final FileSystem files;
    private final SpareFiles spares;
    private final int segmentBytes;
    private final Executor background;
    private final Optional<ThreadPoolExecutor> ownThread;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Deque<Path> ready = new ArrayDeque<>();

    /** Spares for segments that are written once. A head needs their holes filled. */
    private final Deque<Path> holed = new ArrayDeque<>();

    private boolean making;
    private boolean requested;
    private volatile ToLongFunction<SegmentLog.SpacePriority> leftAlone = priority -> 0;
    private volatile boolean closed;

    /**
     * Creates an empty pool.
     *
     * @param usedBytes bytes of segment files that are not spares
     */
    public SparePool(LogOptions options, LongSupplier usedBytes) {
        this.options = options;
        this.usedBytes = usedBytes;
        this.cleaning = options.settings().cleaning();
        this.reserve = new SegmentReserve(cleaning);
        this.files = options.fileSystem();
        this.spares = new SpareFiles(options, () -> closed);
        this.segmentBytes = options.settings().segmentBytes();
        this.ownThread =
                options.spareMaker().isPresent() ? Optional.empty() : Optional.of(newThread());
        this.background =
                options.spareMaker().isPresent()
                        ? options.spareMaker().get()
                        : ownThread.orElseThrow();
    }

    private static ThreadPoolExecutor newThread() {
        ThreadPoolExecutor executor =
                new ThreadPoolExecutor(
                        1,
                        1,
                        10,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(),
                        task -> Thread.ofPlatform().daemon().name("log-spare-0").unstarted(task),
                        new ThreadPoolExecutor.DiscardPolicy());
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }

    /**
     * Takes over a spare found at the start, before any is made or recycled, so that no number is
     * used twice. A half-made spare, or one of another size, is deleted.
     */
    public void adopt(SegmentFileName found) throws IOException {
        spares.seen(found.number());
        if (found.state() == SegmentFileName.State.PREP) {
            files.delete(options.path(found));
        } else {
            keepOrDelete(options.path(found));
        }
    }

    private void keepOrDelete(Path path) throws IOException {
        SpareFiles.Use use = spares.use(path);
        double most = Math.max(SPARES_MIN, usedBytes.getAsLong() / segmentBytes * SPARES_SHARE);
        lock.lock();
        try {
            if (use != SpareFiles.Use.NONE && ready.size() + holed.size() < most) {
                (use == SpareFiles.Use.HOLED ? holed : ready).add(path);
                changed.signalAll();
                return;
            }
        } finally {
            lock.unlock();
        }
        files.delete(path);
    }

    public int size() {
        return size(ready);
    }

    private int size(Deque<Path> some) {
        lock.lock();
        try {
            return some.size();
        } finally {
            lock.unlock();
        }
    }

    /** Recycles a file that no longer belongs to the log. */
    public void recycle(SegmentFileName name) throws IOException {
        keepOrDelete(spares.free(options.path(name)));
        deleteHoledBut(makeable());
        deleteWhatTheIndexNeeds();
    }

    /**
     * Returns the number of segments that may still be opened with this priority: spares, and files
     * that there is space for.
     */
    public long available(SegmentLog.SpacePriority priority) {
        return Math.max(0, size() + makeable(priority) - reserve.against(priority));
    }

    /**
     * Returns the number of files that may still be created or filled by writes that free space.
     */
    private long makeable() {
        return makeable(SegmentLog.SpacePriority.CLEANER);
    }

    private long makeable(SegmentLog.SpacePriority priority) {
        long most = Long.MAX_VALUE;
        if (cleaning.capacityBytes() > 0) {
            most = (cleaning.capacityBytes() - usedBytes.getAsLong()) / segmentBytes - size();
        }
        return Math.max(0, Math.min(fitting(priority), most));
    }

    /**
     * Returns the number of files that the file system has space for; negative when the index lacks
     * space.
     */
    private long fitting(SegmentLog.SpacePriority priority) {
        try {
            return files.usableBytes(options.directory()) / segmentBytes - leftAlone(priority);
        } catch (IOException e) {
            LOG.warn("free space of {} is unknown: {}", options.directory(), e.getMessage());
            return 0;
        }
    }

    /** Returns the space that is not for the log, in segments; at least one. */
    private long leftAlone(SegmentLog.SpacePriority priority) {
        return 1 + leftAlone.applyAsLong(priority) / segmentBytes;
    }

    /** Sets the space for others; see {@link SegmentLog#reserveForOthers}. */
    public void reserveForOthers(ToLongFunction<SegmentLog.SpacePriority> bytes) {
        leftAlone = bytes;
    }

    public SegmentReserve reserve() {
        return reserve;
    }

    void useReserve(SegmentReserve other) {
        reserve = other;
    }

    private void require(SegmentLog.SpacePriority priority) throws IOException {
        deleteHoledBut(makeable());
        if (available(priority) == 0) {
            if (fitsOnDisk(priority)) {
                throw LogHealth.fullByCapacity(
                        options.directory(),
                        cleaning.capacityBytes(),
                        files.usableBytes(options.directory()));
            }
            throw LogHealth.full(
                    options.directory(), segmentBytes, new IOException("too little is free"));
        }
    }

    /** Returns whether only the capacity, and not the disk, is in the way of a segment. */
    private boolean fitsOnDisk(SegmentLog.SpacePriority priority) {
        return size() + fitting(priority) > reserve.against(priority);
    }

    /** Deletes spares beyond the reserve when the index needs their space. */
    private void deleteWhatTheIndexNeeds() throws IOException {
        long left = (long) ONE_FOR_THE_HEAD + reserve.against(SegmentLog.SpacePriority.CLIENT);
        for (long missing = -fitting(SegmentLog.SpacePriority.CLIENT); missing > 0; missing--) {
            Optional<Path> spare = poll(ready, left);
            if (spare.isEmpty()) {
                return;
            }
            files.delete(spare.get());
        }
    }

    /**
     * Deletes spares with holes beyond a number. Their space counts as free, so more of them than
     * may be filled are too many.
     */
    private void deleteHoledBut(long most) throws IOException {
        for (Optional<Path> path = poll(holed, most); path.isPresent(); path = poll(holed, most)) {
            files.delete(path.get());
        }
    }

    /**
     * Takes a file of full size, fully written. It is made at once when none is ready.
     *
     * @throws io.volute.storage.CubeUnavailableException when there is no space for one
     */
    public Path take(SegmentLog.SpacePriority priority) throws IOException {
        require(priority);
        lock.lock();
        try {
            while (ready.isEmpty() && making) {
                changed.awaitUninterruptibly();
            }
            if (!ready.isEmpty()) {
                return ready.remove();
            }
            making = true;
        } finally {
            lock.unlock();
        }
        try {
            return whole();
        } finally {
            madeOne();
        }
    }

    /**
     * Takes a file whose bytes are written once: a recycled one, or one without blocks when there
     * is none or little of it will be filled.
     *
     * @param expectedBytes bytes that will be written
     */
    public Path takeSparse(SegmentLog.SpacePriority priority, long expectedBytes)
            throws IOException {
        require(priority);
        boolean isMakeable = makeable() > size(holed);
        if (isMakeable && expectedBytes < segmentBytes / 2) {
            return spares.sparse();
        }
        Optional<Path> recycled =
                poll(holed, 0).or(() -> poll(ready, isMakeable ? ONE_FOR_THE_HEAD : 0));
        return recycled.isPresent() ? recycled.get() : spares.sparse();
    }

    /**
     * Takes a spare, unless too few are left.
     *
     * @param left number of segments to leave to others
     */
    private Optional<Path> poll(Deque<Path> some, long left) {
        lock.lock();
        try {
            return some.size() > left ? Optional.of(some.remove()) : Optional.empty();
        } finally {
            lock.unlock();
        }
    }

    private Path whole() throws IOException {
        Optional<Path> filled = poll(holed, 0);
        if (filled.isEmpty()) {
            return spares.whole();
        }
        spares.fill(filled.get());
        return filled.get();
    }

    /** Removes a half-made file; returns the failure for the caller. */
    public IOException discard(Path prep, IOException why) {
        return spares.discard(prep, why);
    }

    public void putBack(Path spare) {
        lock.lock();
        try {
            ready.addFirst(spare);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void madeOne() {
        lock.lock();
        try {
            making = false;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Makes a spare in the background when none is ready. */
    public void prepareSoon() {
        lock.lock();
        try {
            if (closed || requested || making || !ready.isEmpty()) {
                return;
            }
            requested = true;
        } finally {
            lock.unlock();
        }
        background.execute(this::prepare);
    }

    private void prepare() {
        lock.lock();
        try {
            requested = false;
            if (closed || making || !ready.isEmpty()) {
                return;
            }
            making = true;
        } finally {
            lock.unlock();
        }
        try {
            if (available(SegmentLog.SpacePriority.CLIENT) > 0) {
                putBack(whole());
            }
        } catch (IOException e) {
            // Not fatal: the roll that needs a spare tries again, and its caller gets the failure.
            if (!closed) {
                LOG.warn("no spare segment was made: {}", e.getMessage());
            }
        } finally {
            madeOne();
        }
    }

    /** Stops the making of a spare and waits for it. */
    @Override
    public void close() {
        closed = true;
        lock.lock();
        try {
            while (making) {
                changed.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
        ownThread.ifPresent(ThreadPoolExecutor::shutdown);
    }
}
