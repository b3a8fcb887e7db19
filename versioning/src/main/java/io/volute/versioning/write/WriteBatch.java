package io.volute.versioning.write;

import static io.volute.versioning.rows.Families.CURRENT;
import static io.volute.versioning.rows.Families.VERSIONS;

import io.volute.storage.BlobId;
import io.volute.storage.Family;
import io.volute.storage.PendingBlob;
import io.volute.storage.RecordCursor;
import io.volute.storage.RecordStore;
import io.volute.storage.StoredRecord;
import io.volute.storage.Transaction;
import io.volute.versioning.body.RecordDetails;
import io.volute.versioning.commit.ChangeListener;
import io.volute.versioning.commit.Commits;
import io.volute.versioning.commit.StateChange;
import io.volute.versioning.provenance.ContentHash;
import io.volute.versioning.provenance.ProvenanceRecorder;
import io.volute.versioning.state.BucketEntry;
import io.volute.versioning.state.RecordContent;
import io.volute.versioning.state.ScopedHold;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.value.ObjectVersion;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The changes of one transaction, with a view in which they have already happened. Each record key
 * is written once, in its final state, however often it changed. Not thread-safe. The caller holds
 * the locks of all keys concerned.
 */
public final class WriteBatch {
    public static final int CHANGE_OVERHEAD_BYTES = 64;

    /** Size from which a change of many rows begins a new transaction: others queue behind it. */
    private static final long BYTES_MAX = 1 << 20;

    private final RecordStore cube;
    private final Optional<CausalityRecorder> causality;
    private final Optional<ProvenanceRecorder> provenance;

    /** In the order in which they add their rows. */
    private final List<ChangeListener> listeners = new ArrayList<>(3);

    private final Transaction transaction = new Transaction();
    private final Map<Family, NavigableMap<byte[], Optional<RecordContent>>> changes =
            new HashMap<>();

    /** Keys without a row. The locks of the keys keep this true. */
    private final Map<Family, NavigableSet<byte[]>> absent = new HashMap<>();

    private long bytes;
    private boolean isReleased;

    /** Creates a batch without causality. */
    public WriteBatch(RecordStore cube, ChangeListener... listeners) {
        this(cube, Optional.empty(), Optional.empty(), List.of(listeners));
    }

    /**
     * Creates a batch that changes versions.
     *
     * @param causality decides which replaced states are kept, and is the first listener
     * @param provenance knows the origins of copies, and is the next listener
     * @param others the listeners after these
     */
    WriteBatch(
            RecordStore cube,
            Optional<CausalityRecorder> causality,
            Optional<ProvenanceRecorder> provenance,
            List<ChangeListener> others) {
        this.cube = cube;
        this.causality = causality;
        this.provenance = provenance;
        causality.ifPresent(listeners::add);
        provenance.ifPresent(listeners::add);
        listeners.addAll(others);
    }

    /**
     * Marks this batch as one that frees space: a full store accepts it, including its delete
     * markers.
     */
    public WriteBatch makingRoom() {
        transaction.makingRoom();
        causality.ifPresent(CausalityRecorder::markFreesSpace);
        return this;
    }

    /** Returns the causal writer of a key. */
    CausalWriter writer(BucketInfo bucket, ObjectKey key, Optional<CausalityRecorder.Source> source)
            throws IOException {
        return causality.isPresent()
                ? causality.get().writer(bucket, key, source)
                : CausalWriter.NOBODY;
    }

    /** Returns the recorder of provenance; empty without provenance. */
    public Optional<ProvenanceRecorder> provenance() {
        return provenance;
    }

    /**
     * Passes a change to the listeners. A batch with one is committed or {@link #abandon}ed.
     *
     * @return the version as its row has it
     */
    ObjectVersion changed(StateChange change) {
        ObjectVersion row = change.version();
        for (ChangeListener each : listeners) {
            row = each.changed(change, row);
        }
        return row;
    }

    /** Ends a batch that is not committed. Does nothing after a commit. */
    public void abandon() {
        if (!isReleased) {
            isReleased = true;
            listeners.forEach(ChangeListener::release);
        }
    }

    /** A row and its key. */
    record Entry(byte[] key, RecordContent row) {}

    RecordStore cube() {
        return cube;
    }

    public void add(PendingBlob blob) {
        transaction.add(ContentHash.plain(blob));
    }

    public void compose(BlobId blob, List<Transaction.Part> parts) {
        transaction.compose(blob, parts);
    }

    public void put(Family family, byte[] key, RecordContent row) {
        of(family).put(key, Optional.of(row));
        bytes += key.length + row.summary().length + row.detailBytes() + CHANGE_OVERHEAD_BYTES;
    }

    /** Puts a row under a key that had none before this batch, or whose row this batch deleted. */
    void putNew(Family family, byte[] key, RecordContent row) {
        if (!of(family).containsKey(key)) {
            absent(family).add(key);
        }
        put(family, key, row);
    }

    public void delete(Family family, byte[] key) {
        of(family).put(key, Optional.empty());
        bytes += key.length + CHANGE_OVERHEAD_BYTES;
    }

    public Optional<RecordContent> get(Family family, byte[] key) {
        Optional<RecordContent> changed = changed(family, key);
        if (changed.isPresent() || of(family).containsKey(key)) {
            return changed;
        }
        Optional<StoredRecord> record = cube.get(family, key);
        if (record.isEmpty() && family.equals(CURRENT)) {
            absent(family).add(key);
        }
        return record.map(found -> stored(family, key, found));
    }

    /** Returns the first row in {@code [from, to)}. */
    Optional<Entry> first(Family family, byte[] from, byte[] to) {
        Optional<Entry> added = Optional.empty();
        for (var change : of(family).subMap(from, true, to, false).entrySet()) {
            if (change.getValue().isPresent()) {
                added = Optional.of(new Entry(change.getKey(), change.getValue().get()));
                break;
            }
        }
        try (RecordCursor cursor = cube.scan(family, from, to)) {
            while (cursor.next()) {
                byte[] key = cursor.key();
                if (added.isPresent() && Arrays.compareUnsigned(added.get().key(), key) <= 0) {
                    return added;
                }
                if (!of(family).containsKey(key)) {
                    return Optional.of(new Entry(key, stored(family, key, cursor.record())));
                }
            }
        }
        return added;
    }

    /** Returns whether the remaining work should go into another transaction. */
    public boolean isFull() {
        long recorded = listeners.stream().mapToLong(ChangeListener::bytes).sum();
        return bytes + recorded > bytesMax(cube);
    }

    /** Returns the size in bytes up to which a batch has room for all changes of one more key. */
    public static long bytesMax(RecordStore cube) {
        return Math.min(BYTES_MAX, cube.transactionBytesMax() / 2);
    }

    public boolean isEmpty() {
        return changes.values().stream().allMatch(Map::isEmpty);
    }

    /** Makes the changes durable and visible. The batch must not be used afterwards. */
    public void commit(BucketEntry bucket) throws IOException {
        boolean removes = of(VERSIONS).values().stream().anyMatch(Optional::isEmpty);
        if (removes) {
            try (ScopedHold removal = bucket.removal()) {
                commit();
            }
        } else {
            commit();
        }
    }

    /** Makes changes durable and visible that touch no object. */
    public void commit() throws IOException {
        try {
            listeners.forEach(each -> each.addCauses(transaction));
            addChanges();
            for (ChangeListener each : listeners) {
                each.addTo(transaction);
            }
            Commits.join(cube, transaction);
            listeners.forEach(ChangeListener::committed);
        } finally {
            abandon();
        }
    }

    private void addChanges() throws IOException {
        for (var family : changes.entrySet()) {
            for (var change : family.getValue().entrySet()) {
                Optional<RecordContent> row = change.getValue();
                if (row.isEmpty()) {
                    transaction.delete(family.getKey(), change.getKey());
                } else {
                    write(family.getKey(), change.getKey(), row.get());
                }
            }
        }
    }

    private void write(Family family, byte[] key, RecordContent row) throws IOException {
        byte[] detail = row.detail().read();
        if (absent(family).contains(key)) {
            transaction.putNew(family, key, row.summary(), detail, row.references());
        } else {
            transaction.put(family, key, row.summary(), detail, row.references());
        }
    }

    private RecordContent stored(Family family, byte[] key, StoredRecord record) {
        return new RecordContent(
                record.sequence(),
                record.summary(),
                () -> RecordDetails.read(cube, family, key, record),
                record.detailBytes(),
                record.references());
    }

    private Optional<RecordContent> changed(Family family, byte[] key) {
        Optional<RecordContent> row = of(family).get(key);
        return row == null ? Optional.empty() : row;
    }

    private NavigableMap<byte[], Optional<RecordContent>> of(Family family) {
        return changes.computeIfAbsent(family, same -> new TreeMap<>(Arrays::compareUnsigned));
    }

    private NavigableSet<byte[]> absent(Family family) {
        return absent.computeIfAbsent(family, same -> new TreeSet<>(Arrays::compareUnsigned));
    }
}
