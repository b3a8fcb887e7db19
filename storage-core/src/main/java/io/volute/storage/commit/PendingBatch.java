package io.volute.storage.commit;

import io.volute.storage.Place;
import io.volute.storage.Transaction;
import io.volute.storage.accounting.SegmentAccounts;
import io.volute.storage.format.LogEntry;
import io.volute.storage.health.BrokenInvariant;
import io.volute.storage.index.IndexBatch;
import io.volute.storage.rows.BlobRow;
import io.volute.storage.rows.CubeIndex;
import io.volute.storage.rows.IndexState;
import io.volute.storage.rows.RecordKey;
import io.volute.storage.rows.RecordRow;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * Entries that go to the log, or come from it, together with their changes of the index. A commit
 * fills it from transactions before the places are known, a replay from logged entries. Both end in
 * {@link #toIndexBatch}, so that a replay cannot differ from the commit. Used by one thread.
 */
public final class PendingBatch implements RecentChanges.ChangedRows {
    private final CubeIndex index;
    private final RowPrefetch rows;
    private final BlobCounts blobs;
    private final List<LogEntry> entries = new ArrayList<>();
    private final Map<RecordKey, Integer> newest = new LinkedHashMap<>();
    private final List<Place> replaced = new ArrayList<>();
    private final List<BlobCounts.Counted> died = new ArrayList<>();

    /** Creates a batch for an index that no other thread changes. */
    public PendingBatch(CubeIndex index) {
        this(index, row -> {});
    }

    /**
     * Creates a batch.
     *
     * @param beforeRead see {@link RowPrefetch}
     */
    public PendingBatch(CubeIndex index, Consumer<Object> beforeRead) {
        this.index = index;
        this.rows = new RowPrefetch(index, beforeRead);
        this.blobs = new BlobCounts(rows);
    }

    RowPrefetch rows() {
        return rows;
    }

    List<LogEntry> entries() {
        return entries;
    }

    BlobCounts blobs() {
        return blobs;
    }

    public boolean touches(RecordKey key) {
        return newest.containsKey(key);
    }

    /** Returns the row of a record before its first change in this batch. */
    Optional<RecordRow> rowBefore(RecordKey key) {
        return rows.record(key);
    }

    /**
     * Returns the row of a record after the entries so far.
     *
     * @param places places of those entries
     */
    public Optional<RecordRow> rowAfter(RecordKey key, List<Place> places) {
        Integer at = newest.get(key);
        return at == null ? rows.record(key) : rowOf(at, places);
    }

    private Optional<RecordRow> rowOf(int at, List<Place> places) {
        return entries.get(at) instanceof LogEntry.RecordPut put
                ? Optional.of(RecordRow.of(put, places.get(at)))
                : Optional.empty();
    }

    /**
     * Adds a put.
     *
     * @param old the row that the put replaces
     */
    public void put(LogEntry.RecordPut put, RecordKey key, Optional<RecordRow> old) {
        put.references().forEach(blobs::retain);
        old.ifPresent(this::replace);
        newest.put(key, entries.size());
        entries.add(put);
    }

    /**
     * Adds a removal.
     *
     * @param old the row that is removed
     */
    public void delete(LogEntry.Tombstone tombstone, RecordKey key, RecordRow old) {
        replace(old);
        newest.put(key, entries.size());
        entries.add(tombstone);
    }

    private void replace(RecordRow old) {
        replaced.add(old.place());
        old.references().forEach(blobs::release);
    }

    /** Adds an entry that makes a blob, or one that changes no row. */
    public void addOther(LogEntry entry) {
        int at = entries.size();
        entries.add(entry);
        switch (entry) {
            case LogEntry.InlineBlob blob ->
                    blobs.add(blob.blobId(), blob.content().remaining(), new BlobRow.Inline(), at);
            case LogEntry.Hole hole ->
                    blobs.add(hole.blobId(), hole.contentBytes(), new BlobRow.Inline(), at);
            case LogEntry.StreamBlob blob ->
                    blobs.add(
                            blob.blobId(),
                            blob.bytes(),
                            new BlobRow.Stream(blob.chunkBytes(), blob.extents()),
                            at);
            case LogEntry.ComposedBlob blob ->
                    blobs.add(blob.blobId(), length(blob.parts()), composed(blob.parts()), at);
            case LogEntry.Digest digest -> {}
            case LogEntry.KeptTombstone kept -> {}
            case LogEntry.Origins origins ->
                    throw new BrokenInvariant("origins stand in survivors only");
            case LogEntry.RecordPut put -> throw new BrokenInvariant("a put needs its old row");
            case LogEntry.Tombstone tombstone ->
                    throw new BrokenInvariant("a tombstone needs its old row");
        }
    }

    public static long length(List<Transaction.Part> parts) {
        return parts.stream().mapToLong(Transaction.Part::bytes).reduce(0, Math::addExact);
    }

    public static BlobRow.Composed composed(List<Transaction.Part> parts) {
        TreeSet<Long> children = new TreeSet<>();
        parts.forEach(part -> children.add(part.blob().value()));
        return new BlobRow.Composed(List.copyOf(children));
    }

    /**
     * Marks blobs without references as dead. Called after a transaction, or after a replayed group
     * of them.
     */
    public void settle() {
        died.addAll(blobs.settle());
    }

    @Override
    public Set<RecordKey> changedRecords() {
        return newest.keySet();
    }

    @Override
    public List<Long> changedBlobs() {
        return blobs.all().stream()
                .filter(blob -> blob.isChanged() && !blob.isNew())
                .map(BlobCounts.Counted::id)
                .toList();
    }

    /** Returns the ids of the blobs that die with this batch. */
    List<Long> diedBlobs() {
        return died.stream().map(BlobCounts.Counted::id).toList();
    }

    /**
     * Returns all changes of the index once the entries lie at their places.
     *
     * @param state state that the index has afterwards
     * @param changes takes the accounting; its rows are part of the result
     */
    public IndexBatch toIndexBatch(
            List<Place> places, IndexState state, SegmentAccounts.Changes changes) {
        IndexBatch batch = new IndexBatch();
        for (int i = 0; i < entries.size(); i++) {
            account(entries.get(i), places.get(i), changes);
        }
        replaced.forEach(changes::die);
        died.forEach(blob -> changes.blobDies(blob.row(places)));
        newest.forEach(
                (key, at) ->
                        rowOf(at, places)
                                .ifPresentOrElse(
                                        row ->
                                                batch.put(
                                                        index.table(key.family()),
                                                        key.key(),
                                                        row.encode()),
                                        () -> batch.delete(index.table(key.family()), key.key())));
        for (BlobCounts.Counted blob : blobs.all()) {
            BlobRow row = blob.row(places);
            if (blob.isDead()) {
                batch.delete(index.blobs(), CubeIndex.blobKey(blob.id()));
                index.extents().delete(batch, row);
            } else if (blob.isChanged()) {
                batch.put(index.blobs(), CubeIndex.blobKey(blob.id()), row.encode());
                if (row.references() != 1) {
                    changes.shared(row.entry());
                }
            }
            if (!blob.isDead() && blob.isNew()) {
                index.extents().put(batch, blob.id(), row);
            }
        }
        changes.addRows(batch);
        index.putState(batch, state);
        return batch;
    }

    private static void account(LogEntry entry, Place place, SegmentAccounts.Changes changes) {
        switch (entry) {
            case LogEntry.RecordPut put -> {
                changes.live(place);
                changes.victimOfPut(place, put.victim());
            }
            case LogEntry.TombstoneEntry tombstone -> changes.tombstone(place, tombstone.victim());
            case LogEntry.StreamBlob blob -> {
                changes.live(place);
                blob.extents().forEach(changes::live);
            }
            case LogEntry.BlobEntry blob -> changes.live(place);
            // The death of the blob follows in this replay.
            case LogEntry.Hole hole -> changes.live(place);
            case LogEntry.Digest digest -> {}
            case LogEntry.Origins origins -> {}
        }
    }
}
