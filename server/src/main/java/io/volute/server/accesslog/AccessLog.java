package io.volute.server.accesslog;

import io.volute.server.Limits;
import io.volute.server.http.RequestWatch;
import io.volute.server.json.VisibleLines;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.RequestBody;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes a line for each request, on a thread of its own: a request is never held up by it. Lines
 * for which there is no room are counted, and the count is told. Thread-safe.
 */
public final class AccessLog implements RequestWatch, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AccessLog.class);
    private static final int BATCH_LINES = 512;
    private static final long GATHER_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final RequestWatch next;
    private final InstantSource clock;
    private final LineSink sink;
    private final long retryNanos;

    /** An empty one only wakes. */
    private final BlockingQueue<Optional<Line>> waiting;

    private final AtomicLong untold = new AtomicLong();
    private final LongAdder lost = new LongAdder();
    private final LongAdder written = new LongAdder();
    private final CountDownLatch closing = new CountDownLatch(1);
    private final Thread thread;

    // Of the writing thread alone.
    private final VisibleLines batch = new VisibleLines();
    private int batchLines;
    private boolean isFailing;
    private long looked;

    private AccessLog(
            RequestWatch next, InstantSource clock, LineSink sink, int capacity, long retryNanos) {
        this.next = next;
        this.clock = clock;
        this.sink = sink;
        this.retryNanos = retryNanos;
        waiting = new ArrayBlockingQueue<>(capacity);
        thread = Thread.ofPlatform().daemon().name("access-log").unstarted(this::run);
    }

    /**
     * Lines of this file, which is opened again after it was moved away.
     *
     * @param next hears the same, and has the clock of it all
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
        if (!waiting.offer(Optional.of(line))) {
            lost.increment();
            untold.incrementAndGet();
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
                if (batchLines == 0) {
                    gather(isLast);
                }
                boolean isWritten = write();
                isLast = isLast && (!isWritten || waiting.isEmpty());
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
     * Waits for lines, unless it ends, and makes a batch of what there is. Behind the first one it
     * waits a moment for more: were it woken for each line, that and writing it alone would cost a
     * busy server more than the line itself.
     */
    private void gather(boolean isLast) throws InterruptedException {
        List<Optional<Line>> lines = new ArrayList<>();
        if (!isLast) {
            Optional<Line> first = waiting.poll(LOOK_NANOS, TimeUnit.NANOSECONDS);
            if (first != null) {
                lines.add(first);
                if (waiting.size() < BATCH_LINES) {
                    boolean unused = closing.await(GATHER_NANOS, TimeUnit.NANOSECONDS);
                }
            }
        }
        waiting.drainTo(lines, BATCH_LINES);
        for (Optional<Line> line : lines) {
            if (line.isPresent()) {
                line.get().writeTo(batch, untold.getAndSet(0));
                batchLines++;
            }
        }
    }

    /** Writes the batch; when that fails it is kept, to be tried again. */
    private boolean write() {
        try {
            // Without lines, only a look tells that it can be written again.
            if (isFailing || next.now() - looked >= LOOK_NANOS) {
                looked = next.now();
                sink.look();
            }
            if (batchLines > 0) {
                sink.write(batch.toBytes());
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
        written.add(batchLines);
        batch.clear();
        batchLines = 0;
        return true;
    }

    /** Writes what there is, if it can, and ends. Nobody may tell it anything any more. */
    @Override
    public void close() {
        closing.countDown();
        boolean unused = waiting.offer(Optional.empty());
        try {
            if (!thread.join(Duration.ofSeconds(Limits.ACCESS_LOG_STOP_SECONDS_MAX))) {
                LOG.warn("the access log is stuck: {} does not take its last lines", sink);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        long unwritten = untold.get() + waiting.size() + batchLines;
        if (unwritten > 0) {
            LOG.warn("{} lines of the access log were lost at the end", unwritten);
        }
    }
}
