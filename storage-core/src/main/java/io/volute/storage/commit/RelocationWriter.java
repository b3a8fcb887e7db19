package io.volute.storage.commit;

import io.volute.storage.Joining;
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
 * Tells the index of relocations on a thread of its own, while the committing thread fills and
 * forces its next batch. One at a time, and before anything else that the committing thread does to
 * the index: accounting is written as sums, each made from the one before.
 *
 * <p>All methods are for the committing thread.
 */
public final class RelocationWriter {
    /** A relocation that has been compared, and what it changes in the accounting. */
    private record Job(
            Relocation relocation,
            SegmentAccounts.Changes changes,
            CompletableFuture<Relocation.Moved> moved) {}

    private final CubeIndex index;
    private final CubeHealth health;
    private final Thread thread;

    /** Empty at the end. */
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
     * Begins to write what a relocation changes; call {@link #await} before, and compare then.
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
            Joining.join(job.moved());
        }
    }

    /**
     * Returns when a row can be read as it is behind what was begun; a failure is told by {@link
     * #await}.
     *
     * @param row a {@link RecordKey}, or the id of a blob
     */
    void awaitRow(Object row) {
        if (underWay.isPresent() && underWay.get().relocation().changes(row)) {
            CompletableFuture<Relocation.Moved> moved = underWay.get().moved();
            moved.exceptionally(failure -> Relocation.Moved.NOTHING).join();
        }
    }

    /** Ends after what was begun. */
    void stop() {
        jobs.add(Optional.empty());
        Joining.join(thread);
    }

    private void run() {
        health.runUntilAsked("the relocating thread", this::writeAll);
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
            // It ends this thread: nothing may be begun any more once this is told.
            health.failed("entries could not be moved", e);
            job.moved().completeExceptionally(health.unavailable());
            throw e;
        }
    }
}
