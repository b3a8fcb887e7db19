package io.volute.storage.recovery;

import io.volute.storage.Place;
import io.volute.storage.accounting.SegmentAccounts;
import io.volute.storage.format.LogEntry;
import io.volute.storage.health.BrokenInvariant;
import io.volute.storage.index.IndexBatch;
import io.volute.storage.index.IndexUnusableException;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.rows.BlobRow;
import io.volute.storage.rows.CubeIndex;
import io.volute.storage.rows.RecordKey;
import io.volute.storage.rows.RecordRow;
import java.io.IOException;
import java.util.Optional;
import java.util.function.LongPredicate;

/**
 * Moves rows of the index to the copies in one survivor that another owner has sealed. A row moves
 * if it has the sequence of the copy, or the blob's id, and an earlier place. All other copies are
 * dead. So the result does not depend on how far the index is, as long as it is behind the batch
 * that lists the survivor as sealed. Used by one thread.
 */
final class SurvivorReplay implements SegmentLog.BatchVisitor {
    private final CubeIndex index;
    private final SegmentAccounts accounts;
    private final long survivor;
    private final long applied;
    private final LongPredicate inLog;

    /**
     * Creates a replay.
     *
     * @param applied offset up to which the index has the survivor already
     * @param inLog returns whether a segment is in the log
     */
    SurvivorReplay(
            CubeIndex index,
            SegmentAccounts accounts,
            long survivor,
            long applied,
            LongPredicate inLog) {
        this.index = index;
        this.accounts = accounts;
        this.survivor = survivor;
        this.applied = applied;
        this.inLog = inLog;
    }

    /** Checks that an owner has not cut a survivor in front of what the index has of it. */
    static void requireWithin(long survivor, long applied, long sealed)
            throws IndexUnusableException {
        if (applied > sealed) {
            throw new IndexUnusableException(
                    "it has survivor segment "
                            + survivor
                            + " up to "
                            + applied
                            + ", and a later owner up to "
                            + sealed);
        }
    }

    @Override
    public void batch(SegmentLog.LoggedBatch batch) throws IOException {
        if (batch.end().offset() <= applied) {
            return;
        }
        IndexBatch rows = new IndexBatch();
        SegmentAccounts.Changes changes = accounts.begin();
        for (SegmentLog.LoggedEntry logged : batch.entries()) {
            Place to = logged.place();
            switch (logged.entry()) {
                case LogEntry.RecordPut put -> record(put, to, rows, changes);
                case LogEntry.TombstoneEntry tombstone -> {
                    if (inLog.test(tombstone.victim().segmentId())) {
                        changes.tombstone(to, tombstone.victim());
                    } else {
                        changes.bornDead(to);
                    }
                }
                case LogEntry.BlobEntry blob -> blob(blob, to, rows, changes);
                case LogEntry.Origins origins ->
                        origins.segmentIds().stream()
                                .filter(inLog::test)
                                .forEach(origin -> changes.origin(survivor, origin));
                case LogEntry.Hole hole -> changes.bornDeadInline(to);
                case LogEntry.Digest digest ->
                        throw new BrokenInvariant("a survivor has no digest");
            }
        }
        changes.applied(survivor, batch.end().offset());
        changes.addRows(rows);
        index.write(rows);
        changes.publish();
    }

    private void record(
            LogEntry.RecordPut put, Place to, IndexBatch rows, SegmentAccounts.Changes changes)
            throws IOException {
        if (!index.knows(put.family())) {
            throw LogRecovery.unknownFamily(put.family());
        }
        if (inLog.test(put.victim().segmentId())) {
            changes.victimOfPut(to, put.victim());
        }
        Optional<RecordRow> row = index.record(new RecordKey(put.family(), put.key()));
        if (row.isPresent()
                && row.get().sequence() == put.sequence()
                && row.get().place().segmentId() < to.segmentId()) {
            rows.put(index.table(put.family()), put.key(), row.get().at(to).encode());
            changes.die(row.get().place());
            changes.live(to);
        } else {
            changes.bornDead(to);
        }
    }

    private void blob(
            LogEntry.BlobEntry blob, Place to, IndexBatch rows, SegmentAccounts.Changes changes) {
        Optional<BlobRow> row = index.blob(blob.blobId());
        if (row.isPresent() && row.get().entry().segmentId() < to.segmentId()) {
            rows.put(index.blobs(), CubeIndex.blobKey(blob.blobId()), row.get().at(to).encode());
            changes.die(row.get().entry());
            changes.live(to);
            if (row.get().references() != 1) {
                changes.shared(to);
            }
        } else if (blob instanceof LogEntry.InlineBlob) {
            changes.bornDeadInline(to);
        } else {
            changes.bornDead(to);
        }
    }
}
