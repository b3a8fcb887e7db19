package io.volute.storage.commit;

import io.volute.storage.BatchSeal;
import io.volute.storage.CubeUnavailableException;
import io.volute.storage.Joining;
import io.volute.storage.Transaction;
import io.volute.storage.accounting.SegmentAccounts;
import io.volute.storage.accounting.SegmentRelease;
import io.volute.storage.blob.CubeImages;
import io.volute.storage.blob.StagedBlob;
import io.volute.storage.commit.CommitQueue.Commit;
import io.volute.storage.commit.CommitQueue.Free;
import io.volute.storage.commit.CommitQueue.Relocate;
import io.volute.storage.format.BatchHeader;
import io.volute.storage.format.LogEntry;
import io.volute.storage.health.CubeHealth;
import io.volute.storage.health.CubeThreads;
import io.volute.storage.index.IndexBatch;
import io.volute.storage.log.LogPosition;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.rows.CubeIndex;
import io.volute.storage.rows.IndexState;
import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

/**
 * Makes transactions durable, many with one force: one thread takes all that is queued, appends it
 * as one batch, applies it to the index, and only then completes the futures: what hangs on them
 * must not block. A batch is what queued while the one before was written; nothing waits for more.
 */
public final class GroupCommit {
    private record Accepted(Commit commit, long sequence) {}

    /** What the thread works on. */
    public record Parts(
            SegmentLog log,
            CubeIndex index,
            SegmentAccounts accounts,
            SegmentRelease release,
            CubeHealth health,
            LongSupplier idHighWater,
            CubeImages images,
            RecentChanges changes,
            InstantSource clock,
            CommitQueue queue,
            CommitMeter meter) {}

    private final Parts parts;
    private final BatchPlanner planner;
    private final Thread thread;
    private final CommitQueue queue;
    private final RelocationWriter relocations;

    /** Done before what is queued: what was put off, and deletes that found no room. */
    private final ArrayDeque<Commit> first = new ArrayDeque<>();

    private Optional<Told> told = Optional.empty();
    private volatile IndexState state;
    private volatile boolean ended;

    public GroupCommit(Parts parts, IndexState state, CubeThreads threads) {
        this.parts = parts;
        this.state = state;
        this.queue = parts.queue();
        this.planner =
                new BatchPlanner(
                        parts.log(),
                        new TransactionPlanner(
                                parts.log(), parts.index(), parts.idHighWater(), parts.clock()));
        this.relocations = new RelocationWriter(parts.index(), parts.health(), threads);
        this.thread = threads.newThread("commit-0", this::run);
    }

    /** Hears of each batch that is in the log and in the index. */
    public interface Told {
        /**
         * @param bytes that the log has grown by, roughly
         * @param emptiedSegments in which it leaves nothing live
         */
        void committed(long bytes, int emptiedSegments);

        /** A batch found no room. */
        NoRoom noRoom(CubeUnavailableException full);
    }

    public void start(Told listener) {
        told = Optional.of(listener);
        relocations.start();
        thread.start();
    }

    public void sealWith(BatchSeal seal) {
        planner.sealWith(seal);
    }

    /** Bytes of a transaction, those of its notes included. */
    public long transactionBytesMax() {
        return planner.bytesMax();
    }

    /** Everything before it is in the index, flushed or not. */
    public LogPosition applied() {
        return state.position();
    }

    public IndexState state() {
        return state;
    }

    /** Transactions that wait. */
    public int queued() {
        return queue.waiting();
    }

    /**
     * Queues a transaction; waits for room.
     *
     * @param staged the blobs that it adds, already begun
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

    /** Compares a survivor's batch with the index between two batches of the head, and tells it. */
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

    /** Ends after everything queued before this call. */
    public void stop() {
        enqueue(new CommitQueue.Stop());
        Joining.join(thread);
    }

    private void run() {
        try {
            parts.health().runUntilAsked("the committing thread", this::takeAll);
        } finally {
            // A waiter must never wait for nobody.
            first.forEach(queue::add);
            ended = true;
            failQueued();
            relocations.stop();
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
                commitBatch(commit);
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

    /** Something to do between two batches. */
    private interface Task {
        void run() throws IOException;
    }

    /** Runs a task that completes the future; for want of space it may fail and be tried again. */
    private void runBetween(CompletableFuture<?> future, String failure, Task task) {
        try {
            parts.health().requireWritable();
            relocations.await();
            task.run();
        } catch (CubeUnavailableException e) {
            if (e.reason() != CubeUnavailableException.Reason.FULL) {
                parts.health().readOnly(e.getMessage());
            }
            future.completeExceptionally(e);
        } catch (IOException | RuntimeException e) {
            parts.health().failed(failure, e);
            future.completeExceptionally(e);
        } catch (Error e) {
            // It ends this thread: who waits must hear of it.
            future.completeExceptionally(parts.health().unavailable());
            throw e;
        }
    }

    private void free(Free free) throws IOException {
        parts.release().free(free.segments());
        free.future().complete(null);
    }

    private void relocate(Relocate work) throws IOException {
        Set<Long> inLog = SegmentRelease.ids(parts.log().segments());
        Relocation relocation = new Relocation(parts.index(), parts.changes(), work.batch(), inLog);
        SegmentAccounts.Changes changes = parts.accounts().begin();
        relocation.compare(changes);
        for (List<LogEntry> part : relocation.keptInBatches(parts.log())) {
            keep(part);
        }
        relocations.begin(relocation, changes, work.future());
    }

    private void keep(List<LogEntry> tombstones) throws IOException {
        PendingBatch batch = new PendingBatch(parts.index());
        tombstones.forEach(batch::addOther);
        // A pass that has filled the reserve must not fail for want of a head: it would free
        // nothing, and what it has filled would be lost for the next one.
        appendAndApply(batch, state.nextSequence(), SegmentLog.Claim.CLEANER);
    }

    private void commitBatch(Commit begin) {
        if (!parts.health().isHealthy()) {
            refuse(begin, parts.health().unavailable());
            return;
        }
        parts.meter().begin();
        List<Commit> taken = new ArrayList<>();
        List<Accepted> accepted = new ArrayList<>();
        try {
            PendingBatch batch = new PendingBatch(parts.index(), relocations::awaitRow);
            long filled = fill(batch, taken, accepted, begin);
            List<Transaction> planned =
                    accepted.stream().map(each -> each.commit().transaction()).toList();
            long next = planner.seal(batch, planned, filled);
            if (batch.entries().isEmpty()) {
                // Who commits nothing wants to know that whatever follows is later, by the clock.
                state = new IndexState(state.position(), next, state.idHighWater());
            } else {
                appendAndApply(batch, next, begin.claim());
            }
            parts.meter().committed(accepted.size());
            for (Accepted each : accepted) {
                end(each.commit(), StagedBlob.CommitEnd.DURABLE);
                each.commit().future().complete(each.sequence());
            }
        } catch (CubeUnavailableException e) {
            if (e.reason() == CubeUnavailableException.Reason.FULL) {
                noRoom(taken, e);
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

    /** Nothing was written. Deletes are tried again from the reserve, without the others. */
    private void noRoom(List<Commit> taken, CubeUnavailableException full) {
        NoRoom none = told.map(to -> to.noRoom(full)).orElse(new NoRoom(full, true));
        for (Commit commit : List.copyOf(taken).reversed()) {
            Optional<Commit> again = commit.fromReserve(none.isLast());
            if (again.isPresent()) {
                taken.remove(commit);
                first.addFirst(again.get());
            } else {
                refuse(commit, none.told());
            }
        }
    }

    /** Fills the batch with what is queued; returns the next free sequence. */
    private long fill(
            PendingBatch batch, List<Commit> taken, List<Accepted> accepted, Commit begin) {
        long next = state.nextSequence();
        long left = planner.bytesMax();
        List<Commit> work = List.of(begin);
        while (!work.isEmpty()) {
            Commit commit = work.getFirst();
            taken.add(commit);
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
            work = more(begin.claim());
        }
        return next;
    }

    /** What comes next, if it is for the same batch. */
    private List<Commit> more(SegmentLog.Claim claim) {
        if (!first.isEmpty()) {
            return first.peek().claim() == claim ? List.of(first.remove()) : List.of();
        }
        return claim == SegmentLog.Claim.CLIENT ? queue.nextCommit() : List.of();
    }

    private void appendAndApply(PendingBatch batch, long next, SegmentLog.Claim claim)
            throws IOException {
        SegmentLog.Appended appended = append(batch.entries(), claim);
        IndexState after = new IndexState(appended.end(), next, parts.idHighWater().getAsLong());
        relocations.await();
        SegmentAccounts.Changes changes = parts.accounts().begin();
        IndexBatch rows = batch.toIndexBatch(appended.places(), after, changes);
        parts.index().write(rows);
        int emptied = changes.emptied();
        parts.changes().applied(batch, changes::publish);
        state = after;
        parts.images().applied(batch.entries(), batch.diedBlobs());
        long entries = appended.places().stream().mapToLong(place -> place.bytes()).sum();
        long bytes = BatchHeader.batchBytes(entries);
        parts.meter().wrote(bytes);
        told.ifPresent(listener -> listener.committed(bytes, emptied));
    }

    /** Appends; when there is no space, frees what is dead and tries once more. */
    private SegmentLog.Appended append(List<LogEntry> entries, SegmentLog.Claim claim)
            throws IOException {
        long ids = parts.idHighWater().getAsLong();
        try {
            return parts.log().append(entries, ids, claim);
        } catch (CubeUnavailableException e) {
            if (e.reason() != CubeUnavailableException.Reason.FULL) {
                throw e;
            }
            relocations.await();
            Set<Long> dead = parts.release().candidates(applied());
            if (dead.isEmpty()) {
                throw e;
            }
            parts.index().flush();
            parts.release().free(dead);
            return parts.log().append(entries, ids, claim);
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
        queue.leave(commit);
    }

    private void failQueued() {
        for (CommitQueue.Work work : queue.drain()) {
            switch (work) {
                case Commit commit -> fail(commit);
                case Free free -> free.future().completeExceptionally(parts.health().unavailable());
                case Relocate relocate ->
                        relocate.future().completeExceptionally(parts.health().unavailable());
                case CommitQueue.Stop stop -> {}
            }
        }
    }
}
