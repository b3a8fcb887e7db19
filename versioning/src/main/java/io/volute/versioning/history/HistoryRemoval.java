package io.volute.versioning.history;

import static io.volute.versioning.rows.Families.HISTORY;
import static io.volute.versioning.rows.Families.REMOVED;

import io.volute.storage.Family;
import io.volute.storage.RecordStore;
import io.volute.storage.StoredRecord;
import io.volute.storage.Transaction;
import io.volute.versioning.commit.Commits;
import io.volute.versioning.provenance.ProvenanceRecorder;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.state.HistoryHorizon;
import io.volute.versioning.state.KeyLocks;
import io.volute.versioning.state.ScopedHold;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.ObjectKey;
import io.volute.versioning.write.WriteBatch;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * One removal of states and the rows that depend on them, in as many commits as needed. Not
 * thread-safe.
 */
final class HistoryRemoval {
    private static final int RECORDS_MAX = 1000;

    private final RecordStore cube;
    private final KeyLocks locks;
    private final Measure measure;
    private final byte[] horizonKey;
    private final Runnable committed;
    private final long bytesMax;
    private final List<Vanished> vanished = new ArrayList<>();
    private final List<Integer> recordedStripes = new ArrayList<>();
    private Optional<Purge> purge = Optional.empty();
    private Optional<ProvenanceRecorder> recorder = Optional.empty();
    private Optional<ObjectKey> key = Optional.empty();
    private int statesOfKey;
    private Transaction transaction = new Transaction();
    private int records;
    private long transactionBytes;
    private long horizon;
    private long states;
    private long measured;

    /** The quantity that a removal counts. */
    enum Measure {
        STATES,
        BYTES
    }

    /**
     * The record that a purge leaves in the chains of keys.
     *
     * @param recorder creates the provenance recorder of a commit
     */
    private record Purge(BucketInfo bucket, Instant until, Supplier<ProvenanceRecorder> recorder) {}

    /** A key without kept states, unless it was removed once more meanwhile. */
    private record Vanished(byte[] rowKey, StoredRecord row) {
        int stripe() {
            return KeyLocks.stripe(RowKeys.bucketId(rowKey), RowKeys.objectKey(rowKey).value());
        }
    }

    /**
     * Begins a removal.
     *
     * @param horizonKey key of the row with the new history horizon
     * @param committed called after each commit
     */
    HistoryRemoval(
            RecordStore cube,
            KeyLocks locks,
            Measure measure,
            byte[] horizonKey,
            Runnable committed) {
        this.cube = cube;
        this.locks = locks;
        this.measure = measure;
        this.horizonKey = horizonKey;
        this.committed = committed;
        this.bytesMax = WriteBatch.bytesMax(cube);
    }

    /** Records in the chain of each key how many of its states are removed, in the same commit. */
    void recordKeys(
            BucketInfo bucket, Instant until, Supplier<ProvenanceRecorder> recorderOfCommit) {
        purge = Optional.of(new Purge(bucket, until, recorderOfCommit));
    }

    long states() {
        return states;
    }

    /** Returns the removed quantity, in the unit of the measure. */
    long measured() {
        return measured;
    }

    /** Raises the history horizon: removed states had ended by this sequence. */
    void raiseHorizon(long sequence) {
        horizon = Math.max(horizon, sequence);
    }

    /** Adds a state. The states of one key must be consecutive. */
    void state(byte[] rowKey) throws IOException {
        if (purge.isPresent()) {
            int end = RowKeys.objectKeyEnd(rowKey, RowKeys.NUMBER_BYTES);
            ObjectKey next = new ObjectKey(RowKeys.objectKey(rowKey, end));
            if (!key.equals(Optional.of(next))) {
                recordKey();
                key = Optional.of(next);
            }
            statesOfKey++;
        }
        measured +=
                switch (measure) {
                    case STATES -> 1;
                    case BYTES ->
                            cube.get(HISTORY, rowKey)
                                    .map(row -> HistoryTrim.bytes(rowKey, row))
                                    .orElse(0L);
                };
        transaction.delete(HISTORY, rowKey);
        states++;
        added(rowKey);
    }

    private void recordKey() {
        if (statesOfKey > 0) {
            Purge what = purge.orElseThrow();
            if (recorder.isEmpty()) {
                recorder = Optional.of(what.recorder().get());
            }
            recorder.get().purged(what.bucket(), key.orElseThrow(), statesOfKey, what.until());
            recordedStripes.add(KeyLocks.stripe(what.bucket().id(), key.orElseThrow().value()));
            statesOfKey = 0;
        }
    }

    /** Adds a row of {@code removed}. */
    void key(byte[] rowKey, StoredRecord row) throws IOException {
        vanished.add(new Vanished(rowKey, row));
        added(rowKey);
    }

    void row(Family family, byte[] rowKey) throws IOException {
        transaction.delete(family, rowKey);
        added(rowKey);
    }

    private void added(byte[] rowKey) throws IOException {
        records++;
        transactionBytes += rowKey.length + WriteBatch.CHANGE_OVERHEAD_BYTES;
        long bytes = transactionBytes + recorder.map(ProvenanceRecorder::bytes).orElse(0L);
        if (records == RECORDS_MAX || bytes > bytesMax) {
            commit();
        }
    }

    void commit() throws IOException {
        if (records == 0) {
            return;
        }
        recordKey();
        HistoryHorizon.add(cube, transaction, horizonKey, horizon);
        // A full store must accept the removal, although it writes a row.
        transaction.makingRoom();
        try (ScopedHold held = locks.holdAll(stripes())) {
            for (Vanished each : vanished) {
                cube.get(REMOVED, each.rowKey())
                        .filter(now -> now.sequence() == each.row().sequence())
                        .ifPresent(now -> transaction.delete(REMOVED, each.rowKey()));
            }
            if (recorder.isPresent()) {
                recorder.get().addTo(transaction);
            }
            Commits.join(cube, transaction);
            recorder.ifPresent(ProvenanceRecorder::committed);
        } finally {
            recorder.ifPresent(ProvenanceRecorder::release);
        }
        committed.run();
        vanished.clear();
        recordedStripes.clear();
        recorder = Optional.empty();
        transaction = new Transaction();
        records = 0;
        transactionBytes = 0;
    }

    private int[] stripes() {
        return IntStream.concat(
                        vanished.stream().mapToInt(Vanished::stripe),
                        recordedStripes.stream().mapToInt(Integer::intValue))
                .toArray();
    }
}
