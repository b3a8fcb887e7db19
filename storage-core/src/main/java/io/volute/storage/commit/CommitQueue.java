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
 * What the committing thread is asked to do. Bounded: a submitter waits while transactions worth
 * {@link #UNITS} units are queued or under way. Transactions and the end keep their order; the
 * cleaner's work is done between two batches of them, one piece at a time, and cuts none short.
 */
final class CommitQueue {
    static final int UNITS = 4096;
    private static final int UNIT_BYTES = 16 << 10;

    /** Of one unit each, so that most of them fit in the next batch. */
    private static final int COMMITS_AHEAD_MAX = 128;

    private sealed interface Queued {}

    /** One task of the committing thread. */
    sealed interface Work extends Queued {}

    /**
     * A transaction.
     *
     * @param staged the blobs that it adds
     * @param claim not CLIENT when it is tried again, from the reserve, after there was no room
     */
    record Commit(
            Transaction transaction,
            List<StagedBlob> staged,
            int units,
            SegmentLog.Claim claim,
            CompletableFuture<Long> future)
            implements Work {

        /**
         * The same, to be tried again from what is kept for who makes room.
         *
         * @param isLast whether cleaning wins nothing
         */
        Optional<Commit> fromReserve(boolean isLast) {
            if (transaction.makesRoom() && claim == SegmentLog.Claim.CLIENT) {
                return Optional.of(with(SegmentLog.Claim.DELETE));
            }
            return isLast && claim == SegmentLog.Claim.DELETE
                    ? Optional.of(with(SegmentLog.Claim.LAST))
                    : Optional.empty();
        }

        private Commit with(SegmentLog.Claim other) {
            return new Commit(transaction, staged, units, other, future);
        }
    }

    /** Segments that may leave the log. */
    record Free(Set<Long> segments, CompletableFuture<Void> future) implements Work {}

    /** A batch of a survivor that the index does not know yet. */
    record Relocate(Relocation.Batch batch, CompletableFuture<Relocation.Moved> future)
            implements Work {}

    /** The end. */
    record Stop() implements Work {}

    /** Wakes the committing thread for the cleaner. */
    private record Look() implements Queued {}

    private final Semaphore room = new Semaphore(UNITS);
    private final LinkedBlockingQueue<Queued> queue = new LinkedBlockingQueue<>();
    private final Queue<Work> between = new ConcurrentLinkedQueue<>();

    /** Of the committing thread: whether what it took last was for the cleaner. */
    private boolean isTurnOfClients;

    /** Of the committing thread: whether a batch held more than one transaction. */
    private boolean hadCompany;

    private final Linger linger;

    /**
     * @param nanos a clock that is read when nothing is queued
     */
    CommitQueue(LongSupplier nanos) {
        this.linger = new Linger(nanos, Runtime.getRuntime().availableProcessors());
    }

    /**
     * Waits for room for a transaction.
     *
     * @param staged the blobs that it adds, already begun
     */
    Commit admit(Transaction transaction, List<StagedBlob> staged) {
        int units = units(transaction);
        room.acquireUninterruptibly(units);
        return new Commit(
                transaction, staged, units, SegmentLog.Claim.CLIENT, new CompletableFuture<>());
    }

    /** Transactions that wait. */
    int waiting() {
        return queue.size();
    }

    /** The transaction has ended, one way or the other. */
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

    /** Waits for work: that of clients and of the cleaner in turn. By the committing thread. */
    Work take() throws InterruptedException {
        while (true) {
            Work waiting = isTurnOfClients && hasCommit() ? null : between.poll();
            isTurnOfClients = waiting != null;
            if (waiting != null) {
                return waiting;
            }
            // Many clients at once are not waited for awake: they need the processors.
            boolean wasAlone = !hadCompany;
            hadCompany = false;
            if (linger.await(wasAlone, queue::poll, queue::take) instanceof Work work) {
                return work;
            }
        }
    }

    /** Whether the next in order is a transaction. */
    private boolean hasCommit() {
        while (queue.peek() instanceof Look) {
            queue.poll();
        }
        return queue.peek() instanceof Commit;
    }

    /** The next in order if it is a transaction. By the committing thread. */
    List<Commit> nextCommit() {
        if (hasCommit() && queue.poll() instanceof Commit commit) {
            hadCompany = true;
            return List.of(commit);
        }
        return List.of();
    }

    /** The transaction of this commit, and small ones that wait behind it. */
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
