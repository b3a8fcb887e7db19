package io.volute.storage.commit;

import io.volute.storage.Transaction;
import io.volute.storage.blob.StagedBlob;
import io.volute.storage.log.SegmentLog;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * The work queue of the committing thread. It is bounded: a submitter waits while transactions
 * worth {@link #UNITS} units are queued or under way. Transactions and the stop keep their order.
 * Work of the cleaner is done between two batches, one piece at a time, and cuts no batch short.
 */
final class CommitQueue {
    static final int UNITS = 4096;
    private static final int UNIT_BYTES = 16 << 10;

    /**
     * Greatest number of queued commits that are prefetched; each has one unit, so that most of
     * them fit in the next batch.
     */
    private static final int COMMITS_AHEAD_MAX = 128;

    private sealed interface Queued {}

    /** One task of the committing thread. */
    sealed interface Work extends Queued {}

    /**
     * A transaction to commit.
     *
     * @param staged blobs that it adds
     * @param priority not CLIENT when it is retried from a reserve because there was no space
     */
    record Commit(
            Transaction transaction,
            List<StagedBlob> staged,
            int units,
            SegmentLog.SpacePriority priority,
            CompletableFuture<Long> future)
            implements Work {

        /**
         * Returns a retry of this commit from a reserve, if it frees space.
         *
         * @param isLast whether cleaning wins nothing
         */
        Optional<Commit> fromReserve(boolean isLast) {
            if (transaction.makesRoom() && priority == SegmentLog.SpacePriority.CLIENT) {
                return Optional.of(with(SegmentLog.SpacePriority.DELETE));
            }
            return isLast && priority == SegmentLog.SpacePriority.DELETE
                    ? Optional.of(with(SegmentLog.SpacePriority.LAST))
                    : Optional.empty();
        }

        private Commit with(SegmentLog.SpacePriority other) {
            return new Commit(transaction, staged, units, other, future);
        }
    }

    /** Segments that may leave the log. */
    record Free(Set<Long> segments, CompletableFuture<Void> future) implements Work {}

    /** A batch of a survivor that is not published yet. */
    record Relocate(Relocation.Batch batch, CompletableFuture<Relocation.Moved> future)
            implements Work {}

    /** The end of the work. */
    record Stop() implements Work {}

    /** A wake-up of the committing thread for work of the cleaner. */
    private record Look() implements Queued {}

    private final Semaphore room = new Semaphore(UNITS);
    private final LinkedBlockingQueue<Queued> queue = new LinkedBlockingQueue<>();
    private final Queue<Work> between = new ConcurrentLinkedQueue<>();

    /** True when the last task taken was of the cleaner. Used by the committing thread only. */
    private boolean isTurnOfClients;

    /**
     * True when the last batch held more than one transaction. Used by the committing thread only.
     */
    private boolean hadCompany;

    private final SpinWait linger;

    /**
     * Creates an empty queue.
     *
     * @param nanos a clock that is read when nothing is queued
     */
    CommitQueue(LongSupplier nanos) {
        this.linger = new SpinWait(nanos, Runtime.getRuntime().availableProcessors());
    }

    /**
     * Waits until the queue has space for a transaction.
     *
     * @param staged blobs that it adds, already begun
     */
    Commit admit(Transaction transaction, List<StagedBlob> staged) {
        int units = units(transaction);
        room.acquireUninterruptibly(units);
        return new Commit(
                transaction,
                staged,
                units,
                SegmentLog.SpacePriority.CLIENT,
                new CompletableFuture<>());
    }

    /** Returns the number of transactions that wait. */
    int waiting() {
        return queue.size();
    }

    /** Releases the units of a transaction that has ended. */
    void leave(Commit commit) {
        room.release(commit.units());
    }

    void add(Work work) {
        switch (work) {
            case Commit commit -> queue.add(commit);
            case Stop stop -> queue.add(stop);
            case Free free -> addBetween(free);
            case Relocate relocate -> addBetween(relocate);
        }
    }

    private void addBetween(Work work) {
        between.add(work);
        queue.add(new Look());
    }

    /**
     * Waits for work, and takes work of clients and of the cleaner in turn. Called by the
     * committing thread.
     */
    Work take() throws InterruptedException {
        while (true) {
            Work waiting = isTurnOfClients && hasCommit() ? null : between.poll();
            isTurnOfClients = waiting != null;
            if (waiting != null) {
                return waiting;
            }
            // With many clients at once it does not spin: they need the processors.
            boolean wasAlone = !hadCompany;
            hadCompany = false;
            if (linger.await(wasAlone, queue::poll, queue::take) instanceof Work work) {
                return work;
            }
        }
    }

    /** Returns whether the next task is a transaction. */
    private boolean hasCommit() {
        while (queue.peek() instanceof Look) {
            queue.poll();
        }
        return queue.peek() instanceof Commit;
    }

    /** Takes the next task if it is a transaction. Called by the committing thread. */
    List<Commit> nextCommit() {
        if (hasCommit() && queue.poll() instanceof Commit commit) {
            hadCompany = true;
            return List.of(commit);
        }
        return List.of();
    }

    /** Returns the transaction of this commit, and small ones that wait behind it. */
    Stream<Transaction> transactionsFrom(Commit first) {
        return Stream.concat(
                Stream.of(first.transaction()),
                queue.stream()
                        .limit(COMMITS_AHEAD_MAX)
                        .filter(Commit.class::isInstance)
                        .map(Commit.class::cast)
                        .filter(commit -> commit.units() == 1)
                        .map(Commit::transaction));
    }

    List<Work> drain() {
        List<Work> rest = new ArrayList<>();
        for (Queued each = queue.poll(); each != null; each = queue.poll()) {
            if (each instanceof Work work) {
                rest.add(work);
            }
        }
        for (Work work = between.poll(); work != null; work = between.poll()) {
            rest.add(work);
        }
        return rest;
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
        return (int) Math.min(1 + bytes / UNIT_BYTES, UNITS);
    }
}
