package io.volute.storage.cube;

import io.volute.storage.CubeUnavailableException;
import io.volute.storage.Transaction;
import io.volute.storage.index.IndexBatch;
import io.volute.storage.log.LogPosition;
import io.volute.storage.log.SegmentLog;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * Makes transactions durable, many with one force: one thread takes all that is queued, appends it
 * as one batch, applies it to the index, and only then completes the futures. A batch is what
 * queued while the one before was written; nothing waits for company.
 *
 * <p>Futures are completed by the committing thread: what hangs on them must not block.
 *
 * <p>Bounded: a submitter waits while transactions worth {@link #QUEUE_UNITS} units are queued.
 */
final class GroupCommit {
    static final int QUEUE_UNITS = 4096;
    private static final int UNIT_BYTES = 16 << 10;
    private static final int PAGE_BYTES = 4096;

    /** What the committing thread is asked to do. */
    private sealed interface Work {}

    private record Commit(
            Transaction transaction,
            List<StagedBlob> staged,
            int units,
            CompletableFuture<Long> future)
            implements Work {}

    private record Free(Set<Long> segments, CompletableFuture<Void> future) implements Work {}

    private record Stop() implements Work {}

    private record Accepted(Commit commit, long sequence) {}

    /** What the thread works on. */
    record Parts(
            SegmentLog log,
            CubeIndex index,
            SegmentAccounts accounts,
            SegmentRelease release,
            CubeHealth health,
            LongSupplier idHighWater,
            CubeImages images) {}

    private final Parts parts;
    private final TransactionPlanner planner;
    private final Thread thread;
    private final Semaphore room = new Semaphore(QUEUE_UNITS);
    private final LinkedBlockingQueue<Work> queue = new LinkedBlockingQueue<>();
    private final LongAdder commits = new LongAdder();
    private Optional<Work> carried = Optional.empty();
    private Optional<IndexFlusher> flusher = Optional.empty();
    private volatile IndexState state;
    private volatile boolean ended;

    GroupCommit(Parts parts, IndexState state, CubeThreads threads) {
        this.parts = parts;
        this.state = state;
        this.planner = new TransactionPlanner(parts.log(), parts.index(), parts.idHighWater());
        this.thread = threads.newThread("commit-0", this::run);
    }

    void start(IndexFlusher told) {
        flusher = Optional.of(told);
        thread.start();
    }

    /** Everything before it is in the index, flushed or not. */
    LogPosition applied() {
        return state.position();
    }

    IndexState state() {
        return state;
    }

    long commits() {
        return commits.sum();
    }

    /**
     * Queues a transaction; waits for room.
     *
     * @param staged the blobs that it adds, already begun
     */
    CompletableFuture<Long> submit(Transaction transaction, List<StagedBlob> staged) {
        int units = units(transaction);
        room.acquireUninterruptibly(units);
        Commit commit = new Commit(transaction, staged, units, new CompletableFuture<>());
        enqueue(commit);
        return commit.future();
    }

    /** Frees segments between two batches. */
    CompletableFuture<Void> free(Set<Long> segments) {
        Free free = new Free(segments, new CompletableFuture<>());
        enqueue(free);
        return free.future();
    }

    private void enqueue(Work work) {
        queue.add(work);
        if (ended) {
            failQueued();
        }
    }

    private static int units(Transaction transaction) {
        long bytes = 0;
        for (Transaction.Change change : transaction.changes()) {
            bytes +=
                    switch (change) {
                        case Transaction.Put put ->
                                put.key().length + put.summary().length + put.detail().length;
                        case Transaction.Delete delete -> delete.key().length;
                        case Transaction.AddBlob add -> Math.min(add.blob().bytes(), 1 << 20);
                        case Transaction.Compose compose -> 64L * compose.parts().size();
                    };
        }
        return (int) Math.min(1 + bytes / UNIT_BYTES, QUEUE_UNITS);
    }

    /** Ends after everything queued before this call. */
    void stop() {
        enqueue(new Stop());
        Joining.join(thread);
    }

    private void run() {
        boolean asked = false;
        try {
            while (step()) {
                // Goes on until asked to stop.
            }
            asked = true;
        } catch (InterruptedException e) {
            parts.health().readOnly("the committing thread was interrupted");
        } finally {
            // Also when an error ends the thread: a waiter must never wait for nobody.
            if (!asked) {
                parts.health().readOnly("the committing thread has ended");
            }
            ended = true;
            failQueued();
        }
    }

    private boolean step() throws InterruptedException {
        Work work = carried.isPresent() ? carried.get() : queue.take();
        carried = Optional.empty();
        return switch (work) {
            case Commit commit -> {
                commitBatch(commit);
                yield true;
            }
            case Free free -> {
                freeSegments(free);
                yield true;
            }
            case Stop stop -> false;
        };
    }

    private void freeSegments(Free free) {
        try {
            parts.health().requireWritable();
            parts.release().free(free.segments());
            free.future().complete(null);
        } catch (CubeUnavailableException e) {
            if (e.reason() != CubeUnavailableException.Reason.FULL) {
                parts.health().readOnly(e.getMessage());
            }
            free.future().completeExceptionally(e);
        } catch (IOException | RuntimeException e) {
            parts.health().failed("segments could not be freed", e);
            free.future().completeExceptionally(e);
        }
    }

    private void commitBatch(Commit first) {
        if (!parts.health().isHealthy()) {
            refuse(first, parts.health().unavailable());
            return;
        }
        List<Commit> taken = new ArrayList<>();
        List<Accepted> accepted = new ArrayList<>();
        try {
            PendingBatch batch = new PendingBatch(parts.index());
            long next = fill(batch, taken, accepted, first);
            if (!batch.entries().isEmpty()) {
                appendAndApply(batch, next);
            }
            for (Accepted each : accepted) {
                commits.increment();
                end(each.commit(), StagedBlob.CommitEnd.DURABLE);
                each.commit().future().complete(each.sequence());
            }
        } catch (CubeUnavailableException e) {
            if (e.reason() == CubeUnavailableException.Reason.FULL) {
                taken.forEach(commit -> refuse(commit, e));
            } else {
                parts.health().failed("the log takes no more writes", e);
            }
        } catch (IOException | RuntimeException e) {
            parts.health().failed("a commit failed", e);
        } finally {
            // Something may have been written for those that are neither done nor refused here.
            taken.stream().filter(commit -> !commit.future().isDone()).forEach(this::fail);
        }
    }

    /** Fills the batch with what is queued; returns the next free sequence. */
    private long fill(
            PendingBatch batch, List<Commit> taken, List<Accepted> accepted, Commit first) {
        long next = state.nextSequence();
        long left = parts.log().batchBytesMax();
        Optional<Work> work = Optional.of(first);
        while (work.isPresent() && work.get() instanceof Commit commit) {
            taken.add(commit);
            switch (planner.plan(batch, commit.transaction(), next, left)) {
                case TransactionPlanner.Planned planned -> {
                    next = planned.nextSequence();
                    left -= planned.bytes();
                    accepted.add(new Accepted(commit, next - 1));
                }
                case TransactionPlanner.PutOff putOff -> {
                    taken.removeLast();
                    carried = work;
                    return next;
                }
                case TransactionPlanner.Refused refused -> refuse(commit, refused.reason());
            }
            work = Optional.ofNullable(queue.poll());
        }
        carried = work;
        return next;
    }

    private void appendAndApply(PendingBatch batch, long next) throws IOException {
        SegmentLog.Appended appended = append(batch);
        IndexState after = new IndexState(appended.end(), next, parts.idHighWater().getAsLong());
        SegmentAccounts.Changes changes = parts.accounts().begin();
        IndexBatch rows = batch.toIndexBatch(appended.places(), after, changes);
        parts.index().write(rows);
        int emptied = changes.emptied();
        changes.publish();
        state = after;
        parts.images().applied(batch);
        long bytes = appended.places().stream().mapToLong(place -> place.bytes()).sum();
        flusher.ifPresent(told -> told.committed(bytes + PAGE_BYTES, emptied));
    }

    /** Appends; when there is no space, frees what is dead and tries once more. */
    private SegmentLog.Appended append(PendingBatch batch) throws IOException {
        long ids = parts.idHighWater().getAsLong();
        try {
            return parts.log().append(batch.entries(), ids);
        } catch (CubeUnavailableException e) {
            if (e.reason() != CubeUnavailableException.Reason.FULL) {
                throw e;
            }
            Set<Long> dead = parts.release().candidates(applied());
            if (dead.isEmpty()) {
                throw e;
            }
            parts.index().flush();
            parts.release().free(dead);
            return parts.log().append(batch.entries(), ids);
        }
    }

    /** Nothing was written for it. */
    private void refuse(Commit commit, Exception reason) {
        if (!commit.future().isDone()) {
            end(commit, StagedBlob.CommitEnd.REFUSED);
            commit.future().completeExceptionally(reason);
        }
    }

    /** Something may have been written for it. */
    private void fail(Commit commit) {
        end(commit, StagedBlob.CommitEnd.UNKNOWN);
        commit.future().completeExceptionally(parts.health().unavailable());
    }

    private void end(Commit commit, StagedBlob.CommitEnd end) {
        commit.staged().forEach(blob -> blob.endCommit(end));
        room.release(commit.units());
    }

    private void failQueued() {
        for (Optional<Work> work = Optional.ofNullable(queue.poll());
                work.isPresent();
                work = Optional.ofNullable(queue.poll())) {
            switch (work.get()) {
                case Commit commit -> fail(commit);
                case Free free -> free.future().completeExceptionally(parts.health().unavailable());
                case Stop stop -> {}
            }
        }
    }
}
