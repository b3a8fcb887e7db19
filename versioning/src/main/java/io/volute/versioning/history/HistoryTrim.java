package io.volute.versioning.history;

import static io.volute.versioning.rows.Families.EVENTS;
import static io.volute.versioning.rows.Families.EVENT_INDEX;
import static io.volute.versioning.rows.Families.HISTORY;
import static io.volute.versioning.rows.Families.REMOVED;

import io.volute.storage.CommitTime;
import io.volute.storage.RecordCursor;
import io.volute.storage.RecordStore;
import io.volute.storage.StoredRecord;
import io.volute.versioning.event.EventIndex;
import io.volute.versioning.event.EventScan;
import io.volute.versioning.provenance.ProvenanceLog;
import io.volute.versioning.rows.Event;
import io.volute.versioning.rows.HistoryRow;
import io.volute.versioning.rows.KeyVersion;
import io.volute.versioning.rows.ObjectRow;
import io.volute.versioning.rows.RemovedRow;
import io.volute.versioning.rows.RowKeys;
import io.volute.versioning.state.KeyLocks;
import io.volute.versioning.value.BucketInfo;
import io.volute.versioning.value.Caller;
import io.volute.versioning.value.ChangeKind;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

/**
 * Removes expired history. The events are in time order and name all kept states, so no other rows
 * are scanned. Thread-safe.
 */
public final class HistoryTrim {
    /** Upper bound of the time between the sequences of one commit. */
    private static final Duration COMMIT_SPAN = Duration.ofSeconds(1);

    private final RecordStore cube;
    private final EventIndex index;
    private final KeyLocks locks;
    private final Optional<ProvenanceLog> log;

    /** Held during a removal, so that no row is removed twice. */
    private final ReentrantLock removing = new ReentrantLock();

    private final AtomicLong removals = new AtomicLong();

    public HistoryTrim(
            RecordStore cube, EventIndex index, KeyLocks locks, Optional<ProvenanceLog> log) {
        this.cube = cube;
        this.index = index;
        this.locks = locks;
        this.log = log;
    }

    /** Returns the number of commits that removed history since start. */
    public long removals() {
        return removals.get();
    }

    /**
     * Removes events older than an instant, and states that had ended by then.
     *
     * @return the number of states removed
     */
    long trim(Instant before) throws IOException {
        return trim(CommitTime.lastAt(before), HistoryRemoval.Measure.STATES, Long.MAX_VALUE);
    }

    /** Removes the oldest events and about this many states. */
    long trimOldest(long states) throws IOException {
        return trim(Long.MAX_VALUE, HistoryRemoval.Measure.STATES, states);
    }

    /**
     * Removes states of about this many bytes: of each author the excess over a fair share, oldest
     * first. If that does not suffice, removes the oldest of all.
     *
     * @return the number of states removed
     */
    long trimOldestBytes(long bytes) throws IOException {
        return trimShares(HistoryShares.measure(cube), bytes);
    }

    /**
     * Removes states as {@link #trimOldestBytes} does, until about this many bytes are kept.
     *
     * @return the number of states removed
     */
    long trimTo(long bytes) throws IOException {
        HistoryShares shares = HistoryShares.measure(cube);
        long excess = shares.total() - bytes;
        return excess > 0 ? trimShares(shares, excess) : 0;
    }

    private long trimShares(HistoryShares shares, long bytes) throws IOException {
        HistoryShares.Excess excess = shares.release(bytes);
        HistoryRemoval removal =
                trim(
                        HistoryRemoval.Measure.BYTES,
                        (sequence, measured) -> excess.isLeft(),
                        kept -> {
                            byte[] key = key(kept);
                            Optional<StoredRecord> row = cube.get(HISTORY, key);
                            return row.isEmpty() || excess.take(row.get(), bytes(key, row.get()));
                        });
        long missing = bytes - removal.measured();
        return missing > 0
                ? removal.states() + trim(Long.MAX_VALUE, HistoryRemoval.Measure.BYTES, missing)
                : removal.states();
    }

    static long bytes(byte[] key, StoredRecord record) {
        ObjectRow state = HistoryRow.decode(record.summary()).state();
        return rowBytes(key, record) + (state.holdsBody() ? 0 : state.bytes());
    }

    static long rowBytes(byte[] key, StoredRecord record) {
        return (long) key.length + record.summary().length + record.detailBytes();
    }

    private long trim(long sequence, HistoryRemoval.Measure measure, long max) throws IOException {
        return trim(measure, (next, measured) -> next <= sequence && measured < max, kept -> true)
                .states();
    }

    /**
     * Decides whether a removal continues with the events of a sequence, after the quantity
     * measured so far.
     */
    private interface Reach {
        boolean includes(long sequence, long measured);
    }

    /** Removes the chosen states, and the events before the first state that stays. */
    private HistoryRemoval trim(
            HistoryRemoval.Measure measure, Reach reach, Predicate<Event.Kept> isChosen)
            throws IOException {
        removing.lock();
        try {
            HistoryRemoval removal = removal(measure, RowKeys.historyHorizon());
            long[] last = {-1};
            boolean[] isWhole = {true};
            new EventScan(cube)
                    .forward(
                            0,
                            rows -> {
                                if (!reach.includes(rows.sequence(), removal.measured())) {
                                    return false;
                                }
                                long states = removal.states();
                                isWhole[0] &= trimStates(removal, rows, isChosen);
                                if (isWhole[0] || removal.states() > states) {
                                    // The ends of its states have later sequences than the row.
                                    removal.raiseHorizon(endOf(rows.sequence()));
                                }
                                if (isWhole[0]) {
                                    for (Event event : rows.events()) {
                                        trimKey(removal, event);
                                    }
                                    // Last: after a crash before this, the next removal finds the
                                    // states again.
                                    removal.row(EVENTS, RowKeys.number(rows.number()));
                                    last[0] = rows.number();
                                }
                                return true;
                            });
            for (byte[] key : index.rowsUpTo(last[0])) {
                removal.row(EVENT_INDEX, key);
            }
            removal.commit();
            return removal;
        } finally {
            removing.unlock();
        }
    }

    /** Removes the chosen states of a row of events; returns whether that is all of its states. */
    private static boolean trimStates(
            HistoryRemoval removal, EventScan.Rows rows, Predicate<Event.Kept> isChosen)
            throws IOException {
        boolean isWhole = true;
        for (Event event : rows.events()) {
            if (event instanceof Event.Kept kept) {
                if (isChosen.test(kept)) {
                    removal.state(key(kept));
                } else {
                    isWhole = false;
                }
            }
        }
        return isWhole;
    }

    private static byte[] key(Event.Kept kept) {
        return RowKeys.history(kept.bucketId(), kept.key(), kept.began());
    }

    /** Returns a sequence later than all sequences of a commit that has this one. */
    private static long endOf(long sequence) {
        return CommitTime.lastAt(CommitTime.of(sequence).plus(COMMIT_SPAN));
    }

    /** Removes the row of a removed key, if this event is its last removal. */
    private void trimKey(HistoryRemoval removal, Event event) throws IOException {
        if (event instanceof Event.Wrote wrote && wrote.change() == ChangeKind.REMOVE) {
            KeyVersion object = wrote.object();
            byte[] key = RowKeys.current(object.bucketId(), object.key());
            Optional<StoredRecord> row = cube.get(REMOVED, key);
            if (row.isPresent()
                    && RemovedRow.decode(row.get().summary()).number() == wrote.number()) {
                removal.key(key, row.get());
            }
        }
    }

    /**
     * Removes the states of a bucket that ended before an instant. Unlike retention, a purge is an
     * action of a caller, so the chains of the keys record it.
     */
    long purge(Caller caller, BucketInfo bucket, Instant before) throws IOException {
        long sequence = CommitTime.lastAt(before);
        removing.lock();
        try {
            HistoryRemoval removal =
                    removal(HistoryRemoval.Measure.STATES, RowKeys.historyHorizon(bucket.id()));
            removal.raiseHorizon(Math.min(sequence, cube.lastSequence()));
            log.ifPresent(
                    signed -> removal.recordKeys(bucket, before, () -> signed.recorder(caller)));
            byte[] from = RowKeys.bucketStart(bucket.id());
            try (RecordCursor cursor = cube.scan(HISTORY, from, RowKeys.behindPrefix(from))) {
                while (cursor.next()) {
                    HistoryRow row = HistoryRow.decode(cursor.record().summary());
                    if (row.ended(cursor.record().sequence()) <= sequence) {
                        removal.state(cursor.key());
                    }
                }
            }
            try (RecordCursor cursor = cube.scan(REMOVED, from, RowKeys.behindPrefix(from))) {
                while (cursor.next()) {
                    if (isRemovedBy(cursor, sequence)) {
                        removal.key(cursor.key(), cursor.record());
                    }
                }
            }
            removal.commit();
            return removal.states();
        } finally {
            removing.unlock();
        }
    }

    /** Returns whether the key of a row of {@code removed} had vanished by a sequence. */
    private static boolean isRemovedBy(RecordCursor cursor, long sequence) {
        StoredRecord record = cursor.record();
        return RemovedRow.decode(record.summary()).removed(record.sequence()) <= sequence;
    }

    private HistoryRemoval removal(HistoryRemoval.Measure measure, byte[] horizonKey) {
        return new HistoryRemoval(cube, locks, measure, horizonKey, removals::incrementAndGet);
    }
}
