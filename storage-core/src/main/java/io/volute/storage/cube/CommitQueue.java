package io.volute.storage.cube;

import io.volute.storage.Transaction;
import io.volute.storage.log.SegmentLog;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;

/**
 * What the committing thread is asked to do, in order. Bounded: a submitter waits while
 * transactions worth {@link #UNITS} units are queued or under way.
 */
final class CommitQueue {
    static final int UNITS = 4096;
    private static final int UNIT_BYTES = 16 << 10;

    /** One task of the committing thread. */
    sealed interface Work {}

    /**
     * A transaction.
     *
     * @param staged the blobs that it adds
     * @param claim DELETE when it is tried again, from the reserve, after there was no room
     */
    record Commit(
            Transaction transaction,
            List<StagedBlob> staged,
            int units,
            SegmentLog.Claim claim,
            CompletableFuture<Long> future)
            implements Work {

        Commit fromReserve() {
            return new Commit(transaction, staged, units, SegmentLog.Claim.DELETE, future);
        }
    }

    /** Segments that may leave the log. */
    record Free(Set<Long> segments, CompletableFuture<Void> future) implements Work {}

    /** A batch of a survivor that the index does not know yet. */
    record Relocate(Relocation.Batch batch, CompletableFuture<Relocation.Moved> future)
            implements Work {}

    /** The end. */
    record Stop() implements Work {}

    private final Semaphore room = new Semaphore(UNITS);
    private final LinkedBlockingQueue<Work> queue = new LinkedBlockingQueue<>();

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

    /** The transaction has ended, one way or the other. */
    void leave(Commit commit) {
        room.release(commit.units());
    }

    void add(Work work) {
        queue.add(work);
    }

    Work take() throws InterruptedException {
        return queue.take();
    }

    /** The next work if it is a transaction; other work stays. By the committing thread. */
    List<Commit> nextCommit() {
        return queue.peek() instanceof Commit && queue.poll() instanceof Commit commit
                ? List.of(commit)
                : List.of();
    }

    List<Work> drain() {
        List<Work> rest = new ArrayList<>();
        queue.drainTo(rest);
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
