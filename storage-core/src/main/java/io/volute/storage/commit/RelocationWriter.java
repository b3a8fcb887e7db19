package io.volute.storage.commit;

import io.volute.storage.UninterruptibleJoin;
import io.volute.storage.accounting.SegmentAccounts;
import io.volute.storage.health.CubeHealth;
import io.volute.storage.health.CubeThreads;
import io.volute.storage.rows.CubeIndex;
import io.volute.storage.rows.RecordKey;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Writes relocations to the index on a thread of its own, while the committing thread fills and
 * forces its next batch. It writes one at a time, and before any other change by the committing
 * thread: accounting is written as sums, each computed from the one before.
 *
 * <p>All methods are for the committing thread.
 */
public final class RelocationWriter {
    /** A relocation that has been compared, and its changes of the accounting. */
    private record Job(
            Relocation relocation,
            SegmentAccounts.Changes changes,
            CompletableFuture<Relocation.Moved> moved) {}

    private final CubeIndex index;
    private final CubeHealth health;
    private final Thread thread;

    /** Jobs; an empty one stops the thread. */
    private final BlockingQueue<Optional<Job>> jobs = new LinkedBlockingQueue<>();

    private Optional<Job> underWay = Optional.empty();

    /** Creates a writer whose thread is not started yet. */
    public RelocationWriter(CubeIndex index, CubeHealth health, CubeThreads threads) {
        this.index = index;
        this.health = health;
        this.thread = threads.newThread("relocate-0", this::run);
    }

    void start() {
        thread.start();
    }

    /**
     * Begins to write the changes of a relocation. Call {@link #await} before, then compare.
     *
     * @param moved completes when the index has it
     */
    void begin(
            Relocation relocation,
            SegmentAccounts.Changes changes,
            CompletableFuture<Relocation.Moved> moved) {
        Job job = new Job(relocation, changes, moved);
        underWay = Optional.of(job);
        jobs.add(underWay);
    }

    /**
     * Returns when the index has everything that was begun.
     *
     * @throws IOException when it could not be written; the cube takes no more writes then
     */
    void await() throws IOException {
        if (underWay.isPresent()) {
            Job job = underWay.get();
            underWay = Optional.empty();
            UninterruptibleJoin.join(job.moved());
        }
    }

    /**
     * Returns when a row can be read with the changes that were begun. {@link #await} reports a
     * failure.
     *
     * @param row a {@link RecordKey}, or the id of a blob
     */
    void awaitRow(Object row) {
        if (underWay.isPresent() && underWay.get().relocation().changes(row)) {
            CompletableFuture<Relocation.Moved> moved = underWay.get().moved();
            moved.exceptionally(failure -> Relocation.Moved.NOTHING).join();
        }
    }

    /** Stops the thread after the jobs that were begun. */
    void stop() {
        jobs.add(Optional.empty());
        UninterruptibleJoin.join(thread);
    }

    private void run() {
        health.runUntilStopped("the relocating thread", this::writeAll);
    }

    private void writeAll() throws InterruptedException {
        for (Optional<Job> job = jobs.take(); job.isPresent(); job = jobs.take()) {
            write(job.get());
        }
    }

    private void write(Job job) {
        try {
            index.write(job.relocation().toIndexBatch(job.changes()));
            job.changes().publish();
            job.moved().complete(job.relocation().moved());
        } catch (IOException | RuntimeException e) {
            health.failed("entries could not be moved", e);
            job.moved().completeExceptionally(e);
        } catch (Error e) {
            // The error ends this thread. The cube is read-only before the waiter gets the failure,
            // so nothing is begun any more.
            health.failed("entries could not be moved", e);
            job.moved().completeExceptionally(health.unavailable());
            throw e;
        }
    }
}
