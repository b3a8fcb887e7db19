package io.volute.storage.commit;

import io.volute.storage.CubeUnavailableException;
import io.volute.storage.accounting.CubeStorage;
import io.volute.storage.accounting.SegmentAccounts;
import io.volute.storage.accounting.SegmentRelease;
import io.volute.storage.blob.CubeImages;
import io.volute.storage.format.BatchHeader;
import io.volute.storage.format.LogEntry;
import io.volute.storage.index.IndexBatch;
import io.volute.storage.log.LogPosition;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.rows.IndexState;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

/**
 * Writes to log and index: batches of transactions, relocations of the cleaner, and segments that
 * leave the log. Everything goes to the log first, and to the index only after it is durable there.
 * Used by the committing thread; {@link #state} may be read by any thread.
 */
public final class StorageWriter {
    private final CubeStorage storage;
    private final RelocationWriter relocations;
    private final RecentChanges changes;
    private final CubeImages images;
    private final LongSupplier idHighWater;
    private volatile IndexState state;

    /**
     * Creates a writer.
     *
     * @param images take the blobs of each batch
     * @param idHighWater the greatest id given out so far
     * @param state state of the index as recovered
     */
    public StorageWriter(
            CubeStorage storage,
            RelocationWriter relocations,
            RecentChanges changes,
            CubeImages images,
            LongSupplier idHighWater,
            IndexState state) {
        this.storage = storage;
        this.relocations = relocations;
        this.changes = changes;
        this.images = images;
        this.idHighWater = idHighWater;
        this.state = state;
    }

    /**
     * A batch that is in the log and in the index.
     *
     * @param bytes by which the log has grown, padding excluded
     * @param emptiedSegments segments in which the batch leaves nothing live
     */
    record AppliedBatch(long bytes, int emptiedSegments) {}

    void start() {
        relocations.start();
    }

    void stop() {
        relocations.stop();
    }

    /** Returns the state of the index, flushed or not. */
    IndexState state() {
        return state;
    }

    /** Returns an empty batch that sees the rows of relocations under way. */
    PendingBatch newBatch() {
        return new PendingBatch(storage.index(), relocations::awaitRow);
    }

    /** Waits until the index has all relocations begun so far. */
    void awaitRelocations() throws IOException {
        relocations.await();
    }

    /** Advances the next sequence after a commit that changes nothing and writes nothing. */
    void advance(long nextSequence) {
        state = new IndexState(state.position(), nextSequence, state.idHighWater());
    }

    /** Appends a batch to the log and applies it to the index. */
    AppliedBatch write(PendingBatch batch, long nextSequence, SegmentLog.SpacePriority priority)
            throws IOException {
        SegmentLog.Appended appended = append(batch.entries(), priority);
        IndexState after = new IndexState(appended.end(), nextSequence, idHighWater.getAsLong());
        relocations.await();
        SegmentAccounts.Changes accounting = storage.accounts().begin();
        IndexBatch rows = batch.toIndexBatch(appended.places(), after, accounting);
        storage.index().write(rows);
        int emptied = accounting.emptied();
        changes.applied(batch, accounting::publish);
        state = after;
        images.applied(batch.entries(), batch.diedBlobs());
        long entries = appended.places().stream().mapToLong(place -> place.bytes()).sum();
        return new AppliedBatch(BatchHeader.batchBytes(entries), emptied);
    }

    /** Appends a batch. When there is no space, frees dead segments and tries once more. */
    private SegmentLog.Appended append(List<LogEntry> entries, SegmentLog.SpacePriority priority)
            throws IOException {
        long ids = idHighWater.getAsLong();
        try {
            return storage.log().append(entries, ids, priority);
        } catch (CubeUnavailableException e) {
            if (e.reason() != CubeUnavailableException.Reason.FULL) {
                throw e;
            }
            relocations.await();
            LogPosition applied = state.position();
            Set<Long> dead = storage.release().candidates(applied);
            if (dead.isEmpty()) {
                throw e;
            }
            storage.index().flush();
            storage.release().free(dead);
            return storage.log().append(entries, ids, priority);
        }
    }

    /** Frees segments that were found dead before a flush of the index that has ended. */
    void free(Set<Long> segments) throws IOException {
        storage.release().free(segments);
    }

    /**
     * Compares a batch of a survivor with the index, and begins to write the new places to the
     * index on the relocating thread. Tombstones that must be durable before go to the head first;
     * see {@link Relocation}.
     *
     * @param moved completes when the index has the new places
     * @param tombstones takes each batch of tombstones that was written
     */
    void relocate(
            Relocation.Batch batch,
            CompletableFuture<Relocation.Moved> moved,
            BatchListener tombstones)
            throws IOException {
        Set<Long> inLog = SegmentRelease.ids(storage.log().segments());
        Relocation relocation = new Relocation(storage.index(), changes, batch, inLog);
        SegmentAccounts.Changes accounting = storage.accounts().begin();
        relocation.compare(accounting);
        for (List<LogEntry> part : relocation.keptInBatches(storage.log())) {
            tombstones.applied(keep(part));
        }
        relocations.begin(relocation, accounting, moved);
    }

    private AppliedBatch keep(List<LogEntry> tombstones) throws IOException {
        PendingBatch batch = new PendingBatch(storage.index());
        tombstones.forEach(batch::addOther);
        // A pass that has filled the reserve must not fail for lack of a head. It would free
        // nothing, and the space that it has filled would be lost for the next pass.
        return write(batch, state.nextSequence(), SegmentLog.SpacePriority.CLEANER);
    }

    /** Takes each batch that was applied. */
    interface BatchListener {
        void applied(AppliedBatch batch);
    }
}
