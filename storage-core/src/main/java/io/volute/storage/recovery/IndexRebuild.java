package io.volute.storage.recovery;

import io.volute.storage.Place;
import io.volute.storage.accounting.SegmentAccounts;
import io.volute.storage.commit.PendingBatch;
import io.volute.storage.format.LogEntry;
import io.volute.storage.health.BrokenInvariant;
import io.volute.storage.index.IndexBatch;
import io.volute.storage.index.IndexCursor;
import io.volute.storage.log.SegmentLog;
import io.volute.storage.rows.BlobRow;
import io.volute.storage.rows.CubeIndex;
import io.volute.storage.rows.IndexState;
import io.volute.storage.rows.RecordKey;
import io.volute.storage.rows.RecordRow;
import io.volute.storage.rows.RowReader;
import io.volute.storage.rows.RowWriter;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * Rebuilds the index from the segments alone, whatever the order in which they are read. The newest
 * sequence of a key wins, tombstones included. References are counted for records that win, and for
 * every composed blob. At the end blobs without references die, and release their children.
 *
 * <p>Unsettled state is in the index itself, so memory stays bounded: a tombstone is a record row
 * without a place; a blob that is referred to but not seen yet is a row of kind {@link #UNSEEN}. A
 * crash in between leaves the rebuild mark, and the next start begins again.
 */
final class IndexRebuild implements SegmentLog.BatchVisitor {
    private static final int UNSEEN = 9;
    private static final int GROUP_ROWS = 8192;
    private static final int DAMAGES_MAX = 1000;

    /**
     * The result of a rebuild.
     *
     * @param dangling one line for each live record that refers to blobs in no segment
     */
    record Result(
            SegmentLog.ReplayResult scan, IndexState state, long entries, List<String> dangling) {}

    private record StagedRecord(long sequence, Optional<RecordRow> row) {}

    private record StagedBlob(long references, Optional<BlobRow> row) {}

    private final CubeIndex index;
    private final RebuildSource segments;
    private final SegmentAccounts.Changes changes;
    private final Map<RecordKey, StagedRecord> records = new HashMap<>();
    private final Map<Long, StagedBlob> blobs = new HashMap<>();
    private final Set<Integer> familiesWithTombstones = new HashSet<>();
    private final List<String> dangling = new ArrayList<>();
    private long sequenceMax;
    private long idMax;
    private long entries;

    /**
     * Creates a rebuild.
     *
     * @param index an empty index
     * @param accounts empty accounts
     */
    IndexRebuild(CubeIndex index, RebuildSource segments, SegmentAccounts accounts) {
        this.index = index;
        this.segments = segments;
        this.changes = accounts.begin();
    }

    /**
     * Rebuilds the index. It leaves the rebuild mark in place; the caller removes it when it
     * accepts the result.
     */
    Result run(UUID cube) throws IOException {
        IndexBatch begin = new IndexBatch();
        index.putFormat(begin, cube);
        index.putRebuildMark(begin);
        index.write(begin);
        index.flush();
        SegmentLog.ReplayResult scan = segments.scanAll(this);
        writeGroup();
        settleBlobs();
        dropTombstones();
        segments.survivorEnds().forEach(changes::applied);
        IndexState state = new IndexState(scan.end(), sequenceMax + 1, idMax);
        IndexBatch end = new IndexBatch();
        changes.addRows(end);
        index.putState(end, state);
        index.write(end);
        changes.publish();
        return new Result(scan, state, entries, dangling);
    }

    @Override
    public void batch(SegmentLog.LoggedBatch batch) throws IOException {
        idMax = Math.max(idMax, batch.idHighWater());
        for (SegmentLog.LoggedEntry logged : batch.entries()) {
            if (!(logged.entry() instanceof LogEntry.Hole)) {
                sequenceMax = Math.max(sequenceMax, logged.entry().sequence());
            }
            add(logged.entry(), logged.place());
        }
        if (records.size() + blobs.size() >= GROUP_ROWS) {
            writeGroup();
        }
    }

    private void add(LogEntry entry, Place place) throws IOException {
        switch (entry) {
            case LogEntry.RecordPut put -> {
                changes.victimOfPut(place, put.victim());
                RecordRow row = RecordRow.of(put, place);
                boolean wins = stage(put.family(), put.key(), put.sequence(), Optional.of(row));
                if (wins) {
                    changes.live(place);
                    put.references().forEach(blob -> count(blob, 1));
                } else {
                    changes.bornDead(place);
                }
            }
            case LogEntry.TombstoneEntry tombstone -> {
                changes.tombstone(place, tombstone.victim());
                boolean wins =
                        stage(
                                tombstone.family(),
                                tombstone.key(),
                                tombstone.sequence(),
                                Optional.empty());
                if (wins) {
                    familiesWithTombstones.add(tombstone.family());
                }
            }
            case LogEntry.InlineBlob blob ->
                    addBlob(
                            blob.blobId(),
                            new BlobRow(
                                    0, place, blob.content().remaining(), new BlobRow.Inline()));
            // The blob is dead for certain; a record that refers to it is found dangling.
            case LogEntry.Hole hole -> changes.bornDeadInline(place);
            case LogEntry.StreamBlob blob ->
                    addBlob(
                            blob.blobId(),
                            new BlobRow(
                                    0,
                                    place,
                                    blob.bytes(),
                                    new BlobRow.Stream(blob.chunkBytes(), blob.extents())));
            case LogEntry.ComposedBlob blob ->
                    addBlob(
                            blob.blobId(),
                            new BlobRow(
                                    0,
                                    place,
                                    PendingBatch.length(blob.parts()),
                                    PendingBatch.composed(blob.parts())));
            case LogEntry.Digest digest -> entries--;
            case LogEntry.Origins origins -> {
                entries--;
                origins.segmentIds().forEach(origin -> changes.origin(place.segmentId(), origin));
            }
        }
        entries++;
    }

    /**
     * Stages an entry; returns whether it is the newest of its key so far. If so, the entry that
     * was the newest is dead.
     */
    private boolean stage(int family, byte[] bytes, long sequence, Optional<RecordRow> row)
            throws IOException {
        if (!index.knows(family)) {
            throw LogRecovery.unknownFamily(family);
        }
        RecordKey key = new RecordKey(family, bytes);
        Optional<StagedRecord> before = staged(key);
        if (before.isPresent() && !beats(sequence, row, before.get())) {
            return false;
        }
        records.put(key, new StagedRecord(sequence, row));
        before.flatMap(StagedRecord::row)
                .ifPresent(
                        old -> {
                            changes.die(old.place());
                            old.references().forEach(blob -> count(blob, -1));
                        });
        return true;
    }

    /**
     * Returns whether an entry wins over the staged one. Of two with the same sequence a tombstone
     * wins: it was kept to kill exactly that copy. Of two copies the one in the survivor wins,
     * which was opened after its origins. The origins leave the log before it, and with them every
     * killer that names them would be forgotten.
     */
    private static boolean beats(long sequence, Optional<RecordRow> row, StagedRecord before) {
        if (sequence != before.sequence() || before.row().isEmpty()) {
            return sequence > before.sequence();
        }
        return row.isEmpty()
                || row.get().place().segmentId() > before.row().get().place().segmentId();
    }

    private Optional<StagedRecord> staged(RecordKey key) {
        StagedRecord inGroup = records.get(key);
        return inGroup != null
                ? Optional.of(inGroup)
                : index.rawRecord(key).map(IndexRebuild::decodeRecord);
    }

    private static StagedRecord decodeRecord(byte[] bytes) {
        RowReader reader = new RowReader(bytes);
        long sequence = reader.number();
        return reader.number() == 0
                ? new StagedRecord(sequence, Optional.empty())
                : new StagedRecord(sequence, Optional.of(RecordRow.decode(bytes)));
    }

    private static byte[] encode(StagedRecord record) {
        return record.row()
                .map(RecordRow::encode)
                .orElseGet(() -> new RowWriter(16).number(record.sequence()).number(0).toBytes());
    }

    /**
     * Adds a blob. Of two copies the one in the survivor counts, as with records; they share
     * extents and parts.
     */
    private void addBlob(long id, BlobRow row) {
        idMax = Math.max(idMax, id);
        StagedBlob before = stagedBlob(id);
        changes.live(row.entry());
        if (before.row().isEmpty()) {
            row.extents().forEach(changes::live);
            row.children().forEach(child -> count(child, 1));
        } else if (row.entry().segmentId() > before.row().get().entry().segmentId()) {
            changes.copyDies(before.row().get());
        } else {
            changes.copyDies(row);
            return;
        }
        blobs.put(id, new StagedBlob(before.references(), Optional.of(row)));
    }

    private StagedBlob count(long id, long by) {
        StagedBlob before = stagedBlob(id);
        StagedBlob after = new StagedBlob(before.references() + by, before.row());
        if (after.references() < 0) {
            throw new BrokenInvariant("negative reference count of blob " + id);
        }
        blobs.put(id, after);
        return after;
    }

    private StagedBlob stagedBlob(long id) {
        StagedBlob inGroup = blobs.get(id);
        return inGroup != null
                ? inGroup
                : index.rawBlob(id)
                        .map(IndexRebuild::decodeBlob)
                        .orElseGet(() -> new StagedBlob(0, Optional.empty()));
    }

    private static StagedBlob decodeBlob(byte[] bytes) {
        if (bytes[0] == UNSEEN) {
            RowReader reader = new RowReader(bytes);
            reader.number();
            return new StagedBlob(reader.number(), Optional.empty());
        }
        BlobRow row = BlobRow.decode(bytes);
        return new StagedBlob(row.references(), Optional.of(row));
    }

    private static byte[] encode(StagedBlob blob) {
        return blob.row()
                .map(row -> row.withReferences(blob.references()).encode())
                .orElseGet(
                        () -> new RowWriter(16).number(UNSEEN).number(blob.references()).toBytes());
    }

    private void writeGroup() throws IOException {
        IndexBatch batch = new IndexBatch();
        records.forEach(
                (key, record) -> batch.put(index.table(key.family()), key.key(), encode(record)));
        blobs.forEach(
                (id, blob) -> {
                    batch.put(index.blobs(), CubeIndex.blobKey(id), encode(blob));
                    blob.row().ifPresent(row -> index.extents().put(batch, id, row));
                });
        index.write(batch);
        records.clear();
        blobs.clear();
    }

    /**
     * Settles the blobs: those without references die; those that are referred to and were never
     * seen are damage.
     */
    private void settleBlobs() throws IOException {
        boolean unseen = false;
        try (IndexCursor cursor = index.allBlobs()) {
            while (cursor.next()) {
                StagedBlob blob = decodeBlob(cursor.value());
                if (blob.references() == 0) {
                    bury(CubeIndex.blobId(cursor.key()));
                } else if (blob.row().isEmpty()) {
                    unseen = true;
                }
            }
        }
        if (unseen) {
            reportUnseen();
        }
    }

    private void bury(long first) throws IOException {
        IndexBatch batch = new IndexBatch();
        Deque<Long> dead = new ArrayDeque<>(List.of(first));
        while (!dead.isEmpty()) {
            long id = dead.poll();
            StagedBlob blob = stagedBlob(id);
            blobs.remove(id);
            batch.delete(index.blobs(), CubeIndex.blobKey(id));
            if (blob.row().isPresent()) {
                BlobRow row = blob.row().get();
                changes.blobDies(row);
                index.extents().delete(batch, row);
                for (long child : row.children()) {
                    if (count(child, -1).references() == 0) {
                        dead.add(child);
                    }
                }
            }
        }
        blobs.forEach((id, blob) -> batch.put(index.blobs(), CubeIndex.blobKey(id), encode(blob)));
        blobs.clear();
        index.write(batch);
    }

    private void reportUnseen() throws IOException {
        IndexBatch batch = new IndexBatch();
        try (IndexCursor cursor = index.allBlobs()) {
            while (cursor.next()) {
                if (decodeBlob(cursor.value()).row().isEmpty()) {
                    batch.delete(index.blobs(), cursor.key());
                    if (dangling.size() < DAMAGES_MAX) {
                        dangling.add(
                                "blob "
                                        + CubeIndex.blobId(cursor.key())
                                        + " has references and is in no segment");
                    }
                }
            }
        }
        index.write(batch);
    }

    private void dropTombstones() throws IOException {
        for (int family : familiesWithTombstones) {
            IndexBatch batch = new IndexBatch();
            try (IndexCursor cursor = index.allRecords(family)) {
                while (cursor.next()) {
                    if (decodeRecord(cursor.value()).row().isEmpty()) {
                        batch.delete(index.table(family), cursor.key());
                        if (batch.changes().size() >= GROUP_ROWS) {
                            index.write(batch);
                            batch = new IndexBatch();
                        }
                    }
                }
            }
            index.write(batch);
        }
    }
}
