package io.volute.storage.log;

import io.volute.storage.CleaningSettings;
import io.volute.storage.format.SegmentFormat;
import io.volute.storage.io.FileSystem;
import io.volute.storage.io.FileSystem.Access;
import io.volute.storage.io.NoSpaceException;
import io.volute.storage.io.StoredFile;
import io.volute.storage.io.WriteCause;
import java.io.IOException;
import java.nio.ByteBuffer;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Files for new segments. That of a head is written once over its whole length: a force of such a
 * file moves no metadata of the file system. One is kept ready, so that a roll does not wait for
 * zeros.
 */
final class SparePool implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SparePool.class);

    /** Files that are kept: so many, or this share of those in use if that is more. */
    private static final int SPARES_MIN = 16;

    private static final double SPARES_SHARE = 0.15;
    private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(1 << 20).asReadOnlyBuffer();

    private final LogOptions options;
    private final LongSupplier usedBytes;
    private final CleaningSettings cleaning;
    private final SegmentReserve reserve;
    private final FileSystem files;
    private final int segmentBytes;
    private final Executor background;
    private final Optional<ThreadPoolExecutor> ownThread;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Deque<Path> ready = new ArrayDeque<>();
    private long nextNumber = 1;
    private boolean making;
    private boolean asked;
    private volatile boolean closed;

    /**
     * @param usedBytes of segment files that are not spares
     */
    SparePool(LogOptions options, LongSupplier usedBytes) {
        this.options = options;
        this.usedBytes = usedBytes;
        this.cleaning = options.settings().cleaning();
        this.reserve = new SegmentReserve(cleaning);
        this.files = options.fileSystem();
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
    void adopt(SegmentFileName found) throws IOException {
        lock.lock();
        try {
            nextNumber = Math.max(nextNumber, found.number() + 1);
        } finally {
            lock.unlock();
        }
        if (found.state() == SegmentFileName.State.PREP) {
            files.delete(options.path(found));
        } else {
            keepOrDelete(options.path(found));
        }
    }

    private boolean hasHoles(Path path) throws IOException {
        try (StoredFile file = files.open(path, Access.READ)) {
            return file.allocatedBytes(0, file.size()) < file.size();
        }
    }

    private void keepOrDelete(Path path) throws IOException {
        long bytes;
        try (StoredFile file = files.open(path, Access.READ)) {
            bytes = file.size();
        }
        double most = Math.max(SPARES_MIN, usedBytes.getAsLong() / segmentBytes * SPARES_SHARE);
        lock.lock();
        try {
            if (bytes == segmentBytes && ready.size() < most) {
                ready.add(path);
                changed.signalAll();
                return;
            }
        } finally {
            lock.unlock();
        }
        files.delete(path);
    }

    int size() {
        lock.lock();
        try {
            return ready.size();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Gives a file that no longer belongs to the log a second life; not one with holes: a head must
     * find its space when the disk is full.
     */
    void recycle(SegmentFileName name) throws IOException {
        if (hasHoles(options.path(name))) {
            files.delete(options.path(name));
            return;
        }
        Path spare = options.path(new SegmentFileName(newNumber(), SegmentFileName.State.FREE));
        files.rename(options.path(name), spare);
        keepOrDelete(spare);
    }

    /** Segments that the claim may still open: spares, and files that there is space for. */
    long available(SegmentLog.Claim claim) {
        return Math.max(0, size() + makeable() - reserve.against(claim));
    }

    /** Files that may still be made. */
    private long makeable() {
        long most = Long.MAX_VALUE;
        if (cleaning.capacityBytes() > 0) {
            most = (cleaning.capacityBytes() - usedBytes.getAsLong()) / segmentBytes - size();
        }
        try {
            // As much again is left alone: the index must be able to flush when the log is full.
            long fits = files.usableBytes(options.directory()) / segmentBytes - 1;
            return Math.max(0, Math.min(fits, most));
        } catch (IOException e) {
            LOG.warn("free space of {} is unknown: {}", options.directory(), e.getMessage());
            return 0;
        }
    }

    SegmentReserve reserve() {
        return reserve;
    }

    private void require(SegmentLog.Claim claim) throws IOException {
        if (available(claim) == 0) {
            throw LogHealth.full(
                    options.directory(), segmentBytes, new IOException("too little is free"));
        }
    }

    /**
     * A file of full size, fully written; made on the spot when none is ready.
     *
     * @throws io.volute.storage.CubeUnavailableException when there is no space for one
     */
    Path take(SegmentLog.Claim claim) throws IOException {
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
            return make();
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
    Path takeSparse(SegmentLog.Claim claim, long expectedBytes) throws IOException {
        require(claim);
        boolean isMakeable = makeable() > 0;
        if (isMakeable && expectedBytes < segmentBytes / 2) {
            return makeSparse();
        }
        Optional<Path> recycled = takeExtra(isMakeable ? 1 : 0);
        return recycled.isPresent() ? recycled.get() : makeSparse();
    }

    /**
     * @param left for the next head
     */
    private Optional<Path> takeExtra(int left) {
        lock.lock();
        try {
            return ready.size() > left ? Optional.of(ready.remove()) : Optional.empty();
        } finally {
            lock.unlock();
        }
    }

    void putBack(Path spare) {
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
    void prepareSoon() {
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
                putBack(make());
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

    private Path make() throws IOException {
        Path prep = newFile();
        try (StoredFile file = files.open(prep, Access.READ_WRITE)) {
            ByteBuffer zeros = ZEROS.duplicate();
            for (long offset = 0; offset < segmentBytes; offset += zeros.capacity()) {
                if (closed) {
                    throw new IOException("the log is closing");
                }
                zeros.clear().limit((int) Math.min(zeros.capacity(), segmentBytes - offset));
                file.write(zeros, offset, WriteCause.PREPARE);
            }
            file.force();
        } catch (IOException e) {
            throw discard(prep, e);
        }
        Path spare = options.path(new SegmentFileName(newNumber(), SegmentFileName.State.FREE));
        files.rename(prep, spare);
        files.forceDirectory(options.directory());
        return spare;
    }

    /** An empty new file of full size without blocks. */
    private Path makeSparse() throws IOException {
        Path prep = newFile();
        try (StoredFile file = files.open(prep, Access.READ_WRITE)) {
            ByteBuffer page = ZEROS.duplicate();
            page.limit(SegmentFormat.PAGE_BYTES);
            file.write(page, segmentBytes - SegmentFormat.PAGE_BYTES, WriteCause.PREPARE);
            return prep;
        } catch (IOException e) {
            throw discard(prep, e);
        }
    }

    private Path newFile() throws IOException {
        Path prep = options.path(new SegmentFileName(newNumber(), SegmentFileName.State.PREP));
        try {
            files.create(prep).close();
            return prep;
        } catch (IOException e) {
            throw NoSpaceException.isNoSpace(e)
                    ? LogHealth.full(options.directory(), segmentBytes, e)
                    : e;
        }
    }

    /** Removes a half-made file and says why it was not made. */
    IOException discard(Path prep, IOException why) {
        try {
            files.delete(prep);
        } catch (IOException e) {
            why.addSuppressed(e);
        }
        return NoSpaceException.isNoSpace(why)
                ? LogHealth.full(options.directory(), segmentBytes, why)
                : why;
    }

    private long newNumber() {
        lock.lock();
        try {
            return nextNumber++;
        } finally {
            lock.unlock();
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
