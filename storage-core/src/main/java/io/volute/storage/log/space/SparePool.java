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
 * Files for new segments. That of a head is written once over its whole length: a force of such a
 * file moves no metadata of the file system. One is kept ready, so that a roll does not wait for
 * zeros.
 */
public final class SparePool implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SparePool.class);

    /** Files that are kept: so many, or this share of those in use if that is more. */
    private static final int SPARES_MIN = 16;

    private static final double SPARES_SHARE = 0.15;
    private static final int ONE_FOR_THE_HEAD = 1;

    private final LogOptions options;
    private final LongSupplier usedBytes;
    private final CleaningSettings cleaning;
    private final SegmentReserve reserve;
    private final FileSystem files;
    private final SpareFiles spares;
    private final int segmentBytes;
    private final Executor background;
    private final Optional<ThreadPoolExecutor> ownThread;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Deque<Path> ready = new ArrayDeque<>();

    /** For files that are written once; a head needs its holes filled. */
    private final Deque<Path> holed = new ArrayDeque<>();

    private boolean making;
    private boolean asked;
    private volatile ToLongFunction<SegmentLog.Claim> leftAlone = claim -> 0;
    private volatile boolean closed;

    /**
     * @param usedBytes of segment files that are not spares
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
     * Takes over a spare found at the start, before any is made or recycled: numbers are not given
     * twice. One half made or of another size is deleted.
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

    /** Gives a file that no longer belongs to the log a second life. */
    public void recycle(SegmentFileName name) throws IOException {
        keepOrDelete(spares.free(options.path(name)));
        deleteHoledBut(makeable());
        deleteWhatTheIndexNeeds();
    }

    /** Segments that the claim may still open: spares, and files that there is space for. */
    public long available(SegmentLog.Claim claim) {
        return Math.max(0, size() + makeable(claim) - reserve.against(claim));
    }

    /** Files that may still be made, or filled, by who frees others. */
    private long makeable() {
        return makeable(SegmentLog.Claim.CLEANER);
    }

    private long makeable(SegmentLog.Claim claim) {
        long most = Long.MAX_VALUE;
        if (cleaning.capacityBytes() > 0) {
            most = (cleaning.capacityBytes() - usedBytes.getAsLong()) / segmentBytes - size();
        }
        return Math.max(0, Math.min(fitting(claim), most));
    }

    /** Files that the file system has space for; less than none where the index lacks some. */
    private long fitting(SegmentLog.Claim claim) {
        try {
            return files.usableBytes(options.directory()) / segmentBytes - leftAlone(claim);
        } catch (IOException e) {
            LOG.warn("free space of {} is unknown: {}", options.directory(), e.getMessage());
            return 0;
        }
    }

    /** Segments' worth of the file system, one at least, that is not for the log. */
    private long leftAlone(SegmentLog.Claim claim) {
        return 1 + leftAlone.applyAsLong(claim) / segmentBytes;
    }

    /** See {@link SegmentLog#leaveAlone}. */
    public void leaveAlone(ToLongFunction<SegmentLog.Claim> bytes) {
        leftAlone = bytes;
    }

    public SegmentReserve reserve() {
        return reserve;
    }

    private void require(SegmentLog.Claim claim) throws IOException {
        deleteHoledBut(makeable());
        if (available(claim) == 0) {
            throw LogHealth.full(
                    options.directory(), segmentBytes, new IOException("too little is free"));
        }
    }

    /** Spares beyond the reserve. */
    private void deleteWhatTheIndexNeeds() throws IOException {
        long left = (long) ONE_FOR_THE_HEAD + reserve.against(SegmentLog.Claim.CLIENT);
        for (long missing = -fitting(SegmentLog.Claim.CLIENT); missing > 0; missing--) {
            Optional<Path> spare = poll(ready, left);
            if (spare.isEmpty()) {
                return;
            }
            files.delete(spare.get());
        }
    }

    /** What they take is counted as free: more of them than may be filled are too many. */
    private void deleteHoledBut(long most) throws IOException {
        for (Optional<Path> path = poll(holed, most); path.isPresent(); path = poll(holed, most)) {
            files.delete(path.get());
        }
    }

    /**
     * A file of full size, fully written; made on the spot when none is ready.
     *
     * @throws io.volute.storage.CubeUnavailableException when there is no space for one
     */
    public Path take(SegmentLog.Claim claim) throws IOException {
        require(claim);
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
     * A file whose bytes are written once: a recycled one, or one without blocks when there is none
     * or little of it will be filled.
     *
     * @param expectedBytes that will be written
     */
    public Path takeSparse(SegmentLog.Claim claim, long expectedBytes) throws IOException {
        require(claim);
        boolean isMakeable = makeable() > size(holed);
        if (isMakeable && expectedBytes < segmentBytes / 2) {
            return spares.sparse();
        }
        Optional<Path> recycled =
                poll(holed, 0).or(() -> poll(ready, isMakeable ? ONE_FOR_THE_HEAD : 0));
        return recycled.isPresent() ? recycled.get() : spares.sparse();
    }

    /**
     * @param left for others
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

    /** Removes a half-made file and says why it was not made. */
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
            if (closed || asked || making || !ready.isEmpty()) {
                return;
            }
            asked = true;
        } finally {
            lock.unlock();
        }
        background.execute(this::prepare);
    }

    private void prepare() {
        lock.lock();
        try {
            asked = false;
            if (closed || making || !ready.isEmpty()) {
                return;
            }
            making = true;
        } finally {
            lock.unlock();
        }
        try {
            if (available(SegmentLog.Claim.CLIENT) > 0) {
                putBack(whole());
            }
        } catch (IOException e) {
            // Not fatal: the roll that needs a spare tries again, and tells its caller.
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
