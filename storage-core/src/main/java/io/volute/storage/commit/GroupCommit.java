package io.volute.storage.commit;

import io.volute.storage.BatchSeal;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.Transaction;
import io.volute.storage.UninterruptibleJoin;
import io.volute.storage.blob.StagedBlob;
import io.volute.storage.commit.CommitQueue.Commit;
import io.volute.storage.commit.CommitQueue.Free;
import io.volute.storage.commit.CommitQueue.Relocate;
import io.volute.storage.health.CubeHealth;
import io.volute.storage.health.CubeThreads;
import io.volute.storage.log.LogPosition;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.report.WorkStats;
import io.volute.storage.rows.IndexState;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

/**
 * Makes transactions durable, many with one force. One thread takes all queued transactions,
 * appends them as one batch, applies it to the index, and only then completes the futures. Their
 * dependents must not block. A batch has the transactions that queued while the batch before was
 * written; it never waits for more.
 */
public final class GroupCommit {
    private record Accepted(Commit commit, long sequence) {}

    private final BatchPlanner planner;
    private final StorageWriter writer;
    private final CommitOrder order;
    private final CubeHealth health;
    private final CommitQueue queue;
    private final CommitMeter meter;
    private final Thread thread;

    /**
     * Commits that are done before the queued ones: commits that were put off, and deletes that
     * found no space.
     */
    private final ArrayDeque<Commit> first = new ArrayDeque<>();

    private Optional<CommitListener> listener = Optional.empty();
    private volatile boolean ended;

    /**
     * Creates a committer whose thread is not started yet.
     *
     * @param order of the commits of all cubes of the store
     * @param nanos a clock that only goes forward
     */
    public GroupCommit(
            BatchPlanner planner,
            StorageWriter writer,
            CommitOrder order,
            CubeHealth health,
            LongSupplier nanos,
            CubeThreads threads) {
        this.planner = planner;
        this.writer = writer;
        this.order = order;
        this.health = health;
        this.queue = new CommitQueue(nanos);
        this.meter = new CommitMeter(nanos);
        this.thread = threads.newThread("commit-0", this::run);
    }

    /**
     * Follows the batches that are in the log and in the index. Called by the committing thread.
     */
    public interface CommitListener {
        /**
         * Called after each batch.
         *
         * @param bytes by which the log has grown, padding excluded
         * @param emptiedSegments segments in which the batch leaves nothing live
         */
        void committed(long bytes, int emptiedSegments);

        /** Called when a batch found no space; returns the refusal for its writes. */
        SpaceRefusal refuse(CubeUnavailableException full);
    }

    /** Starts the committing thread. */
    public void start(CommitListener follower) {
        listener = Optional.of(follower);
        writer.start();
        thread.start();
    }

    public void sealWith(BatchSeal seal) {
        planner.sealWith(seal);
    }

    /** Returns the greatest number of bytes of a transaction, its notes included. */
    public long transactionBytesMax() {
        return planner.bytesMax();
    }

    /** Returns the position up to which the index has everything, flushed or not. */
    public LogPosition applied() {
        return writer.state().position();
    }

    public IndexState state() {
        return writer.state();
    }

    /** Returns the number of transactions made durable since the cube was opened. */
    public long commits() {
        return meter.commits();
    }

    /** Returns the distributions of batches, and how many transactions wait. */
    public WorkStats.Commits figures() {
        return meter.figures(queue.waiting());
    }

    /**
     * Queues a transaction; waits while the queue is full.
     *
     * @param staged blobs that it adds, already begun
     */
    public CompletableFuture<Long> submit(Transaction transaction, List<StagedBlob> staged) {
        Commit commit = queue.admit(transaction, staged);
        enqueue(commit);
        return commit.future();
    }

    /** Frees segments between two batches. */
    public CompletableFuture<Void> free(Set<Long> segments) {
        Free free = new Free(segments, new CompletableFuture<>());
        enqueue(free);
        return free.future();
    }

    /** Publishes a survivor's batch to the index, between two batches of the head. */
    public CompletableFuture<Relocation.Moved> relocate(Relocation.Batch batch) {
        Relocate relocate = new Relocate(batch, new CompletableFuture<>());
        enqueue(relocate);
        return relocate.future();
    }

    private void enqueue(CommitQueue.Work work) {
        queue.add(work);
        if (ended) {
            failQueued();
        }
    }

    /** Stops the thread after everything queued before this call. */
    public void stop() {
        enqueue(new CommitQueue.Stop());
        UninterruptibleJoin.join(thread);
    }

    private void run() {
        try {
            health.runUntilStopped("the committing thread", this::takeAll);
        } finally {
            // Without this thread, a waiter would wait for ever.
            first.forEach(queue::add);
            ended = true;
            failQueued();
            writer.stop();
        }
    }

    private void takeAll() throws InterruptedException {
        boolean goesOn = true;
        while (goesOn) {
            goesOn = step();
        }
    }

    private boolean step() throws InterruptedException {
        CommitQueue.Work work = first.isEmpty() ? queue.take() : first.remove();
        return switch (work) {
            case Commit commit -> {
                order.batch().lock();
                try {
                    commitBatch(commit);
                } finally {
                    order.batch().unlock();
                }
                yield true;
            }
            case Free free -> {
                runBetween(free.future(), "segments could not be freed", () -> free(free));
                yield true;
            }
            case Relocate relocate -> {
                runBetween(
                        relocate.future(), "entries could not be moved", () -> relocate(relocate));
                yield true;
            }
            case CommitQueue.Stop stop -> false;
        };
    }

    /** A task between two batches. */
    private interface Task {
        void run() throws IOException;
    }

    /** Runs a task that completes the future. Without a new segment it may be tried again. */
    private void runBetween(CompletableFuture<?> future, String failure, Task task) {
        try {
            health.requireWritable();
            writer.awaitRelocations();
            task.run();
        } catch (CubeUnavailableException e) {
            if (!e.leavesLogAsItWas()) {
                health.readOnly(e.getMessage());
            }
            future.completeExceptionally(e);
        } catch (IOException | RuntimeException e) {
            health.failed(failure, e);
            future.completeExceptionally(e);
        } catch (Error e) {
            // The error ends this thread: the waiter must get it.
            future.completeExceptionally(health.unavailable());
            throw e;
        }
    }

    private void free(Free free) throws IOException {
        writer.free(free.segments());
        free.future().complete(null);
    }

    private void relocate(Relocate work) throws IOException {
        writer.relocate(work.batch(), work.future(), this::applied);
    }

    private void applied(StorageWriter.AppliedBatch batch) {
        meter.wrote(batch.bytes());
        listener.ifPresent(each -> each.committed(batch.bytes(), batch.emptiedSegments()));
    }

    private void commitBatch(Commit begin) {
        if (!health.isHealthy()) {
            refuse(begin, health.unavailable());
            return;
        }
        meter.begin();
        List<Commit> taken = new ArrayList<>();
        List<Accepted> accepted = new ArrayList<>();
        try {
            PendingBatch batch = writer.newBatch();
            long filled = fill(batch, taken, accepted, begin);
            List<Transaction> planned =
                    accepted.stream().map(each -> each.commit().transaction()).toList();
            long next = planner.seal(batch, planned, filled);
            order.passed(next - 1);
            if (batch.entries().isEmpty()) {
                // A commit of nothing guarantees that everything after it is later by the clock.
                writer.advance(next);
            } else {
                applied(writer.write(batch, next, begin.priority()));
            }
            meter.committed(accepted.size());
            for (Accepted each : accepted) {
                end(each.commit(), StagedBlob.CommitEnd.DURABLE);
                each.commit().future().complete(each.sequence());
            }
        } catch (CubeUnavailableException e) {
            if (e.leavesLogAsItWas()) {
                refuseForSpace(taken, e);
            } else {
                health.failed("the log takes no more writes", e);
            }
        } catch (IOException | RuntimeException e) {
            health.failed("a commit failed", e);
        } finally {
            // Something may have been written for commits that are neither done nor refused here.
            taken.stream().filter(commit -> !commit.future().isDone()).forEach(this::fail);
        }
    }

    /**
     * Refuses commits for which nothing was written. Deletes are retried from the reserve, without
     * the others.
     */
    private void refuseForSpace(List<Commit> taken, CubeUnavailableException full) {
        SpaceRefusal refusal =
                listener.map(each -> each.refuse(full)).orElse(new SpaceRefusal(full, true));
        for (Commit commit : List.copyOf(taken).reversed()) {
            Optional<Commit> again = commit.fromReserve(refusal.isLast());
            if (again.isPresent()) {
                taken.remove(commit);
                first.addFirst(again.get());
            } else {
                refuse(commit, refusal.error());
            }
        }
    }

    /** Fills the batch with queued transactions; returns the next free sequence. */
    private long fill(
            PendingBatch batch, List<Commit> taken, List<Accepted> accepted, Commit begin) {
        long next = writer.state().nextSequence();
        long left = planner.bytesMax();
        List<Commit> work = List.of(begin);
        while (!work.isEmpty()) {
            Commit commit = work.getFirst();
            taken.add(commit);
            // For each: one that joins late may depend on a commit of another cube since.
            next = Math.max(next, order.next());
            batch.rows().readFor(commit.transaction(), () -> queue.transactionsFrom(commit));
            switch (planner.plan(batch, commit.transaction(), next, left)) {
                case TransactionPlanner.Planned planned -> {
                    next = planned.nextSequence();
                    left -= planned.bytes();
                    accepted.add(new Accepted(commit, next - 1));
                }
                case TransactionPlanner.PutOff putOff -> {
                    taken.removeLast();
                    first.addFirst(commit);
                    return next;
                }
                case TransactionPlanner.Refused refused -> refuse(commit, refused.reason());
            }
            work = more(begin.priority());
        }
        return next;
    }

    /** Returns the next commit, if it may join the batch. */
    private List<Commit> more(SegmentLog.SpacePriority priority) {
        if (!first.isEmpty()) {
            return first.peek().priority() == priority ? List.of(first.remove()) : List.of();
        }
        return priority == SegmentLog.SpacePriority.CLIENT ? queue.nextCommit() : List.of();
    }

    /** Ends a commit for which nothing was written. */
    private void refuse(Commit commit, Exception reason) {
        if (!commit.future().isDone()) {
            end(commit, StagedBlob.CommitEnd.REFUSED);
            commit.future().completeExceptionally(reason);
        }
    }

    /** Ends a commit for which something may have been written. */
    private void fail(Commit commit) {
        end(commit, StagedBlob.CommitEnd.UNKNOWN);
        commit.future().completeExceptionally(health.unavailable());
    }

    private void end(Commit commit, StagedBlob.CommitEnd end) {
        commit.staged().forEach(blob -> blob.endCommit(end));
        queue.leave(commit);
    }

    private void failQueued() {
        for (CommitQueue.Work work : queue.drain()) {
            switch (work) {
                case Commit commit -> fail(commit);
                case Free free -> free.future().completeExceptionally(health.unavailable());
                case Relocate relocate ->
                        relocate.future().completeExceptionally(health.unavailable());
                case CommitQueue.Stop stop -> {}
            }
        }
    }
}
