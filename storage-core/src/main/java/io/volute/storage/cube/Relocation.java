package io.volute.storage.cube;

import io.volute.storage.Place;
import io.volute.storage.format.LogEntry;
import io.volute.storage.index.IndexBatch;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Entries that the cleaner has written to a survivor, on their way into the index. What the index
 * still has at the old place moves; the rest is born dead. Used by the committing thread, between
 * two batches, so nothing changes meanwhile.
 *
 * <p>A record that died after it was copied has a killer that names the old segment: it would be
 * forgotten with that segment, and a rebuild would find the copy. So for each of them a tombstone
 * that names the survivor goes to the head, and is durable before the index knows the survivor.
 */
final class Relocation {

    /**
     * One batch of a survivor.
     *
     * @param entries the entries without content of blobs
     * @param from where each was; that of an entry made by the cleaner is {@code to}
     * @param end of the survivor with this batch
     */
    record Batch(
            long survivor,
            Set<Long> origins,
            List<LogEntry> entries,
            List<Place> from,
            List<Place> to,
            long end) {}

    /** What became of a batch, in bytes of entries. */
    record Moved(long live, long tombstones, long dead) {}

    private final CubeIndex index;
    private final Batch batch;
    private final Set<Long> inLog;
    private final IndexBatch rows = new IndexBatch();
    private final List<LogEntry.KeptTombstone> kept = new ArrayList<>();
    private long live;
    private long tombstones;
    private long dead;

    Relocation(CubeIndex index, Batch batch, Set<Long> inLog) {
        this.index = index;
        this.batch = batch;
        this.inLog = inLog;
    }

    /** Tombstones that must be durable first; call {@link #compare} before. */
    List<LogEntry.KeptTombstone> kept() {
        return kept;
    }

    Moved moved() {
        return new Moved(live, tombstones, dead);
    }

    /** Compares every entry with the index, and prepares the rows that set its new place. */
    void compare(SegmentAccounts.Changes changes) {
        new HashSet<>(batch.origins()).forEach(origin -> changes.origin(batch.survivor(), origin));
        changes.applied(batch.survivor(), batch.end());
        for (int i = 0; i < batch.entries().size(); i++) {
            Place from = batch.from().get(i);
            Place to = batch.to().get(i);
            switch (batch.entries().get(i)) {
                case LogEntry.RecordPut put -> record(put, from, to, changes);
                case LogEntry.Tombstone tombstone -> tombstone(tombstone.victim(), to, changes);
                case LogEntry.KeptTombstone tombstone -> tombstone(tombstone.victim(), to, changes);
                case LogEntry.InlineBlob blob -> {
                    if (!blob(blob.blobId(), from, to, changes)) {
                        changes.bornDeadInline(to);
                    }
                }
                case LogEntry.StreamBlob blob -> {
                    if (!blob(blob.blobId(), from, to, changes)) {
                        changes.bornDead(to);
                    }
                }
                case LogEntry.ComposedBlob blob -> {
                    if (!blob(blob.blobId(), from, to, changes)) {
                        changes.bornDead(to);
                    }
                }
                case LogEntry.Hole hole -> throw new BrokenInvariant("a hole is not moved");
                case LogEntry.Digest digest -> throw new BrokenInvariant("a digest is not moved");
                case LogEntry.Origins origins -> throw new BrokenInvariant("origins do not move");
            }
        }
    }

    private void record(
            LogEntry.RecordPut put, Place from, Place to, SegmentAccounts.Changes changes) {
        RecordKey key = new RecordKey(put.family(), put.key());
        Optional<RecordRow> row = index.record(key);
        if (inLog.contains(put.victim().segmentId())) {
            changes.victimOfPut(to, put.victim());
        }
        if (row.isPresent() && row.get().place().equals(from)) {
            rows.put(index.table(put.family()), put.key(), row.get().at(to).encode());
            move(from, to, changes);
            return;
        }
        bornDead(to, changes);
        if (row.isEmpty() || row.get().sequence() != put.sequence()) {
            kept.add(
                    LogEntry.KeptTombstone.of(
                            put.family(),
                            put.key(),
                            new LogEntry.Victim(put.sequence(), to.segmentId())));
        }
    }

    /**
     * Whether it has moved. If not, nothing brings it back: a blob lives by references, and its id
     * is never used again.
     */
    private boolean blob(long id, Place from, Place to, SegmentAccounts.Changes changes) {
        Optional<BlobRow> row = index.blob(id);
        if (row.isPresent() && row.get().entry().equals(from)) {
            rows.put(index.blobs(), CubeIndex.blobKey(id), row.get().at(to).encode());
            move(from, to, changes);
            return true;
        }
        dead += to.bytes();
        return false;
    }

    private void tombstone(LogEntry.Victim victim, Place to, SegmentAccounts.Changes changes) {
        if (inLog.contains(victim.segmentId())) {
            changes.tombstone(to, victim);
            tombstones += to.bytes();
        } else {
            bornDead(to, changes);
        }
    }

    private void move(Place from, Place to, SegmentAccounts.Changes changes) {
        changes.die(from);
        changes.live(to);
        live += to.bytes();
    }

    private void bornDead(Place to, SegmentAccounts.Changes changes) {
        changes.bornDead(to);
        dead += to.bytes();
    }

    /** Everything that the index has to change; after {@link #kept} is durable. */
    IndexBatch toIndexBatch(SegmentAccounts.Changes changes) {
        changes.addRows(rows);
        return rows;
    }
}
