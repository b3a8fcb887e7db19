package io.volute.versioning.provenance.audit;

import io.volute.provenance.audit.AuditReport;
import io.volute.storage.RecordStore;
import io.volute.versioning.Provenance.Reports;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/** Threads that audit chains in parallel, with a short queue. One thread fills the queue. */
final class ChainWorkers implements AutoCloseable {
    private static final int AHEAD = 64;

    private final BlockingQueue<Optional<Work>> queue = new ArrayBlockingQueue<>(AHEAD);
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicLong done = new AtomicLong();
    private final AtomicReference<Optional<Throwable>> failure =
            new AtomicReference<>(Optional.empty());
    private final Reports reports;
    private volatile boolean isEnough;

    ChainWorkers(RecordStore cube, int count, Reports reports) {
        this.reports = reports;
        for (int i = 0; i < Math.max(1, count); i++) {
            BatchSource batches = new BatchSource(cube);
            threads.add(Thread.ofPlatform().name("audit-" + i).start(() -> run(batches)));
        }
    }

    /** The audit of one chain. */
    interface Work {
        AuditReport run(BatchSource batches) throws IOException;
    }

    /** Adds work, and waits for room; returns whether to continue. */
    boolean add(ChainSource chain, Work work) throws IOException {
        if (!isEnough) {
            put(Optional.of(work), "the audit of " + chain.identity());
        }
        return !isEnough;
    }

    private void put(Optional<Work> work, String what) throws IOException {
        try {
            queue.put(work);
        } catch (InterruptedException e) {
            isEnough = true;
            Thread.currentThread().interrupt();
            throw new IOException(what + " was interrupted", e);
        }
    }

    private void run(BatchSource batches) {
        try {
            for (Optional<Work> work = queue.take(); work.isPresent(); work = queue.take()) {
                if (!isEnough) {
                    report(work.get().run(batches));
                }
            }
        } catch (IOException | RuntimeException | Error | InterruptedException e) {
            failure.compareAndSet(Optional.empty(), Optional.of(e));
            isEnough = true;
            drain();
        }
    }

    /** Empties the queue after a failure, so that the filling thread does not wait forever. */
    private void drain() {
        try {
            Optional<Work> ignored = queue.take();
            while (ignored.isPresent()) {
                ignored = queue.take();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void report(AuditReport report) throws IOException {
        if (!isEnough) {
            done.incrementAndGet();
            isEnough = !reports.next(report);
        }
    }

    /**
     * Waits for all work; returns the number of reports.
     *
     * @throws IOException the failure of a report or of the store
     */
    long finish() throws IOException {
        close();
        Optional<Throwable> failed = failure.get();
        if (failed.isPresent()) {
            throw failed.get() instanceof IOException known
                    ? known
                    : new IOException("the audit failed: " + failed.get(), failed.get());
        }
        return done.get();
    }

    @Override
    public void close() throws IOException {
        try {
            for (Thread thread : threads) {
                put(Optional.empty(), "the end of an audit");
                assert thread != null;
            }
            for (Thread thread : threads) {
                thread.join();
            }
            threads.clear();
        } catch (InterruptedException e) {
            isEnough = true;
            Thread.currentThread().interrupt();
            throw new IOException("an audit was interrupted", e);
        }
    }
}
