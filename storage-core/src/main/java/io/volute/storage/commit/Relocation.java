package io.volute.storage.commit;

import io.volute.storage.Place;
import io.volute.storage.accounting.SegmentAccounts;
import io.volute.storage.format.LogEntry;
import io.volute.storage.health.BrokenInvariant;
import io.volute.storage.index.IndexBatch;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.rows.BlobRow;
import io.volute.storage.rows.CubeIndex;
import io.volute.storage.rows.RecordKey;
import io.volute.storage.rows.RecordRow;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The publication of one batch of a survivor: entries that the cleaner has copied, on their way
 * into the index. A row that still points at the old place moves; any other copy is born dead. The
 * committing thread compares, between two batches, so nothing changes meanwhile.
 *
 * <p>A record that died after it was copied has a killer that names the old segment. That killer
 * would be forgotten with that segment, and a rebuild would find the copy. So for each such record
 * a tombstone that names the survivor goes to the head. It is durable before the index knows the
 * survivor.
 */
public final class Relocation {

    /** The row of an entry as the cleaner has read it. */
    public sealed interface FoundRow {}

    /** The row of a record, which pointed at the entry. */
    public record FoundRecordRow(RecordKey key, RecordRow row) implements FoundRow {}

    /** The row of a blob, which pointed at the entry. */
    public record FoundBlobRow(BlobRow row) implements FoundRow {}

    /** The row of an inline blob with one reference, derived from the entry without a read. */
    public record DerivedBlobRow() implements FoundRow {}

    /** No row, for tombstones. */
    public record NoRow() implements FoundRow {}

    /**
     * An entry that moves.
     *
     * @param entry the entry, without the content of a blob
     * @param from old place
     */
    public record Moving(LogEntry entry, Place from, FoundRow found) {}

    /**
     * One batch of a survivor.
     *
     * @param to new place of each entry
     * @param end end of the survivor with this batch
     * @param stamp stamp of {@link RecentChanges} taken before the rows were read
     */
    public record Batch(
            long survivor,
            Set<Long> origins,
            List<Moving> moving,
            List<Place> to,
            long end,
            long stamp) {}

    /** The result of a batch, in bytes of entries. */
    public record Moved(long live, long tombstones, long dead) {
        public static final Moved NOTHING = new Moved(0, 0, 0);

        public Moved plus(Moved more) {
            return new Moved(live + more.live, tombstones + more.tombstones, dead + more.dead);
        }
    }

    private final CubeIndex index;
    private final RecentChanges recent;
    private final Batch batch;
    private final Set<Long> inLog;
    private final IndexBatch rows = new IndexBatch();
    private final Set<Object> changed = new HashSet<>();
    private final List<LogEntry.KeptTombstone> kept = new ArrayList<>();
    private long live;
    private long tombstones;
    private long dead;

    Relocation(CubeIndex index, RecentChanges recent, Batch batch, Set<Long> inLog) {
        this.index = index;
        this.recent = recent;
        this.batch = batch;
        this.inLog = inLog;
    }

    /**
     * Returns the tombstones that must be durable first, in batches as large as the log takes. Call
     * {@link #compare} before.
     */
    List<List<LogEntry>> keptInBatches(SegmentLog log) {
        List<List<LogEntry>> batches = new ArrayList<>();
        long left = 0;
        for (LogEntry entry : kept) {
            int bytes = log.encodedBytes(entry);
            if (bytes > left) {
                batches.add(new ArrayList<>());
                left = log.batchBytesMax();
            }
            batches.getLast().add(entry);
            left -= bytes;
        }
        return batches;
    }

    Moved moved() {
        return new Moved(live, tombstones, dead);
    }

    /** Compares every entry with the index, and prepares the rows with its new place. */
    void compare(SegmentAccounts.Changes changes) {
        batch.origins().forEach(origin -> changes.origin(batch.survivor(), origin));
        changes.applied(batch.survivor(), batch.end());
        for (int i = 0; i < batch.moving().size(); i++) {
            Moving moving = batch.moving().get(i);
            Place to = batch.to().get(i);
            switch (moving.entry()) {
                case LogEntry.RecordPut put ->
                        record(put, (FoundRecordRow) moving.found(), moving.from(), to, changes);
                case LogEntry.TombstoneEntry tombstone ->
                        tombstone(tombstone.victim(), to, changes);
                case LogEntry.BlobEntry blob -> blob(blob, moving, to, changes);
                case LogEntry.Hole hole -> throw new BrokenInvariant("a hole is not moved");
                case LogEntry.Digest digest -> throw new BrokenInvariant("a digest is not moved");
                case LogEntry.Origins origins -> throw new BrokenInvariant("origins do not move");
            }
        }
    }

    private void record(
            LogEntry.RecordPut put,
            FoundRecordRow found,
            Place from,
            Place to,
            SegmentAccounts.Changes changes) {
        RecordKey key = found.key();
        Optional<RecordRow> row = row(key, found);
        if (inLog.contains(put.victim().segmentId())) {
            changes.victimOfPut(to, put.victim());
        }
        if (row.isPresent() && row.get().place().equals(from)) {
            rows.put(index.table(put.family()), put.key(), row.get().at(to).encode());
            changed.add(key);
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

    private void blob(
            LogEntry.BlobEntry blob, Moving moving, Place to, SegmentAccounts.Changes changes) {
        long id = blob.blobId();
        Optional<BlobRow> row = row(blob, moving);
        if (row.isPresent() && row.get().entry().equals(moving.from())) {
            rows.put(index.blobs(), CubeIndex.blobKey(id), row.get().at(to).encode());
            changed.add(id);
            move(moving.from(), to, changes);
            if (row.get().references() != 1) {
                changes.shared(to);
            }
            return;
        }
        // A dead blob stays dead: it lives by references, and its id is never used again.
        dead += to.bytes();
        if (blob instanceof LogEntry.InlineBlob) {
            changes.bornDeadInline(to);
        } else {
            changes.bornDead(to);
        }
    }

    private Optional<RecordRow> row(RecordKey key, FoundRecordRow found) {
        if (!recent.isUnchanged(key, batch.stamp())) {
            return index.record(key);
        }
        assert Arrays.equals(found.row().encode(), index.rawRecord(key).orElse(null))
                : "another row than was found: " + key;
        return Optional.of(found.row());
    }

    private Optional<BlobRow> row(LogEntry.BlobEntry blob, Moving moving) {
        long id = blob.blobId();
        if (!recent.isUnchanged(id, batch.stamp())) {
            return index.blob(id);
        }
        BlobRow row =
                moving.found() instanceof FoundBlobRow found
                        ? found.row()
                        : BlobRow.sole((LogEntry.InlineBlob) blob, moving.from());
        assert row.equals(index.blob(id).orElse(null)) : "another row than was found: blob " + id;
        return Optional.of(row);
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

    /**
     * Returns whether it changes a row.
     *
     * @param row a {@link RecordKey}, or the id of a blob
     */
    boolean changes(Object row) {
        return changed.contains(row);
    }

    /** Returns all changes of the index. Call it after {@link #keptInBatches} is durable. */
    IndexBatch toIndexBatch(SegmentAccounts.Changes changes) {
        changes.addRows(rows);
        return rows;
    }
}
