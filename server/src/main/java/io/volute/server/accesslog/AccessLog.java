package io.volute.server.accesslog;

import io.volute.server.Limits;
import io.volute.server.http.watch.RequestWatch;
import io.volute.server.json.VisibleLines;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.RequestBody;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes a line for each request. Its own thread writes lines in batches, so requests never wait
 * for it. Each line is encoded at the end of its request, while its data is still in the
 * processor's cache. Lines without room in memory are dropped; the log records their number.
 * Thread-safe.
 */
public final class AccessLog implements RequestWatch, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AccessLog.class);
    private static final long GATHER_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Some microseconds. */
    private static final int SPINS = 64;

    private final RequestWatch next;
    private final InstantSource clock;
    private final LineSink sink;
    private final int capacity;
    private final long retryNanos;

    private final ReentrantLock lock = new ReentrantLock();

    // Under the lock.
    private final LineWriter writer = new LineWriter();
    private VisibleLines waiting = new VisibleLines();
    private long untold;

    /** A permit: there is a first line, or it ends. */
    private final Semaphore wanted = new Semaphore(0);

    private final LongAdder lost = new LongAdder();
    private final LongAdder written = new LongAdder();
    private final CountDownLatch closing = new CountDownLatch(1);
    private final Thread thread;

    // Of the writing thread alone.
    private VisibleLines batch = new VisibleLines();
    private boolean isFailing;
    private long looked;

    private AccessLog(
            RequestWatch next, InstantSource clock, LineSink sink, int capacity, long retryNanos) {
        this.next = next;
        this.clock = clock;
        this.sink = sink;
        this.capacity = capacity;
        this.retryNanos = retryNanos;
        thread = Thread.ofPlatform().daemon().name("access-log").unstarted(this::run);
    }

    /**
     * Starts a log to a file, which is opened again after it was moved away.
     *
     * @param next receives the same events; its clock is used
     */
    public static AccessLog toFile(Path file, RequestWatch next, InstantSource clock) {
        return start(next, clock, new RotatedFile(file), Limits.ACCESS_LOG_LINES_MAX, LOOK_NANOS);
    }

    /**
     * Lines of standard output.
     *
     * @param out is that; stays open
     * @param next as for a file
     */
    public static AccessLog toStandardOutput(
            OutputStream out, RequestWatch next, InstantSource clock) {
        return start(
                next, clock, LineSink.standardOutput(out), Limits.ACCESS_LOG_LINES_MAX, LOOK_NANOS);
    }

    /**
     * Begins.
     *
     * @param capacity lines that may wait
     * @param retryNanos from a failure to the next try
     */
    static AccessLog start(
            RequestWatch next, InstantSource clock, LineSink sink, int capacity, long retryNanos) {
        AccessLog log = new AccessLog(next, clock, sink, capacity, retryNanos);
        log.thread.start();
        return log;
    }

    @Override
    public long now() {
        return next.now();
    }

    @Override
    public RequestBody begun(HttpHead head, RequestBody body) {
        return next.begun(head, body);
    }

    @Override
    public void answered(HttpHead head, Answered how) {
        next.answered(head, how);
        take(Line.of(head, how, clock.instant()));
    }

    @Override
    public void refused(Refused refused) {
        next.refused(refused);
        take(Line.of(refused, clock.instant()));
    }

    private void take(Line line) {
        lockSoon();
        try {
            if (waiting.lines() >= capacity
                    || waiting.bytes() >= Limits.ACCESS_LOG_WAITING_BYTES_MAX) {
                lost.increment();
                untold++;
                return;
            }
            writer.write(line, waiting, untold);
            untold = 0;
            if (waiting.lines() == 1) {
                wanted.release();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes the lock. It is held for some hundred nanoseconds: to wait for it awake takes less than
     * to be put aside and woken, which costs a virtual thread more than its line.
     */
    private void lockSoon() {
        for (int spins = 0; spins < SPINS; spins++) {
            if (lock.tryLock()) {
                return;
            }
            Thread.onSpinWait();
        }
        lock.lock();
    }

    /** The number of lost lines that the log does not record yet, and of waiting lines. */
    private record Left(long untold, int waiting) {}

    private Left left() {
        lock.lock();
        try {
            return new Left(untold, waiting.lines());
        } finally {
            lock.unlock();
        }
    }

    /** Lines so far that were written. */
    public long written() {
        return written.sum();
    }

    /** Lines so far that were not: there was no room for them. */
    public long lost() {
        return lost.sum();
    }

    // ---- the writing thread

    private void run() {
        looked = next.now() - LOOK_NANOS;
        try {
            boolean isLast = false;
            while (!isLast) {
                // Looked at first: what came before the end is gathered behind it.
                isLast = closing.getCount() == 0;
                if (batch.lines() == 0) {
                    gather(isLast);
                }
                boolean isWritten = write();
                isLast = isLast && (!isWritten || left().waiting() == 0);
                if (!isWritten && !isLast) {
                    boolean unused = closing.await(retryNanos, TimeUnit.NANOSECONDS);
                }
            }
        } catch (InterruptedException e) {
            LOG.error("the access log was interrupted and ends");
        } finally {
            sink.close();
        }
    }

    /**
     * Waits for lines, unless it ends, and takes what there is. Behind the first one it waits a
     * moment for more: were it woken for each line, that and writing it alone would cost a busy
     * server more than the line itself.
     */
    private void gather(boolean isLast) throws InterruptedException {
        if (!isLast && wanted.tryAcquire(LOOK_NANOS, TimeUnit.NANOSECONDS)) {
            boolean unused = closing.await(GATHER_NANOS, TimeUnit.NANOSECONDS);
        }
        lock.lock();
        try {
            VisibleLines empty = batch;
            batch = waiting;
            waiting = empty;
        } finally {
            lock.unlock();
        }
    }

    /** Writes the batch; when that fails it is kept, to be tried again. */
    private boolean write() {
        try {
            // Without lines, only a look detects that the file can be written again.
            if (isFailing || next.now() - looked >= LOOK_NANOS) {
                looked = next.now();
                sink.look();
            }
            if (batch.lines() > 0) {
                sink.write(batch.buffer());
            }
        } catch (IOException | RuntimeException e) {
            if (!isFailing) {
                LOG.warn(
                        "the access log cannot be written to {}, which is tried again each second:"
                                + " {}",
                        sink,
                        e.toString());
            }
            isFailing = true;
            return false;
        }
        if (isFailing) {
            LOG.info("the access log is written to {} again", sink);
        }
        isFailing = false;
        written.add(batch.lines());
        batch.clear();
        return true;
    }

    /** Writes the waiting lines, if possible, and ends. No line may be added any more. */
    @Override
    public void close() {
        closing.countDown();
        wanted.release();
        try {
            if (!thread.join(Duration.ofSeconds(Limits.ACCESS_LOG_STOP_SECONDS_MAX))) {
                LOG.warn("the access log is stuck: {} does not take its last lines", sink);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Left left = left();
        long unwritten = left.untold() + left.waiting() + batch.lines();
        if (unwritten > 0) {
            LOG.warn("{} lines of the access log were lost at the end", unwritten);
        }
    }
}
